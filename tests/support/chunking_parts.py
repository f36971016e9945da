"""Small exact parts for chunking tests: tokenizers that can be counted by hand, a scorer by digest."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from chunking.chunker import Chunker
from chunking.factory import assemble_chunker
from chunking.protocols import CutScorer, CutScores
from chunking.strategies.smart import SmartStrategy
from extraction.builder import DocumentBuilder
from rubrica.model import ChunkingStats, Document
from rubrica.protocols import TokenCounter
from rubrica.settings import ChunkingSettings

FIXED = 3


class WordCounter:
    """One token for every six characters of a word, and three for each input."""

    name = "words"
    limit = 512

    def count(self, text: str) -> int:
        return FIXED + sum(math.ceil(len(word) / 6) for word in text.split())


class ByteCounter:
    """Tokens by bytes: lengths do not add up, so plans made of sums are too short."""

    name = "bytes"
    limit = 512

    def count(self, text: str) -> int:
        return FIXED + len(text.encode()) // 4


class DigestScorer:
    """A score of a cut depends on the texts beside it and on nothing else."""

    signature = "digest"

    def __init__(self, score: Callable[[str, str], float] | None = None) -> None:
        self.pairs = 0
        self._score = score or _digest_score

    def score_cuts(
        self, documents: Sequence[Sequence[str]], wanted: Sequence[Sequence[int]] | None = None
    ) -> list[CutScores]:
        if wanted is None:
            wanted = [range(len(texts) - 1) for texts in documents]
        return [
            self.score_pairs([(texts[cut], texts[cut + 1]) for cut in cuts])
            for texts, cuts in zip(documents, wanted, strict=True)
        ]

    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> CutScores:
        self.pairs += len(pairs)
        values = np.array([self._score(*pair) for pair in pairs], dtype=np.float32)
        return CutScores(values, ChunkingStats(pairs_scored=len(pairs)))


def _digest_score(left: str, right: str) -> float:
    key = hashlib.blake2b(f"{left}\0{right}".encode(), digest_size=2).digest()
    return int.from_bytes(key) / 8192 - 4


def document(
    builder: DocumentBuilder,
    *,
    path: str = "norms/doc.md",
    title: str = "",
    media_type: str = "text/markdown",
    language: str = "en",
) -> Document:
    return Document(
        id=path,
        source="",
        path=path,
        revision="",
        content_hash="",
        media_type=media_type,
        language=language,
        title=title or path.rpartition("/")[2],
        text=builder.text,
        elements=builder.elements,
    )


def chunker(
    counter: TokenCounter | None = None, scorer: CutScorer | None = None, **settings: object
) -> Chunker:
    values = {"max_tokens": 40, "min_tokens": 10} | settings
    settings_ = ChunkingSettings(**values)  # type: ignore[arg-type]
    return assemble_chunker(settings_, counter or WordCounter(), smart(settings_, scorer or DigestScorer()))


def smart(settings: ChunkingSettings, scorer: CutScorer) -> SmartStrategy:
    return SmartStrategy(scorer, mode=settings.mode, structure=settings.structure_rules)


def sentences(count: int, words: int = 5) -> str:
    """Sentences of a given number of words, each with a first word of its own."""
    return " ".join(f"Word{i} " + " ".join(["is"] * (words - 2)) + " here." for i in range(count))


def paragraphs(texts: Iterable[str]) -> DocumentBuilder:
    from rubrica.model import ElementKind

    builder = DocumentBuilder()
    for text in texts:
        builder.add(ElementKind.PARAGRAPH, text)
    return builder
