"""Runs the comparison on the retrieval sets."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from benchmarks.chunkers.fit import Fitted, fit
from benchmarks.chunkers.model import Contender, GaveUpError, Piece
from benchmarks.chunkers.retrieval import Answers, answer
from benchmarks.chunkers.sets import RetrievalSet
from benchmarks.chunkers.workshop import Workshop
from chunking.sentences import split_sentences
from rubrica.log import get_logger

# A mean farther from the target than this part of it is not "the same mean".
_TOLERANCE = 0.05
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Result:
    """One chunker on one retrieval set at one target.

    Attributes:
        name: The chunker.
        ours: Whether it is one of this project.
        set_name: The set.
        target: Mean tokens that were asked for.
        fitted: Its limit and chunks.
        answers: What the search found in them.
        sizes: Tokens of each chunk's final text.
        body_mean: Mean tokens of the bodies, without context lines.
    """

    name: str
    ours: bool
    set_name: str
    target: int
    fitted: Fitted
    answers: Answers
    sizes: tuple[int, ...]
    body_mean: float

    @property
    def on_target(self) -> bool:
        """Whether its mean is that of the others."""
        return abs(self.fitted.mean - self.target) <= _TOLERANCE * self.target


def run_one(contender: Contender, asked: RetrievalSet, target: int, workshop: Workshop) -> Result | None:
    """Measure a chunker on one set; ``None`` when it cannot cut its documents or they are too long for it."""
    most = contender.most_sentences
    if most and any(_sentences(document.text, document.language) > most for document in asked.documents):
        return None
    try:
        fitted = fit(contender, asked, target, workshop)
    except GaveUpError as error:
        _log.warning("peer_gave_up", reason=str(error))
        return None
    pieces = fitted.cutting.pieces
    return Result(
        contender.name,
        contender.ours,
        asked.name,
        target,
        fitted,
        answer(pieces, asked, workshop),
        tuple(workshop.tokens(piece.text) for piece in pieces),
        fmean(workshop.tokens(_body(piece, asked)) for piece in pieces),
    )


def _body(piece: Piece, asked: RetrievalSet) -> str:
    return asked.documents[piece.document].text[piece.start : piece.end]


def _sentences(text: str, language: str) -> int:
    return len(split_sentences(text, language, newline_ends=True))
