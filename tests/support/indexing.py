"""Documents, chunks and an embedder for tests of the index."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rubrica.identity import chunk_ids, content_hash
from rubrica.model import NO_ATTRIBUTES, Attributes, Chunk, Document, Element, ElementKind

DIMENSION = 8


class WordCounter:
    """One token a word."""

    name = "words-1"
    limit = 512

    def count(self, text: str) -> int:
        return len(text.split())


class DigestEmbedder:
    """Vectors out of a digest of the text: exact, quick, and every call is counted."""

    name = "digest"
    revision = "1"
    dimension = DIMENSION
    counter = WordCounter()

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.embedded.extend(texts)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        seed = np.frombuffer(hashlib.sha256(text.encode()).digest()[:DIMENSION], dtype=np.uint8)
        vector = seed.astype(np.float32) + 1
        return vector / np.linalg.norm(vector)


def make_document(
    id_: str,
    paragraphs: Sequence[str],
    *,
    source: str = "norms",
    path: str = "a.md",
    title: str = "Нормы",
    language: str = "ru",
    attributes: Attributes = NO_ATTRIBUTES,
) -> Document:
    """A document of paragraphs."""
    text = "\n\n".join(paragraphs)
    elements, start = [], 0
    for paragraph in paragraphs:
        elements.append(Element(ElementKind.PARAGRAPH, start, start + len(paragraph)))
        start += len(paragraph) + 2
    return Document(
        id=id_,
        source=source,
        path=path,
        revision="r1",
        content_hash=content_hash(text.encode()),
        media_type="text/markdown",
        language=language,
        title=title,
        text=text,
        elements=tuple(elements),
        attributes=attributes,
    )


def make_chunks(document: Document) -> list[Chunk]:
    """One chunk per element."""
    texts = [document.text[element.start : element.end] for element in document.elements]
    ids = chunk_ids(document.id, texts)
    return [
        Chunk(
            id=ids[i],
            document_id=document.id,
            ordinal=i,
            start=element.start,
            end=element.end,
            body=texts[i],
            text=texts[i],
            tokens=len(texts[i].split()),
            overlap_start=element.start,
            page_from=1 + i // 3,
            page_to=1 + i // 3,
            heading_path=("Раздел «1»",),
            clauses=(f"1.{i}",),
            boundary_score=None if i == 0 else 0.5,
        )
        for i, element in enumerate(document.elements)
    ]
