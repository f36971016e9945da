"""Pictures of chunking: pages for a browser and images, each one file that needs nothing else."""
