"""Chunks as rows of a collection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from indexing.store.capabilities import Capabilities
from indexing.store.limits import MAX_ATTRIBUTES_BYTES, MAX_HEADING_BYTES, MAX_HEADINGS, MAX_TEXT_BYTES
from indexing.store.terms import search_terms
from indexing.values import cut_utf8, json_safe, storable
from rubrica.model import Attributes, Chunk, Document

Row = dict[str, Any]


def scalar_row(document: Document, chunk: Chunk) -> Row:
    """What can change about a chunk whose text, and so whose id, stays the same."""
    headings = chunk.heading_path[:MAX_HEADINGS]
    return {
        "chunk_id": chunk.id,
        "document_id": document.id,
        "source": document.source,
        "ordinal": chunk.ordinal,
        "char_start": chunk.start,
        "char_end": chunk.end,
        "page_from": chunk.page_from,
        "page_to": chunk.page_to,
        "heading_path": [cut_utf8(storable(heading), MAX_HEADING_BYTES) for heading in headings],
        "language": document.language,
        "attributes": searchable_attributes(document.attributes),
    }


def searchable_attributes(attributes: Attributes) -> dict[str, Any]:
    """The attributes that fit into a row; the largest are left out first (PostgreSQL keeps all)."""
    safe: dict[str, Any] = json_safe(attributes)
    sizes = {name: len(json.dumps({name: value}).encode()) for name, value in safe.items()}
    excess = sum(sizes.values()) - MAX_ATTRIBUTES_BYTES
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        if excess <= 0:
            break
        excess -= sizes[name]
        del safe[name]
    return safe


_PAGES = ("page_from", "page_to")
_NO_PAGE = 0  # pages are counted from 1


def to_server(row: Row, server: Capabilities) -> Row:
    """A row as the server takes it: without words and nulls where it has none."""
    fitting = row if server.words else {name: value for name, value in row.items() if name != "terms"}
    if server.null:
        return fitting
    return fitting | {name: fitting[name] or _NO_PAGE for name in _PAGES if name in fitting}


def from_server(row: Mapping[str, Any], server: Capabilities) -> Row:
    """A row as it was written, in Python's own types: Milvus hands out arrays as protobuf containers."""
    plain = {name: list(value) if name == "heading_path" else value for name, value in row.items()}
    if server.null:
        return plain
    return plain | {name: plain[name] or None for name in _PAGES if name in plain}


def full_row(document: Document, chunk: Chunk, vector: npt.NDArray[np.float32]) -> Row:
    """All fields of a new chunk.

    Args:
        document: The chunk's document.
        chunk: The chunk.
        vector: Its embedding, ``[dimension]``.
    """
    text = storable(chunk.text)
    return scalar_row(document, chunk) | {
        "text": cut_utf8(text, MAX_TEXT_BYTES),
        "terms": cut_utf8(search_terms(text), MAX_TEXT_BYTES),
        "dense": vector.tolist(),
    }
