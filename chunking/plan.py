"""Everything about one document that its chunks depend on, the scores aside."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from chunking.context import ContextLine
from chunking.fragments import Fits, fragment
from chunking.partition.layout import Layout
from chunking.rules import CutRules, Severity, free_rules, structure_rules
from chunking.tokens import TokenBudget
from chunking.units import Span, Unit, UnitSplitter
from rubrica.model import Document, ElementKind

# Context and overlap leave at least this part of a chunk's room to its body.
_LEAST_BODY = 3
# A header that takes more than this part of the room is not repeated.
_MOST_HEADER = 2
# The first part of a long unit stays with the headings before it where this part of a chunk is left for it.
_LEAST_BESIDE = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """One document, ready to be partitioned.

    Attributes:
        document: The document.
        units: Its units, each short enough for one chunk.
        rules: What the structure says about the cuts.
        layout: The same in tokens, for the partition.
        context: Per unit, the context line of a chunk that starts there.
        headers: Per unit, the span of the table header that a chunk starting there repeats.
    """

    document: Document
    units: Sequence[Unit]
    rules: CutRules
    layout: Layout
    context: Sequence[str]
    headers: Sequence[Span | None]

    def header_before(self, unit: int) -> str:
        """The table header that a chunk starting at ``unit`` repeats; empty where there is none."""
        span = self.headers[unit]
        return self.document.text[span[0] : span[1]] if span else ""

    def overlap_floor(self, unit: int, position: int) -> int:
        """First offset that an overlap may reach: in a table, what is repeated is not carried twice."""
        span = self.headers[unit]
        return min(span[1] + 1, position) if span else 0


class Planner:
    """Prepares documents for their partition."""

    def __init__(
        self,
        splitter: UnitSplitter,
        budget: TokenBudget,
        *,
        min_tokens: int,
        overlap: int,
        structure: bool,
        context_line: bool,
    ) -> None:
        """Set the limits.

        Args:
            splitter: Splits documents into units.
            budget: Token limit.
            min_tokens: Tokens that a body should have at least.
            overlap: Tokens of preceding text that a chunk is to carry.
            structure: Whether structure rules steer the cuts.
            context_line: Whether chunks carry a context line.
        """
        self._splitter = splitter
        self._budget = budget
        self._min_tokens = min_tokens
        self._overlap = overlap
        self._structure = structure
        self._contexts = ContextLine(budget) if context_line else None

    def plan(self, document: Document) -> Plan:
        """The plan of one document; without units where the document is blank."""
        measured = list(self._short_units(document))
        units = [unit for unit, _ in measured]
        offsets = list(accumulate((cost for _, cost in measured), initial=0))
        rules = (
            structure_rules(document, units, offsets, self._budget.room)
            if self._structure
            else free_rules(units)
        )
        headers = [self._header(document, unit) for unit in units]
        context = list(self._contexts_of(document, units, rules))
        layout = self._layout(document, offsets, rules, context, headers)
        return Plan(document, units, rules, layout, context, headers)

    def _layout(
        self,
        document: Document,
        offsets: list[int],
        rules: CutRules,
        context: list[str],
        headers: list[Span | None],
    ) -> Layout:
        header = [self._line_cost(document.text[span[0] : span[1]]) if span else 0 for span in headers]
        carried = [self._line_cost(line) + above for line, above in zip(context, header, strict=True)]
        least = _least_bodies(offsets, rules.severity, self._min_tokens) if self._overlap else offsets
        comfort = [
            self._comfort(lines, overlap=self._overlap if i else 0, least=least[i])
            for i, lines in enumerate(carried)
        ]
        return Layout(
            offsets=offsets,
            severity=rules.severity,
            room=self._budget.room,
            comfort=comfort,
            header=header,
            min_tokens=self._min_tokens,
        )

    def _comfort(self, carried: int, *, overlap: int, least: int = 0) -> int:
        """Most tokens of a body beside what the chunk carries.

        Args:
            carried: Tokens of the lines above the body.
            overlap: Tokens of the text before it.
            least: Tokens of the shortest body; overlap gives way to it before the context line does.
        """
        room = self._budget.room
        beside = max(room - carried, room // _LEAST_BODY, 1)
        comfort = max(beside - overlap, room // _LEAST_BODY, 1)
        return max(comfort, least) if overlap and least <= beside else comfort

    def _line_cost(self, line: str) -> int:
        return self._budget.cached_cost(line + "\n") if line else 0

    def _contexts_of(self, document: Document, units: Sequence[Unit], rules: CutRules) -> Iterator[str]:
        last: tuple[object, ...] = ()
        line = ""
        for unit, *place in zip(units, rules.continued, rules.announced, rules.clauses, strict=True):
            # Where units are words, nearly all say what the one before them does.
            key = (id(unit.element), unit.opens, unit.heading and unit.start, *place)
            if key != last:
                last, line = key, self._context(document, unit, *place)
            yield line

    def _context(
        self,
        document: Document,
        unit: Unit,
        continued: str | None = None,
        announced: str | None = None,
        within: str | None = None,
    ) -> str:
        if self._contexts is None:
            return ""
        return self._contexts.of(document, unit, continued, announced, within=within)

    def _header(self, document: Document, unit: Unit) -> Span | None:
        if unit.element.kind is not ElementKind.TABLE or not unit.row:
            return None
        room = self._budget.room // _MOST_HEADER
        if min(unit.element.header_rows, unit.row) > room:  # a row takes a token at least
            return None
        span = header_span(document.text, unit)
        if span is None:
            return None
        cost = self._line_cost(document.text[span[0] : span[1]])
        return span if cost <= room else None

    # --- Units ---------------------------------------------------------------------------------

    def _short_units(self, document: Document) -> Iterator[tuple[Unit, int]]:
        """The document's units, those too long for a chunk cut up, each with its tokens."""
        units = self._splitter.split(document)
        chain = 0
        for unit, counted in zip(units, self._costs(document, units), strict=True):
            cost = counted
            if cost > self._budget.room:
                cost = self._budget.cost(document.text[unit.start : unit.end])
            if cost > self._budget.room:
                yield from self._fragments(document, unit, chain)
            else:
                yield unit, cost
            chain = chain + cost if self._structure and _announces(unit) else 0

    def _costs(self, document: Document, units: Sequence[Unit]) -> list[int]:
        """Tokens of each unit, with the blanks before it: some tokenizers spend tokens on those."""
        starts = [units[0].start, *(unit.end for unit in units[:-1])] if units else []
        spans = zip(starts, (unit.end for unit in units), strict=True)
        return self._budget.costs([document.text[start:end] for start, end in spans])

    def _fragments(self, document: Document, unit: Unit, chain: int) -> Iterator[tuple[Unit, int]]:
        """Cut a unit up, the first part short enough to stay with the headings above it.

        Args:
            document: The document.
            unit: The unit.
            chain: Tokens of the headings, or header rows, directly before it.
        """
        text = document.text
        carried = self._line_cost(self._context(document, unit, unit.element.clause))
        header = self._header(document, unit)
        carried += self._line_cost(text[header[0] : header[1]]) if header else 0
        comfort = self._comfort(carried, overlap=self._overlap)
        beside = comfort - chain if chain <= comfort - comfort // _LEAST_BESIDE else comfort
        start, cut = next(fragment(text, (unit.start, unit.end), self._within(beside)))
        yield Unit(start, cut, unit.element, unit.row, unit.opens), self._budget.cost(text[start:cut])
        for start, end in fragment(text, (cut, unit.end), self._within(comfort)):
            part = Unit(start, end, unit.element, unit.row, opens=False, fragment=True)
            yield part, self._budget.cost(text[start:end])

    def _within(self, most: int) -> Fits:
        return lambda text: self._budget.cost(text) <= most


