"""AsciiDoc to elements, line by line.

Blocks that hold blocks (examples, sidebars, quotations) are read as if their delimiters were not there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from extraction.asciidoc.inline import Inline
from extraction.asciidoc.lists import ITEM, TERM, Lists, item_text
from extraction.asciidoc.preprocess import ATTRIBUTE, set_attribute, substitute
from extraction.asciidoc.style import Style
from extraction.asciidoc.tables import TableOptions, read_table
from extraction.builder import DocumentBuilder
from extraction.html import append_html
from extraction.lines import dedented
from extraction.tables import guess_header_rows
from extraction.text import word_set
from rubrica.model import ElementKind

HEADING = re.compile(r"(?P<mark>={1,6}|#{1,6})\s+(?P<text>\S.*?)(?:\s+(?P=mark))?")
_UNDERLINE = re.compile(r"=+|-+|~+|\^+|\++")
_UNDERLINE_LEVELS = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
BRACKETS = re.compile(r"\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]")
ANCHOR = re.compile(r"\[\[(?P<id>[^\[\],]+)(?:,\s*(?P<text>[^\[\]]+))?\]\]")
TITLE = re.compile(r"\.(?P<text>[^\s.].*)")
_VERBATIM = re.compile(r"-{4,}|\.{4,}|`{3,}[^`]*|\+{4,}")
_FRAME = re.compile(r"={4,}|\*{4,}|_{4,}|--")
_TABLE = re.compile(r"[|,:!]={3,}")
_MACRO = re.compile(r"(?P<name>[a-z]+)::(?P<target>\S[^\[\]]*|)\[(?P<text>.*)\]")
_NOTHING = re.compile(r"'{3,}|<{3,}|-{3}|\*{3}|- - -|\* \* \*")
_CODE_STYLES = word_set("source listing literal plantuml mermaid ditaa graphviz console")
_FORMULA_STYLES = word_set("stem latexmath asciimath")
_MOST_NESTED = 3


class AsciidocReader:
    """Reads the lines of a document, or of a cell of a table."""

    def __init__(
        self,
        builder: DocumentBuilder,
        attributes: dict[str, str],
        titles: Mapping[str, str],
        *,
        nested: int = 0,
    ) -> None:
        """Read into a builder.

        Args:
            builder: Takes the elements.
            attributes: Those of the header; entries in the text are added.
            titles: Texts for references, by id.
            nested: How many readers are at work around this one.
        """
        self._builder = builder
        self._attributes = attributes
        self._titles = titles
        self._nested = nested
        self._inline = Inline(attributes, titles)
        self._lines: Sequence[str] = ()
        self._at = 0
        self._paragraph: list[str] = []
        self._item: tuple[int, str, int] | None = None  # level, mark and number of the item being read
        self._lists = Lists()
        self._attached = False  # a line ``+`` ties what follows to the item before it
        self._style = Style()
        self._sources: dict[str, str] = {}  # whom the quotation that a delimiter closes is from

    def read(self, lines: Sequence[str]) -> None:
        """Read lines that the preprocessor has been through."""
        self._lines, self._at = lines, 0
        while (line := self._next()) is not None:
            if not line.strip():
                self._flush()
            elif not self._block(line):
                self._paragraph.append(line)
        self._flush()

    def _next(self) -> str | None:
        if self._at >= len(self._lines):
            return None
        self._at += 1
        return self._lines[self._at - 1]

    def _until(self, end: str) -> list[str]:
        """The lines up to one that is ``end``."""
        start = self._at
        while (line := self._next()) is not None:
            if line.rstrip() == end:
                return list(self._lines[start : self._at - 1])
        return list(self._lines[start:])

    def _block(self, line: str) -> bool:
        """Read what begins with ``line``; returns whether it is no running text."""
        if self._paragraph:
            return self._interrupting(line)
        return any(
            read(line)
            for read in (self._delimited, self._steering, self._heading, self._list_item, self._styled)
        )

    def _interrupting(self, line: str) -> bool:
        """What needs no blank line before it."""
        if line == "+" and self._item is not None:
            self._flush()
            self._attached = True
            return True
        in_list = self._item is not None and (ITEM.fullmatch(line) or TERM.fullmatch(line))
        if in_list or any(pattern.fullmatch(line) for pattern in (_VERBATIM, _FRAME, _TABLE, BRACKETS)):
            self._flush()
            return self._block(line)
        return False

    def _flush(self) -> None:
        """Write the paragraph or list item that is at its end."""
        if not self._paragraph:
            return
        lines, self._paragraph = self._paragraph, []
        keeps_lines = self._style.name == "verse" or "hardbreaks" in self._style.options
        text = self._text(lines, keeps_lines=keeps_lines)
        if self._item is not None:
            level, mark, number = self._item
            self._builder.add(ElementKind.LIST_ITEM, item_text(mark, number, text), level=level)
            self._item = None
        else:
            self._begin()
            self._builder.add(ElementKind.PARAGRAPH, text)
        self._footnotes()
        self._style = Style()

    def _begin(self) -> None:
        """Note that a block begins: it ends the lists before it, unless it is tied to their last item."""
        if not self._attached:
            self._lists.close()
        self._attached = False

    def _text(self, lines: Sequence[str], *, keeps_lines: bool = False) -> str:
        parts = [line.strip() for line in lines]
        broken = [
            part[:-2] + "\n" if part.endswith(" +") else part + (" ", "\n")[keeps_lines] for part in parts
        ]
        return self._inline.text("".join(broken).strip())

    def _footnotes(self) -> None:
        for note in self._inline.footnotes:
            self._builder.add(ElementKind.FOOTNOTE, note)
        self._inline.footnotes.clear()

    # --- Blocks between delimiters ---

    def _delimited(self, line: str) -> bool:
        line = line.rstrip()
        is_code = line == "--" and self._style.name in _CODE_STYLES | _FORMULA_STYLES
        if _VERBATIM.fullmatch(line) or is_code:
            self._begin()
            self._verbatim(line)
        elif _TABLE.fullmatch(line):
            self._begin()
            self._table(line[0], self._until(line))
        elif _FRAME.fullmatch(line):
            self._begin()
            self._frame(line)
        else:
            return False
        self._style = Style()
        return True

    def _verbatim(self, line: str) -> None:
        end = "`" * (len(line) - len(line.lstrip("`"))) if line.startswith("`") else line
        text = "\n".join(self._until(end))
        if "attributes" in self._style.named.get("subs", ""):
            text = substitute(text, self._attributes)
        if self._style.name in _FORMULA_STYLES:
            self._builder.add(ElementKind.FORMULA, text)
        elif line.startswith("+"):
            append_html(self._builder, text)
        else:
            self._builder.add(ElementKind.CODE, text)

    def _frame(self, line: str) -> None:
        source = self._sources.pop(line, "")
        if source:
            self._builder.add(ElementKind.PARAGRAPH, f"— {source}")
        elif self._style.name in {"quote", "verse"} and self._style.values:
            self._sources[line] = self._inline.text(", ".join(self._style.values))
        if self._style.name == "verse":
            verse = self._text(self._until(line), keeps_lines=True)
            self._builder.add(ElementKind.PARAGRAPH, verse)
            self._at -= 1  # the delimiter once more, for whom it is from
            self._style = Style()

    def _table(self, mark: str, lines: list[str]) -> None:
        style = self._style
        header = True if "header" in style.options else False if "noheader" in style.options else None
        formats = {",": "csv", ":": "dsv"}
        options = TableOptions(
            cols=style.named.get("cols", ""),
            header=header,
            style=style.named.get("format", formats.get(mark, "psv")),
            separator=style.named.get("separator", "!" if mark == "!" else "|")[:1] or "|",
        )
        grid, headers = read_table(lines, options, self._cell)
        if not headers and header is None:
            headers = guess_header_rows(grid)
        self._builder.add_table(grid, header_rows=headers)
        self._footnotes()

    def _cell(self, source: str, style: str) -> str:
        if style == "l":
            return source
        if style == "a" and self._nested < _MOST_NESTED:
            inner = DocumentBuilder()
            reader = AsciidocReader(inner, dict(self._attributes), self._titles, nested=self._nested + 1)
            reader.read(source.split("\n"))
            return " ".join(inner.text.split())
        return self._inline.text(" ".join(source.split()))

    # --- Lines that steer ---

    def _steering(self, line: str) -> bool:
        if entry := ATTRIBUTE.match(line):
            set_attribute(self._attributes, entry)
        elif ANCHOR.fullmatch(line) or _NOTHING.fullmatch(line):
            pass
        elif brackets := BRACKETS.fullmatch(line):
            self._style.add(brackets["text"])
        elif title := TITLE.fullmatch(line):
            self._builder.add(ElementKind.CAPTION, self._inline.text(title["text"]))
        elif line == "+":
            self._attached = self._lists.any_open
        elif macro := _MACRO.fullmatch(line):
            self._block_macro(macro)
        else:
            return False
        return True

    def _block_macro(self, macro: re.Match[str]) -> None:
        self._begin()
        if macro["name"] == "image":
            self._builder.add(ElementKind.PARAGRAPH, self._inline.text(f"image:x[{macro['text']}]"))
        elif macro["name"] in _FORMULA_STYLES:
            self._builder.add(ElementKind.FORMULA, macro["text"])
        self._style = Style()

    def _heading(self, line: str) -> bool:
        heading = HEADING.fullmatch(line.rstrip())
        if heading:
            self._add_heading(heading["text"], len(heading["mark"]))
            return True
        below = self._lines[self._at] if self._at < len(self._lines) else ""
        if not _UNDERLINE.fullmatch(below) or len(below) < 3 or abs(len(below) - len(line.rstrip())) > 1:
            return False
        if not re.search(r"\w", line) or ITEM.fullmatch(line):
            return False
        self._at += 1
        self._add_heading(line, _UNDERLINE_LEVELS[below[0]])
        return True

    def _add_heading(self, text: str, level: int) -> None:
        self._attached = False
        self._begin()
        self._builder.add(ElementKind.HEADING, self._inline.text(text.strip()), level=level)
        self._footnotes()
        self._style = Style()

    # --- Lists and paragraphs ---

    def _list_item(self, line: str) -> bool:
        item = ITEM.fullmatch(line)
        term = None if item else TERM.fullmatch(line)
        if item:
            start = self._style.named.get("start", "")
            mark, text = item["mark"], item["text"]
            level, number = self._lists.enter(
                mark, start=int(start) if start.isdecimal() and len(start) < 9 else 1
            )
            self._item = (level, mark, number)
        elif term:
            level, _ = self._lists.enter(term["mark"])
            self._item = (level, "-", 1)
            text = f"{term['term']}: {term['text'] or ''}"
        else:
            return False
        self._attached = False
        self._paragraph.append(text)
        self._style = Style()
        return True

    def _styled(self, line: str) -> bool:
        """A paragraph that is code: by its style, or because it is indented."""
        is_formula = self._style.name in _FORMULA_STYLES
        if not (is_formula or self._style.name in _CODE_STYLES or line[0].isspace()):
            return False
        self._begin()
        lines = [line]
        while (below := self._next()) is not None and below.strip() and below != "+":
            lines.append(below)
        if below == "+":
            self._at -= 1
        self._builder.add(ElementKind.FORMULA if is_formula else ElementKind.CODE, dedented(lines))
        self._style = Style()
        return True
