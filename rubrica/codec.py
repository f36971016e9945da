"""Documents and chunks as JSON, for the workspace and the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from rubrica.model import Chunk, Document, Element, ElementKind


def element_to_dict(element: Element) -> dict[str, Any]:
    """An element as a JSON object."""
    return {field.name: getattr(element, field.name) for field in fields(element)}


def element_from_dict(data: Mapping[str, Any]) -> Element:
    """The element that ``element_to_dict`` wrote."""
    values = dict(data)
    values["kind"] = ElementKind(values["kind"])
    values["heading_path"] = tuple(values["heading_path"])
    values["rows"] = tuple(tuple(row) for row in values["rows"])
    values["bbox"] = None if values["bbox"] is None else tuple(values["bbox"])
    return Element(**values)


def document_to_dict(document: Document) -> dict[str, Any]:
    """A document as a JSON object, its elements left out."""
    names = [field.name for field in fields(document) if field.name != "elements"]
    values = {name: getattr(document, name) for name in names}
    return values | {"attributes": dict(document.attributes)}


def document_to_json(document: Document) -> bytes:
    """A document with its elements, as UTF-8 JSON."""
    data = document_to_dict(document)
    data["elements"] = [element_to_dict(element) for element in document.elements]
    return json.dumps(data, ensure_ascii=False, default=str).encode()


def document_from_json(data: bytes) -> Document:
    """The document that ``document_to_json`` wrote."""
    values = json.loads(data)
    values["elements"] = tuple(element_from_dict(item) for item in values["elements"])
    return Document(**values)


def chunk_to_dict(chunk: Chunk) -> dict[str, Any]:
    """A chunk as a JSON object."""
    return {field.name: getattr(chunk, field.name) for field in fields(chunk)}


def chunk_from_dict(data: Mapping[str, Any]) -> Chunk:
    """The chunk that ``chunk_to_dict`` wrote."""
    values = dict(data)
    values["kind"] = ElementKind(values["kind"])
    values["heading_path"] = tuple(values["heading_path"])
    values["clauses"] = tuple(values["clauses"])
    return Chunk(**values)


def chunks_to_jsonl(chunks: Iterable[Chunk]) -> bytes:
    """Chunks as UTF-8 JSON lines."""
    lines = (json.dumps(chunk_to_dict(chunk), ensure_ascii=False) + "\n" for chunk in chunks)
    return "".join(lines).encode()


def chunks_from_jsonl(data: bytes) -> list[Chunk]:
    """The chunks that ``chunks_to_jsonl`` wrote."""
    # str.splitlines would also split at U+2028 and friends inside a JSON string.
    return [chunk_from_dict(json.loads(line)) for line in data.decode().split("\n") if line]