def _least_bodies(offsets: Sequence[int], severity: Sequence[Severity], min_tokens: int) -> list[int]:
    """Per unit, tokens of the shortest body from there on that breaks no rule and is no fragment."""
    size = len(offsets) - 1
    ends = [size] * (size + 1)
    for stop in range(size - 1, 0, -1):
        ends[stop] = stop if severity[stop - 1] <= Severity.FREE else ends[stop + 1]
    stops = (bisect_left(offsets, offsets[i] + min_tokens, i + 1) for i in range(size))
    return [offsets[ends[min(stop, size)]] - offsets[i] for i, stop in enumerate(stops)]


def _announces(unit: Unit) -> bool:
    """Whether a unit must not part from the next: a heading, a table's header row."""
    return unit.heading or (
        unit.element.kind is ElementKind.TABLE
        and unit.row is not None
        and unit.row < unit.element.header_rows
    )


def header_span(text: str, unit: Unit) -> Span | None:
    """Where the header rows above ``unit`` stand in its table's text; ``None`` where there are none."""
    if unit.element.kind is not ElementKind.TABLE:
        return None
    lines = min(unit.element.header_rows, unit.row or 0)
    end = unit.element.start - 1
    for _ in range(lines):
        end = text.find("\n", end + 1, unit.element.end)
        if end < 0:
            return None
    return (unit.element.start, end) if lines else None
