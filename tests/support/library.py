"""An index with a few documents, and what a test needs to ask it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from indexing.catalog import Catalog
from indexing.generations import ensure_live
from indexing.search import Filters, Searcher
from indexing.store.store import VectorStore
from indexing.writer import IndexWriter
from rubrica.model import NO_ATTRIBUTES, Attributes, Chunk
from rubrica.protocols import Embedder
from tests.support.indexing import make_chunks, make_document

Change = Callable[[Chunk], Chunk]


class Library:
    """Documents of a live generation."""

    def __init__(self, catalog: Catalog, store: VectorStore, embedder: Embedder) -> None:
        self.catalog = catalog
        self.store = store
        self.embedder = embedder
        self.alias = f"s_{uuid.uuid4().hex}"
        self.generation = ensure_live(self.alias, catalog, store, embedder)
        self.writer = IndexWriter(catalog, store, embedder, self.generation)
        self.searcher = Searcher(catalog, store, embedder, self.alias)

    def add(
        self,
        path: str,
        paragraphs: Sequence[str],
        *,
        source: str = "norms",
        language: str = "ru",
        attributes: Attributes = NO_ATTRIBUTES,
        change: Change = replace,
    ) -> str:
        """Index a document, one chunk a paragraph; returns its id."""
        [id_] = self.catalog.documents.register(source, [path]).values()
        document = make_document(
            id_, paragraphs, source=source, path=path, language=language, attributes=attributes
        )
        chunks = [change(chunk) for chunk in make_chunks(document)]
        self.writer.write_document(document, chunks, mark="m", config_sig="s")
        return id_

    def texts(self, query: str, k: int = 50, **options: Any) -> list[str]:
        return [hit.text for hit in self.searcher.search(query, k, **options)]

    def paths(self, query: str = "стены", **filters: Any) -> list[str]:
        """Paths of the documents that a filter lets through, ordered."""
        hits = self.searcher.search(query, 50, filters=Filters(**filters))
        return sorted({hit.path for hit in hits})
