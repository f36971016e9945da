"""Builds the final chunks: body, context line, repeated table header, overlap, and the exact check."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chunking.context import noted, shortenings
from chunking.fragments import fragment
from chunking.plan import Plan, header_span
from chunking.tokens import TokenBudget
from chunking.units import Span, Unit
from rubrica.errors import ConfigurationError
from rubrica.identity import chunk_ids
from rubrica.log import get_logger
from rubrica.model import Chunk, ElementKind, Stage

_log = get_logger(__name__)

SplitFinder = Callable[[int, int], int]
Notes = Mapping[int, Sequence[str]]
NO_NOTES: Notes = {}

_LONGEST_TOKEN = 64
"""Characters of a token, and of the space before it, that an overlap reckons with at most: far more than any
vocabulary holds. Without that bound every chunk of an endless word would count all of it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A body to be: offsets, and the units that it lies in.

    Attributes:
        start: Offset of the body.
        end: Offset after it.
        first: Its first unit.
        stop: The unit after its last.
        score: Similarity across its left edge, where known.
    """

    start: int
    end: int
    first: int
    stop: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Wording:
    """What is embedded for a piece."""

    text: str
    tokens: int
    overlap_start: int


class Assembler:
    """Turns a partition into chunks that keep the token limit to the letter."""

    def __init__(self, budget: TokenBudget, *, overlap: int = 0) -> None:
        """Set the limits.

        Args:
            budget: Token limit.
            overlap: Tokens of the preceding text that a chunk carries beside its body.
        """
        self._budget = budget
        self._overlap = overlap

    def prepare(self, partitions: Iterable[tuple[Plan, Sequence[int]]]) -> None:
        """Count the tokens of many documents' chunks at once, before ``chunks`` asks for them one by one.

        Args:
            partitions: Plans of documents that have units, each with the units that start a chunk.
        """
        self._budget.count_ahead(
            _fullest(plan, piece) for plan, starts in partitions for piece in _pieces(plan, starts, {})
        )

    def chunks(
        self,
        plan: Plan,
        starts: Sequence[int],
        scores: Mapping[int, float],
        split_at: SplitFinder,
        notes: Notes = NO_NOTES,
    ) -> tuple[Chunk, ...]:
        """The chunks of one document.

        Args:
            plan: The document's units and what belongs to them.
            starts: Units that start a chunk.
            scores: Similarity by cut, for the cuts that were scored.
            split_at: Names the cut at which a span of at least two units is best cut; asked only when a
                final text is longer than its parts promised.
            notes: Per unit, what is added to the context line of a chunk that starts there.
        """
        stack = list(reversed(list(_pieces(plan, starts, scores))))
        pieces: list[Piece] = []
        wordings: list[Wording] = []
        while stack:
            piece = stack.pop()
            wording = self._wording(plan, piece, notes.get(piece.first, ()))
            if wording is None:
                stack.extend(reversed(list(self._smaller(plan, piece, split_at))))
                continue
            pieces.append(piece)
            wordings.append(wording)
        _warn_of_headers(plan, pieces, wordings)
        ids = chunk_ids(plan.document.id, (wording.text for wording in wordings))
        built = zip(ids, pieces, wordings, strict=True)
        return tuple(_chunk(plan, ordinal, *parts) for ordinal, parts in enumerate(built))

    def _wording(self, plan: Plan, piece: Piece, note: Sequence[str]) -> Wording | None:
        """The richest text that keeps the limit; ``None`` when the body alone does not."""
        body = plan.document.text[piece.start : piece.end]
        head = self._richest_head(plan, piece, body, note)
        if head is None:
            return None
        start = self._overlap_start(plan, piece, head)
        text = head + plan.document.text[start : piece.end]
        return Wording(text, self._budget.count(text), start)

    def _richest_head(self, plan: Plan, piece: Piece, body: str, note: Sequence[str]) -> str | None:
        header = plan.header_before(piece.first)
        line = plan.context[piece.first]
        contexts = [*noted(line, note, self._budget), *shortenings(line), ""]
        choices = [_lines(line, rows) for rows in dict.fromkeys((header, "")) for line in contexts]
        return next((head for head in choices if self._budget.fits(head + body)), None)

    def _smaller(self, plan: Plan, piece: Piece, split_at: SplitFinder) -> Iterator[Piece]:
        text, units = plan.document.text, plan.units
        if piece.stop - piece.first > 1:
            middle = split_at(piece.first, piece.stop) + 1
            yield Piece(piece.start, units[middle - 1].end, piece.first, middle, piece.score)
            yield Piece(units[middle].start, piece.end, middle, piece.stop)
            return
        if piece.end - piece.start == 1:
            raise ConfigurationError(
                f"RUBRICA_MAX_TOKENS: {self._budget.limit} tokens are too few for a single character.",
                document=plan.document.path,
                stage=Stage.CHUNK,
                hint="Raise RUBRICA_MAX_TOKENS.",
            )
        score = piece.score
        for start, end in fragment(text, (piece.start, piece.end), self._budget.fits):
            yield Piece(start, end, piece.first, piece.stop, score)
            score = None

    # --- Overlap ---------------------------------------------------------------------------------

    def _overlap_start(self, plan: Plan, piece: Piece, head: str) -> int:
        """Where the overlap begins: whole units where they fit, else the last words of the nearest."""
        if not self._overlap:
            return piece.start
        text, farthest = plan.document.text, piece.start - self._overlap * _LONGEST_TOKEN

        def fits(start: int) -> bool:
            if start < farthest:
                return False
            carried = text[start : piece.start]
            whole = head + text[start : piece.end]
            return self._budget.cost(carried) <= self._overlap and self._budget.fits(whole)

        floor = max(plan.overlap_floor(piece.first, piece.start), farthest - 1)
        for starts in (_unit_starts(plan, piece, floor), _word_starts(text, floor, piece.start)):
            start = _farthest(list(starts), fits)
            if start is not None:
                return start
        return piece.start


def _farthest(starts: Sequence[int], fits: Callable[[int], bool]) -> int | None:
    """The last of some starts, nearest first, that fits, as far as lengths grow with the distance."""
    fitting = bisect_left(starts, True, key=lambda start: not fits(start))
    return starts[fitting - 1] if fitting else None


def _unit_starts(plan: Plan, piece: Piece, floor: int) -> Iterator[int]:
    """Starts of the units before a piece, nearest first."""
    # A piece may begin inside its first unit, when that was too long for one chunk.
    for i in range(piece.first, -1, -1):
        start = plan.units[i].start
        if start < floor:
            return
        if start < piece.start:
            yield start


def _word_starts(text: str, floor: int, end: int) -> Iterator[int]:
    """Starts of the words before ``end``, nearest first; where the floor is, a word may be cut."""
    position = end
    while position > floor:
        while position > floor and text[position - 1].isspace():
            position -= 1
        if position == floor:
            return
        while position > floor and not text[position - 1].isspace():
            position -= 1
        yield position


# --- Parts of a chunk ----------------------------------------------------------------------------


def _lines(*parts: str) -> str:
    return "".join(part + "\n" for part in parts if part)


def _fullest(plan: Plan, piece: Piece) -> str:
    """The text of a piece with all that it should carry: what most chunks end up with."""
    head = _lines(plan.context[piece.first], plan.header_before(piece.first))
    return head + plan.document.text[piece.start : piece.end]


def _pieces(plan: Plan, starts: Sequence[int], scores: Mapping[int, float]) -> Iterator[Piece]:
    for first, stop in zip(starts, [*starts[1:], len(plan.units)], strict=True):
        score = scores.get(first - 1)
        yield Piece(plan.units[first].start, plan.units[stop - 1].end, first, stop, score)


def _warn_of_headers(plan: Plan, pieces: Sequence[Piece], wordings: Sequence[Wording]) -> None:
    """Say which parts of tables stand without their header, for there was no room to repeat it."""
    text, bare = plan.document.text, 0
    for piece, wording in zip(pieces, wordings, strict=True):
        span = header_span(text, plan.units[piece.first])
        head = wording.text[: len(wording.text) - (piece.end - wording.overlap_start)]
        bare += span is not None and text[span[0] : span[1]] not in head
    if bare:
        _log.warning(
            "table_header_not_repeated",
            document=plan.document.path,
            chunks=bare,
            hint="the header takes more than half of a chunk: raise RUBRICA_MAX_TOKENS",
        )


def _chunk(plan: Plan, ordinal: int, identity: str, piece: Piece, wording: Wording) -> Chunk:
    units = plan.units[piece.first : piece.stop]
    page_from, page_to = _pages(units)
    clauses = plan.rules.clauses[piece.first : piece.stop]
    return Chunk(
        id=identity,
        document_id=plan.document.id,
        ordinal=ordinal,
        start=piece.start,
        end=piece.end,
        body=plan.document.text[piece.start : piece.end],
        text=wording.text,
        tokens=wording.tokens,
        overlap_start=wording.overlap_start,
        page_from=page_from,
        page_to=page_to,
        heading_path=units[0].element.heading_path,
        clauses=tuple(dict.fromkeys(number for number in clauses if number)),
        kind=_main_kind(units, (piece.start, piece.end)),
        boundary_score=piece.score if ordinal else None,
    )


def _pages(units: Sequence[Unit]) -> tuple[int | None, int | None]:
    first = [unit.element.page_from for unit in units if unit.element.page_from is not None]
    last = [unit.element.page_to for unit in units if unit.element.page_to is not None]
    return min(first, default=None), max(last, default=None)


def _main_kind(units: Sequence[Unit], span: Span) -> ElementKind:
    lengths: Counter[ElementKind] = Counter()
    for unit in units:
        lengths[unit.element.kind] += min(unit.end, span[1]) - max(unit.start, span[0])
    return lengths.most_common(1)[0][0]
