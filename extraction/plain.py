"""Plain text and reStructuredText: paragraphs between blank lines, lists, headings with care."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extraction.builder import DocumentBuilder
from extraction.clauses import find_clause
from extraction.encoding import decode
from extraction.result import Extracted
from extraction.text import clean
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

BULLET = re.compile(r"\s*[-*+•◦▪·‣–—]\s+(?=\S)")
_NUMBER = re.compile(r"\s*(?:\d{1,3}|[a-zа-я])[.)]\s+(?=\S)")
_UNDERLINE = re.compile(r"""([=\-~^"'`+*#.:_])\1{2,}\s*""")
_NAMED_HEADING = re.compile(
    r"(?P<name>Раздел|Подраздел|Глава|Статья|Часть|Приложение|Section|Chapter|Article|Part|Appendix|Annex)"
    r"\s+(?:\d+(?:\.\d+)*|[IVXLC]+|[А-ЯA-Z])(?:[.:)]?\s|[.:]?$)"
)
_NAMED_LEVELS = {
    **dict.fromkeys(("раздел", "часть", "приложение", "section", "part", "appendix", "annex"), 1),
    **dict.fromkeys(("подраздел", "глава", "chapter"), 2),
    **dict.fromkeys(("статья", "article"), 3),
}
_DOT_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}")
_PAGE_NUMBER = re.compile(r"\s\d+$")
_ENDS_SENTENCE = tuple(".;:,!?…")
_LONG_LINE = 200  # hard-wrapped text has no longer lines: here each line is a paragraph
_HEADING_LENGTH = 150
_RST_NOISE = re.compile(
    r"\.\. (?:_[^:]*:|(?:code-block|code|sourcecode|highlight|toctree|contents|index|currentmodule)::)"
)


def extract_text(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read plain text or reStructuredText."""
    writer = _Writer(rst=path.lower().endswith(".rst"))
    writer.write(clean(decode(content)))
    return Extracted.from_builder(writer.builder)


class _Writer:
    def __init__(self, *, rst: bool) -> None:
        self.builder = DocumentBuilder()
        self._rst = rst
        self._underlines: list[tuple[str, bool]] = []  # heading styles in order of appearance
        self._literal = False  # the block before announced literal text

    def write(self, text: str) -> None:
        for block in split_blocks(text):
            if self._rst and self._rst_block(block):
                continue
            self._block(block)

    def _rst_block(self, block: list[str]) -> bool:
        if self._literal and all(line[:1].isspace() for line in block):
            self.builder.add(ElementKind.CODE, dedented(block))
            return True
        self._literal = block[-1].rstrip().endswith("::") or block[0].startswith((".. code", ".. source"))
        return bool(_RST_NOISE.match(block[0]))

    def _block(self, block: list[str]) -> None:
        block = self._take_underlined(block)
        if not block:
            return
        if len(block) == 1 and self._heading(block[0].strip()):
            return
        if max(map(len, block)) > _LONG_LINE:
            for line in block:
                self._lines([line])
        else:
            self._lines(block)

    def _take_underlined(self, block: list[str]) -> list[str]:
        """Write the headings that a line of punctuation marks; returns the lines that remain."""
        while len(block) >= 2:
            over = len(block) >= 3 and _is_line(block[0]) and _is_line(block[2], block[1])
            title, line = (block[1], block[2]) if over else (block[0], block[1])
            if not (over or (_is_line(line, title) and not _is_line(title))):
                break
            style = (line.strip()[0], over)
            if style not in self._underlines:
                self._underlines.append(style)
            self.builder.add(ElementKind.HEADING, title, level=self._underlines.index(style) + 1)
            block = block[3 if over else 2 :]
        return block

    def _heading(self, line: str) -> bool:
        """Write a line that stands alone as a heading or title, if it is one."""
        level = heading_level(line)
        if level is not None:
            self.builder.add(ElementKind.HEADING, line, level=level)
        elif not self.builder.elements and line.isupper() and len(line) <= _HEADING_LENGTH:
            self.builder.add(ElementKind.TITLE, line)
        else:
            return False
        return True

    def _lines(self, lines: Sequence[str]) -> None:
        numbered = sum(bool(_NUMBER.match(line)) for line in lines) >= 2
        for is_item, part in _split_items(lines, numbered=numbered):
            text = "\n".join(part)
            if is_item:
                text = BULLET.sub("", text, count=1)
                self.builder.add(ElementKind.LIST_ITEM, text, level=_indent(part[0]) // 2 + 1)
            else:
                self.builder.add(ElementKind.PARAGRAPH, text)


def split_blocks(text: str) -> Iterator[list[str]]:
    """The runs of lines between blank lines."""
    block: list[str] = []
    for line in text.split("\n"):
        if line.strip():
            block.append(line.expandtabs(4))
        elif block:
            yield block
            block = []
    if block:
        yield block


def dedented(lines: Sequence[str]) -> str:
    """Lines without their common indentation."""
    margin = min(map(_indent, lines), default=0)
    return "\n".join(line[margin:] for line in lines)


def heading_level(line: str) -> int | None:
    """Level of a line that stands alone and is numbered or named as a heading, else ``None``.

    Dates, quantities, lines of a table of contents and whole sentences are not headings.
    """
    if len(line) > _HEADING_LENGTH or _DOT_LEADER.search(line):
        return None
    named = _NAMED_HEADING.match(line)
    if named:
        return _NAMED_LEVELS[named["name"].lower()]
    clause = find_clause(line, heading=True)
    if clause is None or not clause[0].isdigit():
        return None
    if line.endswith(_ENDS_SENTENCE) or _PAGE_NUMBER.search(line):
        return None
    rest = line[line.index(clause) + len(clause) :].lstrip(".) ")
    return clause.count(".") + 1 if rest[:1].isupper() else None


def _split_items(lines: Sequence[str], *, numbered: bool) -> Iterator[tuple[bool, list[str]]]:
    part: list[str] = []
    is_item = False
    for line in lines:
        starts = bool(BULLET.match(line) or (numbered and _NUMBER.match(line)))
        if starts and part:
            yield is_item, part
            part = []
        is_item = is_item or starts
        part.append(line)
    if part:
        yield is_item, part


def _is_line(line: str, title: str = "") -> bool:
    match = _UNDERLINE.fullmatch(line)
    return bool(match) and len(line.rstrip()) >= len(title.rstrip())


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
