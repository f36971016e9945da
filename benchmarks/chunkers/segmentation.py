"""Segments that are known: how near a chunker's edges, and a scorer's scores, come to them.

A text's sentences are joined by spaces, so that nothing but their meaning tells where a segment ends, and
every chunker finds the sentences by itself. Its limit is set so that its chunks have the mean length of the
segments: all sides know how many segments a set has, none where. An edge counts at the sentence nearest to
it. Scorers are asked for every gap between the given sentences.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from benchmarks.chunkers.align import Printed, locate
from benchmarks.chunkers.fit import Fitted, fit
from benchmarks.chunkers.model import Contender, Piece
from benchmarks.chunkers.ours import DEFAULT
from benchmarks.chunkers.sets import RetrievalSet, SegmentationSet, SegmentedText, read_file
from benchmarks.chunkers.workshop import Workshop
from benchmarks.segmentation_metrics import average_precision, lowest_cuts, pk
from chunking.scoring import build_cut_scorer
from rubrica.model import Document
from rubrica.settings import ChunkingSettings

ScoreGaps = Callable[[Sequence[SegmentedText], Workshop], list[list[float]]]


@dataclass(frozen=True, slots=True)
class Segmented:
    """A chunker on a segmentation set.

    Attributes:
        name: The chunker.
        set_name: The set.
        fitted: Its limit and chunks.
        segments: Chunks per segment, in all texts together.
        pk: Mean Pk of the texts, lower is better.
    """

    name: str
    set_name: str
    fitted: Fitted
    segments: float
    pk: float


@dataclass(frozen=True, slots=True)
class Scored:
    """A scorer on a segmentation set.

    Attributes:
        name: The scorer.
        set_name: The set.
        pk: Mean Pk of the texts, each cut at as many of its lowest scores as it has boundaries.
        average_precision: Mean average precision of the gaps of the texts.
    """

    name: str
    set_name: str
    pk: float
    average_precision: float


def segment(contender: Contender, known: SegmentationSet, workshop: Workshop) -> Segmented | None:
    """Measure a chunker; ``None`` when the set's texts are too long for it."""
    longest = max(len(text.sentences) for text in known.texts)
    if contender.most_sentences and longest > contender.most_sentences:
        return None
    documents = [read_file(" ".join(text.sentences), f"{i}.txt") for i, text in enumerate(known.texts)]
    tokens = [workshop.tokens(document.text) for document in documents]
    segments = sum(1 + sum(text.boundaries) for text in known.texts)
    as_set = RetrievalSet(known.name, tuple(documents), ())
    fitted = fit(contender, as_set, sum(tokens) / segments, workshop)
    values = [
        pk(text.boundaries, edges(text, document, own))
        for text, document, own in zip(known.texts, documents, _by_document(fitted, documents), strict=True)
    ]
    share = len(fitted.cutting.pieces) / segments
    return Segmented(contender.name, known.name, fitted, share, fmean(values))


def _by_document(fitted: Fitted, documents: Sequence[Document]) -> list[list[Piece]]:
    groups: list[list[Piece]] = [[] for _ in documents]
    for piece in fitted.cutting.pieces:
        groups[piece.document].append(piece)
    return groups


def edges(text: SegmentedText, document: Document, pieces: Sequence[Piece]) -> list[bool]:
    """Per gap between sentences, whether a chunk starts there or nearer to it than to any other gap.

    Args:
        text: The sentences.
        document: The same as it was read.
        pieces: Its chunks, in order.
    """
    starts = [start for start, _ in locate(Printed(document.text), text.sentences)]
    found = [False] * (len(starts) - 1)
    for piece in pieces[1:]:
        after = bisect_left(starts, piece.start)
        nearest = min(
            (i for i in (after - 1, after) if 0 < i < len(starts)),
            key=lambda i: abs(starts[i] - piece.start),
            default=0,
        )
        if nearest:
            found[nearest - 1] = True
    return found


# --- Scorers -----------------------------------------------------------------------------------------


def rate(name: str, score: ScoreGaps, known: SegmentationSet, workshop: Workshop) -> Scored:
    """Measure a scorer."""
    precisions, errors = [], []
    for text, scores in zip(known.texts, score(known.texts, workshop), strict=True):
        errors.append(pk(text.boundaries, lowest_cuts(scores, sum(text.boundaries))))
        if any(text.boundaries):
            precisions.append(average_precision(text.boundaries, [-value for value in scores]))
    return Scored(name, known.name, fmean(errors), fmean(precisions))


def _ours(
    texts: Sequence[SegmentedText], workshop: Workshop, settings: ChunkingSettings
) -> list[list[float]]:
    scorer = build_cut_scorer(settings, workshop.redis_url)
    answers = scorer.score_cuts([text.sentences for text in texts])
    return [list(map(float, answer.values)) for answer in answers]


def _float32(texts: Sequence[SegmentedText], workshop: Workshop) -> list[list[float]]:
    from benchmarks.chunkers.network import float32_scorer  # noqa: PLC0415 - imports torch

    folder = float32_scorer(workshop.data.parent / "models", workshop.cache)
    settings = ChunkingSettings(_env_file=None, scorer=str(folder), scorer_dtype="float32")
    return _ours(texts, workshop, settings)


def _smart_chunker(texts: Sequence[SegmentedText], workshop: Workshop) -> list[list[float]]:
    """The scores that smart_chunker cuts at, with its default windows, on the given sentences."""
    from benchmarks.chunkers.smart_chunker_shim import scores_of  # noqa: PLC0415 - imports torch

    return [scores_of(text.sentences, workshop) for text in texts]


_INT8 = "rubrica (int8, 96 a side)"
_PEER = "smart_chunker 0.0.5 (float32, 256 a side)"

SCORERS: dict[str, tuple[ScoreGaps, tuple[str, ...]]] = {
    _INT8: (partial(_ours, settings=ChunkingSettings(_env_file=None)), ()),
    "the same in float32": (_float32, ("torch",)),
    _PEER: (_smart_chunker, ("smart_chunker",)),
}
"""What scores gaps, and the modules that it needs."""

SCORER_OF = {DEFAULT: _INT8, "rubrica window": _INT8, "smart_chunker 0.0.5": _PEER}
"""The scorers of chunkers that have one."""
