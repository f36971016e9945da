"""What an index holds, in both databases, without the ids of documents and chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pymilvus import MilvusClient  # type: ignore[import-untyped]

from indexing.store.store import VectorStore
from pipeline.services import Services

Rows = list[tuple[str, int, int, int, str]]
"""Path, ordinal, start, end and text of every chunk, ordered."""

_FIELDS = ["chunk_id", "document_id", "ordinal", "char_start", "char_end", "text"]


def in_postgres(services: Services, source: str) -> Rows:
    """The chunks that PostgreSQL knows of a source in the live generation."""
    chunks, generation = services.catalog.chunks, services.live.generation.id
    paths = services.catalog.documents.ids_by_path(source)
    return sorted(
        (path, chunk.ordinal, chunk.start, chunk.end, chunk.text)
        for path, id_ in paths.items()
        for chunk in chunks.of_document(generation, id_)
    )


def in_milvus(services: Services, source: str) -> Rows:
    """Those that Milvus holds, whatever PostgreSQL knows; one of no known document has no path."""
    paths = {id_: path for path, id_ in services.catalog.documents.ids_by_path(source).items()}
    return sorted(
        (
            paths.get(row["document_id"], ""),
            row["ordinal"],
            row["char_start"],
            row["char_end"],
            row["text"],
        )
        for row in milvus_rows(services)
    )


def milvus_rows(services: Services) -> Iterator[dict[str, Any]]:
    """Every row of the live generation's collection."""
    collection, store = services.live.generation.collection, services.store
    ids = sorted(store.chunk_ids(collection))
    client = MilvusClient(services.settings.services.milvus_uri)
    try:
        for first in range(0, len(ids), 200):
            part = ids[first : first + 200]
            yield from client.get(collection, ids=part, output_fields=_FIELDS, consistency_level="Strong")
    finally:
        client.close()


def vectors(store: VectorStore, collection: str, uri: str) -> dict[str, list[float]]:
    """The dense vector of every chunk."""
    ids = sorted(store.chunk_ids(collection))
    client = MilvusClient(uri)
    try:
        rows = client.get(collection, ids=ids, output_fields=["chunk_id", "dense"]) if ids else []
    finally:
        client.close()
    return {row["chunk_id"]: list(row["dense"]) for row in rows}
