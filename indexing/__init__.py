"""Chunks in Milvus, their description in PostgreSQL, and search over both."""
