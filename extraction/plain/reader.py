"""Plain text: paragraphs between blank lines, lists, drawn tables, headings with care."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extraction.clauses import find_clause
from extraction.encoding import decode
from extraction.flow.blocks import Block, Look, Paragraph, Role, Table
from extraction.flow.writer import write_flow
from extraction.lines import BULLET, dedented, indent
from extraction.plain.drawn_tables import column_edges, read_drawn_table, read_spaced_table
from extraction.plain.pages import Line, split_lines
from extraction.plain.wrapping import Wrapping, joined, paragraphs
from extraction.result import Extracted
from extraction.text import clean
from rubrica.settings import ExtractionSettings

_UNDERLINE = re.compile(r"""([=\-~^"'`+*#.:_])\1{2,}\s*""")
_RULE = re.compile(r"\s*(?:[-=_*~.#+]\s?){5,}\s*|\s*[─━═]{3,}\s*")
_DRAWN = re.compile(r"[│┃║├┤┼┌┐└┘─━═╔╗╚╝╠╣╬]|\+[-=]{2,}[+-]|^\s*\|.*\|\s*$|-\+-|^\s*=+(?:\s+=+)+\s*$")
# A wiki's heading: as many signs of equality before the words as behind them, at times with spaces between.
_WIKI_HEADING = re.compile(r"\s*((?:=\s?){1,6})\s*([^=\s][^=]*?)\s*((?:\s?=){1,6})\s*")
_SECTION = re.compile(r"\s*(\d{1,2}(?:\.\d{1,2})*)\.?\s+[A-ZА-ЯЁ].*")
_SIGNS = re.compile(r"[{}()\[\];=<>\\|$#@&/]|::|->")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBERED = re.compile(
    r"(?:[A-ZА-Я]\.)?\d{1,3}(?:\.\d{1,3})*\.?\s+(?=[A-ZА-ЯЁ])|(?:Section|Chapter|Part)\s+\d"
)
_CONTENTS_LINE = re.compile(r"(?:\.\s?){4,}|…{2,}|\s\d+$")
_ENDS_SENTENCE = tuple(".;:,!?…")
_HEADING_LENGTH = 150
_TITLE_LINES = 3
_CENTRED = 12  # columns that a line stands off the margin


def extract_text(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read plain text; form feeds part its pages."""
    lines = [Line(clean(line.text).expandtabs(8), line.page) for line in split_lines(decode(content))]
    return Extracted.from_builder(write_flow(list(_Reader(lines).blocks())))


class _Reader:
    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._wrapping = Wrapping.of([line.text for line in lines])
        self._underlines: list[tuple[str, bool]] = []  # heading styles in order of appearance
        self._announced = False  # the block before ends with a colon

    def blocks(self) -> Iterator[Block]:
        """The text as blocks; what is a heading is told later."""
        for block in _between_blanks(self._lines):
            page = block[0].page
            texts = [line.text for line in block]
            yield from self._headed(texts, page)
            self._announced = texts[-1].rstrip().endswith(":")

    def _headed(self, lines: list[str], page: int | None) -> Iterator[Block]:
        """A block in which lines may be headings that no blank lines part from the rest."""
        start = i = 0
        while i < len(lines):
            heading, length = _wiki_heading(lines[i], page), 1
            if heading is None:
                heading, length = _section_heading(lines[i : i + _TITLE_LINES + 1], page)
            if heading:
                if start < i:
                    yield from self._block(lines[start:i], page)
                yield heading
                start = i + length
            i += length
        if start < len(lines):
            yield from self._block(lines[start:], page)

    def _block(self, lines: list[str], page: int | None) -> Iterator[Block]:
        taken, headings = self._underlined(lines, page)
        yield from headings
        lines = lines[taken:]
        if not lines:
            return
        laid_out = _table(lines, page) or self._code(lines, page)
        if laid_out:
            yield laid_out
            return
        parts = list(
            paragraphs([line for line in lines if not _RULE.fullmatch(line)] or [""], self._wrapping)
        )
        for part in parts:
            yield self._paragraph(part, page, alone=len(parts) == 1)

    def _underlined(self, lines: Sequence[str], page: int | None) -> tuple[int, list[Block]]:
        """The underlined headings at the top of a block, and how many lines they take."""
        found: list[Block] = []
        at = 0
        while len(lines) - at >= 2:
            over = len(lines) - at >= 3 and _is_line(lines[at]) and _is_line(lines[at + 2], lines[at + 1])
            title, line = (lines[at + 1], lines[at + 2]) if over else (lines[at], lines[at + 1])
            if not (over or (_is_line(line, title) and not _is_line(title) and _WORD.search(title))):
                break
            style = (line.strip()[0], over)
            if style not in self._underlines:
                self._underlines.append(style)
            level = self._underlines.index(style) + 1
            found.append(Paragraph(title.strip(), Role.HEADING, level, page=page))
            at += 3 if over else 2
        return at, found

    def _code(self, lines: Sequence[str], page: int | None) -> Block | None:
        """Lines whose layout must stay: columns, drawings, code."""
        text = dedented(lines)
        if len(lines) >= 2 and (_is_drawing(lines) or len(column_edges(lines)) >= 3 or self._is_code(lines)):
            return Paragraph(text, Role.CODE, page=page)
        return None

    def _is_code(self, lines: Sequence[str]) -> bool:
        if any(BULLET.match(line) for line in lines):
            return False
        signs = sum(len(_SIGNS.findall(line)) for line in lines)
        words = sum(len(_WORD.findall(line)) for line in lines)
        set_off = self._announced and min(map(indent, lines)) >= 2
        return signs * (2 if set_off else 1) > words and signs >= 3 * len(lines) / 2

    def _paragraph(self, lines: Sequence[str], page: int | None, *, alone: bool) -> Paragraph:
        text = joined(lines, self._wrapping)
        bullet = BULLET.match(lines[0])
        if bullet:
            text = BULLET.sub("", text, count=1)
            return Paragraph(text, label="", depth=indent(lines[0]) // 2 + 1, page=page)
        centred = self._wrapping.width > 0 and all(self._is_centred(line) for line in lines)
        # Plain text has no bold type; capitals or a number between blank lines stand for it.
        return Paragraph(text, look=Look(bold=alone and _stands_out(text), centred=centred), page=page)

    def _is_centred(self, line: str) -> bool:
        left, right = indent(line), self._wrapping.width - len(line.rstrip())
        return left >= _CENTRED and abs(left - right) <= max(left, right) / 2


def _between_blanks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    block: list[Line] = []
    for line in lines:
        if line.text.strip():
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


def _table(lines: Sequence[str], page: int | None) -> Table | None:
    drawn = any(map(_DRAWN.search, lines))
    table = read_drawn_table(lines) if drawn else read_spaced_table(lines)
    return Table(table.rows, table.header_rows, page) if table else None


def _stands_out(text: str) -> bool:
    """Whether a paragraph is set apart as a heading is: in capitals, or by a number before a few words."""
    if len(text) > _HEADING_LENGTH or text.endswith(_ENDS_SENTENCE) or _CONTENTS_LINE.search(text):
        return False
    numbered = _NUMBERED.match(text)
    return text.isupper() or (numbered is not None and find_clause(text, heading=True) is not None)


def _wiki_heading(line: str, page: int | None) -> Paragraph | None:
    match = _WIKI_HEADING.fullmatch(line) if "=" in line and len(line) <= _HEADING_LENGTH else None
    if match is None or not _WORD.search(match[2]):
        return None
    level = match[1].count("=")
    return Paragraph(match[2], Role.HEADING, level, page=page) if level == match[3].count("=") else None


def _section_heading(lines: Sequence[str], page: int | None) -> tuple[Paragraph | None, int]:
    """The title of a numbered section, told by its first clause below it; and how many lines it takes."""
    match = _SECTION.fullmatch(lines[0])
    if match is None:
        return None, 1
    opening = re.compile(rf"\s*{re.escape(match[1])}\.1\.?\s")
    length = next((i for i, line in enumerate(lines) if opening.match(line)), 0)
    title = " ".join(line.strip() for line in lines[:length])
    if not 0 < len(title) <= _HEADING_LENGTH or title.endswith(_ENDS_SENTENCE):
        return None, 1
    if any(line.rstrip().endswith((".", ";", ":")) or _CONTENTS_LINE.search(line) for line in lines[:length]):
        return None, 1
    return Paragraph(title, Role.HEADING, match[1].count(".") + 1, page=page), length


def _is_drawing(lines: Sequence[str]) -> bool:
    return sum(bool(_DRAWN.search(line)) for line in lines) * 2 > len(lines)


def _is_line(line: str, title: str = "") -> bool:
    match = _UNDERLINE.fullmatch(line)
    return bool(match) and len(line.rstrip()) >= len(title.rstrip())
