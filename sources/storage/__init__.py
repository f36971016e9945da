"""Documents of an object storage: whatever fsspec can list."""
