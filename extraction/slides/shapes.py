"""What shapes on slides hold: texts with their bullets, tables, charts, diagrams."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree
from pptx.oxml.ns import qn

from extraction.tables import Cell, guess_header_rows, lay_out

_MOST_CATEGORIES = 500
_NUMBERED = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})"}


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph of a shape; ``level`` is that of a list item, ``None`` for running text."""

    text: str
    level: int | None


def text_blocks(frame: Any, *, listed: bool) -> Iterator[TextBlock]:
    """The paragraphs of a shape.

    Args:
        frame: The shape's text frame.
        listed: Whether its paragraphs have bullets unless they say otherwise.
    """
    paragraphs = [paragraph for paragraph in frame.paragraphs if paragraph.text.strip()]
    numbers: dict[int, int] = {}
    for paragraph in paragraphs:
        level = paragraph.level
        numbers = {depth: number for depth, number in numbers.items() if depth <= level}
        bullet = _bullet(paragraph, listed=listed and len(paragraphs) > 1)
        if bullet is None:
            yield TextBlock(_text(paragraph), None)
            continue
        if bullet:
            numbers[level] = numbers.get(level, bullet.start - 1) + 1
            yield TextBlock(f"{bullet.written(numbers[level])} {_text(paragraph)}", level + 1)
        else:
            yield TextBlock(_text(paragraph), level + 1)


@dataclass(frozen=True, slots=True)
class _Numbering:
    pattern: str
    start: int
    letters: bool

    def written(self, number: int) -> str:
        return self.pattern.format(chr(ord("a") + (number - 1) % 26) if self.letters else number)

    def __bool__(self) -> bool:
        return bool(self.pattern)


_NO_NUMBERS = _Numbering("", 1, letters=False)


def _bullet(paragraph: Any, *, listed: bool) -> _Numbering | None:
    """How a paragraph is numbered; ``None`` where it is no item of a list."""
    properties = paragraph._p.pPr  # noqa: SLF001 (python-pptx has no name for bullets)
    if properties is not None:
        if properties.find(qn("a:buNone")) is not None:
            return None
        numbering = properties.find(qn("a:buAutoNum"))
        if numbering is not None:
            kind = numbering.get("type", "arabicPeriod")
            pattern = next((sign for name, sign in _NUMBERED.items() if kind.endswith(name)), "{}.")
            start = numbering.get("startAt", "1")
            return _Numbering(pattern, int(start) if start.isdecimal() else 1, kind.startswith("alpha"))
        if properties.find(qn("a:buChar")) is not None:
            return _NO_NUMBERS
    return _NO_NUMBERS if listed else None


def _text(paragraph: Any) -> str:
    return str(paragraph.text).replace("\v", "\n")


def frame_table(table: Any) -> tuple[list[list[str]], int]:
    """The texts of a table's cells and how many of the rows are its header."""
    rows = [
        [
            Cell(cell.text_frame.text, cell.span_width, cell.span_height)
            if cell.is_merge_origin
            else Cell(cell.text_frame.text)
            for cell in row.cells
            if not cell.is_spanned
        ]
        for row in table.rows
    ]
    grid = lay_out(rows)
    return grid, int(len(grid) > 1) if table.first_row else guess_header_rows(grid)


def chart_table(chart: Any) -> tuple[str, list[list[str]]]:
    """A chart's title, and its series as the columns of a table."""
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    series = [item for plot in chart.plots for item in plot.series]
    names = [str(name) for name in chart.plots[0].categories] if series else []
    columns = [[_number(value) for value in item.values] for item in series]
    length = min(max(map(len, (names, *columns)), default=0), _MOST_CATEGORIES)
    rows = [[_at(names, i), *(_at(column, i) for column in columns)] for i in range(length)]
    return title, [["", *(item.name for item in series)], *rows] if rows else []


def _at(values: list[str], index: int) -> str:
    return values[index] if index < len(values) else ""


def _number(value: Any) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def diagram_texts(shape: Any) -> Iterator[str]:
    """The texts of a SmartArt diagram, which stand in a part of their own."""
    reference = shape._element.find(f".//{{{_DIAGRAM}}}relIds")  # noqa: SLF001 (python-pptx reads no diagrams)
    if reference is None:
        return
    part = shape.part.related_part(reference.get(qn("r:dm")))
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(part.blob, parser=parser)
    for point in root.iter(f"{{{_DIAGRAM}}}pt"):
        text = " ".join(node.text or "" for node in point.iter(qn("a:t")))
        if text.strip():
            yield text


_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
