"""Recall: golden questions, where their answers stand now, and how well a search finds them.

Nothing here reads a database: what PostgreSQL holds is handed in (``indexing.catalog`` stores the types of
``model``, so an import of the catalog from here would close a circle).
"""
