"""Milvus: the index that searches run on. Importing this package does not load pymilvus."""
