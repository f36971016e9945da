"""Assembles a document's text and elements so that their offsets always agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from extraction.numbering import Passage, number_clauses
from extraction.tables import fits, in_one_cell
from extraction.text import clean, clean_block, clean_line, drop_soft_hyphens
from rubrica.model import BBox, Element, ElementKind

CELL_SEPARATOR = " | "
_ONE_LINE = frozenset({ElementKind.TITLE, ElementKind.HEADING})
_HAS_CLAUSE = frozenset(
    {ElementKind.TITLE, ElementKind.HEADING, ElementKind.PARAGRAPH, ElementKind.LIST_ITEM}
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where on the pages an element stands."""

    page_from: int | None = None
    page_to: int | None = None
    bbox: BBox | None = None


NOWHERE = Place()


class DocumentBuilder:
    """Collects elements in reading order.

    Elements are separated by a blank line, list items that follow each other by a newline. Text is
    cleaned on the way in; an element whose text is blank is dropped.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._elements: list[Element] = []
        self._headings: list[tuple[int, str]] = []
        self._numbered: tuple[Element, ...] = ()  # the elements as they were last asked for
        self._unnumbered: set[int] = set()  # elements of which the format knows that they open no clause

    @property
    def elements(self) -> tuple[Element, ...]:
        """The elements so far, with the clauses that the numbering of all of them shows."""
        if len(self._numbered) != len(self._elements):
            text = self.text
            clauses = number_clauses([self._passage(i, text) for i in range(len(self._elements))])
            self._numbered = tuple(
                replace(element, clause=clauses[i]) if i in clauses else element
                for i, element in enumerate(self._elements)
            )
        return self._numbered

    def _passage(self, index: int, text: str) -> Passage:
        element = self._elements[index]
        if element.kind not in _HAS_CLAUSE or index in self._unnumbered:
            return Passage("", silent=True)
        return Passage(
            text[element.start : element.end],
            heading=element.kind in _ONE_LINE,
            known=element.clause,
            listed=element.kind is ElementKind.LIST_ITEM,
        )

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)

    def add(
        self,
        kind: ElementKind,
        text: str,
        *,
        level: int | None = None,
        place: Place = NOWHERE,
        clause: str | None = None,
        inside: Sequence[str] = (),
    ) -> None:
        """Append an element of running text.

        Args:
            kind: Any kind but a table.
            text: Its text; white space is folded, in code it is kept.
            level: Depth of a heading (1 at the top) or list item.
            place: Pages and box.
            clause: Clause number, where the format knows it, or "" where it knows that there is none;
                else it is looked for in the end.
            inside: What it is in below the headings: the signatures of the definitions around code.
        """
        text = drop_soft_hyphens(text)
        if kind is ElementKind.CODE:
            body = clean(text).strip("\n").rstrip()
        else:
            body = clean_line(text) if kind in _ONE_LINE else clean_block(text)
        if not body.strip():
            return
        if kind is ElementKind.HEADING:
            level = level or 1
            while self._headings and self._headings[-1][0] >= level:
                self._headings.pop()
        if clause == "":
            self._unnumbered.add(len(self._elements))
        self._append(kind, body, place, level=level, clause=clause or None, inside=inside)
        if kind is ElementKind.HEADING and level is not None:
            self._headings.append((level, body))

    def extend(self, text: str, elements: Sequence[Element]) -> None:
        """Append what another builder made, below no heading of this one.

        Args:
            text: The other's text.
            elements: The other's elements.
        """
        self._headings.clear()
        for item in elements:
            place = Place(item.page_from, item.page_to, item.bbox)
            if item.kind is ElementKind.TABLE:
                self.add_table(item.rows, header_rows=item.header_rows, place=place)
            else:
                part = text[item.start : item.end]
                self.add(item.kind, part, level=item.level, place=place, clause=item.clause or "")

    def add_table(
        self, rows: Sequence[Sequence[str]], *, header_rows: int = 0, place: Place = NOWHERE
    ) -> None:
        """Append a table.

        Args:
            rows: Cells, row by row; blank rows are dropped and short rows filled up. Where that would
                make millions of cells, each row becomes a single one.
            header_rows: How many of the first rows are the header.
            place: Pages and box.
        """
        cleaned = [tuple(clean_line(drop_soft_hyphens(cell)) for cell in row) for row in rows]
        width = max((len(row) for row in cleaned), default=0)
        if not fits(len(cleaned), width, sum(map(len, cleaned))):
            cleaned, width = [(in_one_cell(row),) for row in cleaned], 1
        kept = [(i, row + ("",) * (width - len(row))) for i, row in enumerate(cleaned) if any(row)]
        if not kept:
            return
        body = "\n".join(CELL_SEPARATOR.join(row) for _, row in kept)
        headers = sum(1 for i, _ in kept if i < header_rows)
        table = tuple(row for _, row in kept)
        self._append(ElementKind.TABLE, body, place, rows=table, header_rows=headers)

    def _append(
        self,
        kind: ElementKind,
        body: str,
        place: Place,
        *,
        level: int | None = None,
        clause: str | None = None,
        rows: tuple[tuple[str, ...], ...] = (),
        header_rows: int = 0,
        inside: Sequence[str] = (),
    ) -> None:
        self._separate(kind)
        start = self._length
        self._push(body)
        self._elements.append(
            Element(
                kind=kind,
                start=start,
                end=self._length,
                level=level,
                heading_path=(*(text for _, text in self._headings), *map(clean_line, inside)),
                clause=clause,
                page_from=place.page_from,
                page_to=place.page_to,
                bbox=place.bbox,
                rows=rows,
                header_rows=header_rows,
            )
        )

    def _separate(self, kind: ElementKind) -> None:
        if self._elements:
            both = kind is ElementKind.LIST_ITEM and self._elements[-1].kind is kind
            self._push("\n" if both else "\n\n")

    def _push(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
