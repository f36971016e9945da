"""AsciiDoc, without its preprocessor: structure, lists, listings and simple tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.result import Extracted
from extraction.tables import guess_header_rows
from extraction.text import clean
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_HEADING = re.compile(r"(={1,6}|#{1,6})\s+(?P<text>\S.*)")
_ITEM = re.compile(r"\s*(?P<mark>\*{1,5}|\.{1,5}|-|<\d+>)\s+(?P<text>\S.*)")
_ATTRIBUTE = re.compile(r":(?P<name>[\w!-]+):(?:\s+(?P<value>.*))?$")
_SKIPPED = re.compile(r"\[[^\]]*\]$|//(?!/)|(?:ifn?def|ifeval|endif|include|toc|image|video)::")
_TITLE = re.compile(r"\.(?P<text>[^\s.].*)")
_VERBATIM = re.compile(r"-{4,}|\.{4,}|`{3,}.*")
_COMMENT = re.compile(r"/{4,}")
_FRAME = re.compile(r"={4,}|\*{4,}|_{4,}|\+{4,}|--|\+")
_TABLE = re.compile(r"[|,!]={3,}")
_CELL = re.compile(r"(?<!\\)(?:\d{1,3}(?:\.\d{1,3})?[+*])?[<^>.]{0,4}[a-z]?\|")
_LINK = re.compile(r"(?:link:|xref:|https?://|mailto:|\{[\w-]+\})[^\s\[\]]{0,2000}\[(?P<text>[^\]]*)\]")


def extract_asciidoc(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read an AsciiDoc file; what its preprocessor would include or leave out is read as it stands."""
    reader = _Reader(clean(decode(content)).split("\n"))
    reader.read()
    return Extracted.from_builder(reader.builder, attributes=reader.attributes)


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.builder = DocumentBuilder()
        self.attributes: dict[str, str] = {}
        self._lines = iter(lines)
        self._paragraph: list[str] = []
        self._level: int | None = None  # of the list item that the paragraph is

    def read(self) -> None:
        for line in self._lines:
            text = line.rstrip()
            if not text:
                self._flush()
            elif not (self._delimited(text) or self._marked(text)):
                self._paragraph.append(text)
        self._flush()

    def _delimited(self, line: str) -> bool:
        """Read a block between two delimiter lines, or pass over a delimiter."""
        if _COMMENT.fullmatch(line):
            self._flush()
            list(self._until(line))
        elif _VERBATIM.fullmatch(line):
            self._flush()
            end = line if line[0] != "`" else "`" * (len(line) - len(line.lstrip("`")))
            self.builder.add(ElementKind.CODE, "\n".join(self._until(end)))
        elif _TABLE.fullmatch(line):
            self._flush()
            self._table(list(self._until(line)))
        elif _FRAME.fullmatch(line):
            self._flush()
        else:
            return False
        return True

    def _until(self, end: str) -> Iterator[str]:
        for line in self._lines:
            if line.rstrip() == end:
                return
            yield line

    def _marked(self, line: str) -> bool:
        """Read a line whose first characters tell what it is."""
        if _SKIPPED.match(line):
            return True
        if not self._paragraph and (attribute := _ATTRIBUTE.match(line)):
            self.attributes[attribute["name"]] = attribute["value"] or ""
        elif heading := _HEADING.fullmatch(line):
            self._flush()
            self.builder.add(ElementKind.HEADING, _plain(heading["text"]), level=len(heading[1]))
        elif item := _ITEM.fullmatch(line):
            self._flush()
            self._level = len(item["mark"]) if item["mark"][0] in "*." else 1
            self._paragraph.append(item["text"])
        elif not self._paragraph and (title := _TITLE.fullmatch(line)):
            self.builder.add(ElementKind.CAPTION, _plain(title["text"]))
        else:
            return False
        return True

    def _flush(self) -> None:
        text = _plain("\n".join(self._paragraph))
        kind = ElementKind.PARAGRAPH if self._level is None else ElementKind.LIST_ITEM
        self.builder.add(kind, text, level=self._level)
        self._paragraph.clear()
        self._level = None

    def _table(self, lines: list[str]) -> None:
        rows: list[list[str]] = []
        for line in lines:
            head, *cells = _CELL.split(line)
            if rows and head.strip():
                rows[-1][-1] += " " + head.strip()
            if cells:
                rows.append([_plain(cell.strip()) for cell in cells])
        width = max(map(len, rows), default=0)
        if width > 1 and rows and len(rows[0]) == width:  # the first row tells how many columns there are
            cells = [cell for row in rows for cell in row]
            rows = [cells[start : start + width] for start in range(0, len(cells), width)]
        headers = guess_header_rows([row + [""] * (width - len(row)) for row in rows])
        self.builder.add_table(rows, header_rows=headers)


def _plain(text: str) -> str:
    return _LINK.sub(lambda match: match["text"] or match[0], text)
