"""Search for the settings of chunking that answer golden questions best, and cheapest."""
