"""Tokens of Markdown to elements."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from itertools import pairwise
from typing import Any

from markdown_it.token import Token

from extraction.builder import DocumentBuilder
from extraction.html import append_html
from extraction.markdown.grammar import grammar
from extraction.markdown.inline import footnote_ids, inline_text
from extraction.markdown.tables import wide_rows
from extraction.plain.drawn_tables import read_drawn_table
from extraction.tables import LABEL_LENGTH, Cell, guess_header_rows, lay_out
from extraction.text import word_set
from rubrica.model import ElementKind

# What is left at the end of a heading: an anchor, or the stars by which Vue's pages mark two of their styles.
_ANCHOR = re.compile(r"\s*\{[#.:][^{}]*\}\s*$|\s+\*{1,2}\s*$")
_ALERT = re.compile(r"\[!(?P<kind>[\w|-]+)\][+-]?[ \t]*(?P<title>[^\n]*)")
_TASK = re.compile(r"\[(?P<mark>[ xX])\]\s+")
_DIRECTIVE = re.compile(r"\{(?P<name>[\w:.-]+)\}[ \t]*(?P<argument>.*)")
_CAPTION = re.compile(r"(?:title|filename|caption)\s*=\s*(?:\"([^\"]+)\"|'([^']+)')")
_OPTION = re.compile(r"(?::[\w-]+:[^\n]*\n?)+|---\n.*?\n---\n", re.DOTALL)
_COMMENT = re.compile(r"\{\s*/\*.*?\*/\s*\}", re.DOTALL)
_EXPRESSION_STRING = re.compile(r"\{\s*['\"]([^'\"{}]*)['\"]\s*\}")
# Directives of MyST whose content is Markdown.
_ADMONITIONS = word_set(
    "admonition attention caution danger error hint important note seealso tip warning versionadded"
    " versionchanged deprecated dropdown tab-item card grid grid-item grid-item-card tab-set epigraph margin"
    " sidebar topic aside exercise solution proof theorem lemma definition example remark glossary"
)
_STEERING = word_set(
    "toctree tableofcontents contents bibliography image include literalinclude raw highlight"
)
# What a title cannot be written in one element with.
_NO_PROSE = word_set(
    "heading_open bullet_list_open ordered_list_open fence code_block math_block math_block_label amsmath"
    " html_block table_open wide_table drawn_table title_end"
)
_MOST_NESTED = 4  # Markdown inside cells and directives is read by a parser of its own


class MarkdownWriter:
    """Turns the parser's flat list of tokens into elements."""

    def __init__(
        self, builder: DocumentBuilder, *, mdx: bool = False, nested: int = 0, title: str = ""
    ) -> None:
        """Write to a builder.

        Args:
            builder: Takes the elements.
            mdx: Whether the dialect is MDX.
            nested: How many parsers are at work around this one.
            title: What stands above the text, as an admonition's title does.
        """
        self._builder = builder
        self._mdx = mdx
        self._nested = nested
        self._environment: MutableMapping[str, Any] = {}
        self._lists: list[int | None] = []  # per open list the next number, None for bullets
        self._marker: str | None = None  # of the list item whose first block is awaited
        self._heading: int | None = None
        self._quotes = 0
        self._opens_quote = False
        self._title = title  # of the block that comes next
        self._footnotes = 0
        self._rows: list[list[str]] = []
        self._header_rows = 0
        self._in_table = False

    def write(self, text: str) -> None:
        """Read Markdown."""
        for token in grammar(mdx=self._mdx).parse(text, self._environment):
            if token.type in _NO_PROSE:
                self._write_title()
            handler = getattr(self, f"_on_{token.type}", None)
            if handler is not None:
                handler(token)
        self._write_title()

    # --- Running text ---

    def _on_inline(self, token: Token) -> None:
        children = token.children or []
        text = inline_text(children)
        if self._in_table:
            self._rows[-1].append(text)
        elif self._heading is not None and not self._quotes:
            self._builder.add(ElementKind.HEADING, _ANCHOR.sub("", text), level=self._heading)
        elif token.meta.get("title"):
            self._write_title()
            self._title = text
        else:
            self._block(self._without_alert(token, text))
        self._write_footnotes(children)

    def _write_footnotes(self, line: Sequence[Token]) -> None:
        """Write the footnotes whose text stands in a line, and those in their text."""
        for number in footnote_ids(line):
            note = self._environment["footnotes"]["list"][number]["tokens"]
            self._builder.add(ElementKind.FOOTNOTE, inline_text(note))
            self._write_footnotes(note)

    def _without_alert(self, token: Token, text: str) -> str:
        """A quotation that is an alert, as GitHub and Obsidian have it: only its title is text."""
        alert = _ALERT.match(token.content) if self._opens_quote else None
        self._opens_quote = False
        if alert is None:
            return text
        children = token.children or []
        end = next(
            (i for i, child in enumerate(children) if child.type in {"softbreak", "hardbreak"}), len(children)
        )
        self._title = _ALERT.sub(r"\g<title>", inline_text(children[:end])).strip()
        return inline_text(children[end + 1 :])

    def _write_title(self) -> None:
        """Write a title that no paragraph took: it stands above a list, a table, code, or nothing."""
        title, self._title = self._title, ""
        if not title:
            return
        if self._marker is not None or self._footnotes:
            self._block(title)
        else:
            self._builder.add(ElementKind.CAPTION, title)

    def _block(self, text: str) -> None:
        if self._title and text.strip():
            text, self._title = f"{self._title}\n{text}", ""
        if self._footnotes:
            self._builder.add(ElementKind.FOOTNOTE, text)
        elif self._marker is not None:
            text = _TASK.sub(lambda task: "☐ " if task["mark"] == " " else "☑ ", text, count=1)
            self._builder.add(ElementKind.LIST_ITEM, self._marker + text, level=len(self._lists))
            self._marker = None
        else:
            self._builder.add(ElementKind.PARAGRAPH, text)

    def _on_heading_open(self, token: Token) -> None:
        self._heading = int(token.tag[1])

    def _on_heading_close(self, _: Token) -> None:
        self._heading = None

    def _on_blockquote_open(self, _: Token) -> None:
        self._quotes += 1
        self._opens_quote = True

    def _on_blockquote_close(self, _: Token) -> None:
        self._quotes -= 1
        self._opens_quote = False

    def _on_footnote_reference_open(self, _: Token) -> None:
        self._footnotes += 1

    def _on_footnote_reference_close(self, _: Token) -> None:
        self._footnotes -= 1

    # --- Lists ---

    def _on_bullet_list_open(self, _: Token) -> None:
        self._lists.append(None)

    def _on_ordered_list_open(self, token: Token) -> None:
        start = token.attrGet("start")
        self._lists.append(1 if start is None else int(start))

    def _on_bullet_list_close(self, _: Token) -> None:
        self._lists.pop()

    _on_ordered_list_close = _on_bullet_list_close

    def _on_list_item_open(self, _: Token) -> None:
        number = self._lists[-1]
        self._marker = "" if number is None else f"{number}. "
        if number is not None:
            self._lists[-1] = number + 1

    def _on_list_item_close(self, _: Token) -> None:
        self._marker = None

    # --- Code, formulas, HTML ---

    def _on_fence(self, token: Token) -> None:
        directive = _DIRECTIVE.match(token.info.strip())
        if directive and not directive["name"].startswith("."):
            self._directive(directive, token.content)
            return
        caption = _CAPTION.search(token.info)
        if caption:
            self._builder.add(ElementKind.CAPTION, caption[1] or caption[2])
        is_formula = token.info.strip().lower() in {"math", "latex math", "tex math"}
        self._builder.add(ElementKind.FORMULA if is_formula else ElementKind.CODE, token.content)

    def _on_code_block(self, token: Token) -> None:
        self._builder.add(ElementKind.CODE, token.content)

    def _on_math_block(self, token: Token) -> None:
        self._builder.add(ElementKind.FORMULA, token.content)

    _on_math_block_label = _on_amsmath = _on_math_block

    def _directive(self, directive: re.Match[str], content: str) -> None:
        """Read a fence that is a directive of MyST."""
        name = directive["name"]
        options = _OPTION.match(content)
        content = content[options.end() :] if options else content
        if name in _STEERING:
            return
        if name == "math":
            self._builder.add(ElementKind.FORMULA, content)
        elif (name in _ADMONITIONS or name in {"figure", "table"}) and self._nested < _MOST_NESTED:
            argument = directive["argument"] if name != "figure" else ""
            self._inner(self._builder, content, title=self._line(argument))
        else:
            self._builder.add(ElementKind.CODE, content)

    def _inner(self, builder: DocumentBuilder, text: str, title: str = "") -> None:
        MarkdownWriter(builder, mdx=self._mdx, nested=self._nested + 1, title=title).write(text)

    def _line(self, text: str) -> str:
        tokens = grammar(mdx=self._mdx).parseInline(text.strip(), {})
        return "".join(inline_text(token.children or []) for token in tokens)

    def _on_html_block(self, token: Token) -> None:
        markup = _EXPRESSION_STRING.sub(r"\1", _COMMENT.sub("", token.content))
        append_html(self._builder, markup)

    # --- Tables ---

    def _on_table_open(self, _: Token) -> None:
        self._in_table, self._rows, self._header_rows = True, [], 0

    def _on_tr_open(self, _: Token) -> None:
        self._rows.append([])

    def _on_thead_close(self, _: Token) -> None:
        self._header_rows = len(self._rows)

    def _on_table_close(self, _: Token) -> None:
        self._in_table = False
        self._builder.add_table(self._rows, header_rows=self._header_rows)

    def _on_wide_table(self, token: Token) -> None:
        rows = list(_merged([[self._cell(cell) for cell in row] for row in wide_rows(token.content)]))
        grid = _filled_down(lay_out(rows))
        self._builder.add_table(grid, header_rows=guess_header_rows(grid))

    def _cell(self, source: str) -> str:
        if self._nested >= _MOST_NESTED or source.strip() in {">", "^"}:
            return source.strip()
        builder = DocumentBuilder()
        self._inner(builder, source.strip())
        return " ".join(builder.text.split())

    def _on_drawn_table(self, token: Token) -> None:
        table = read_drawn_table(token.content.split("\n"))
        if table is None:
            self._builder.add(ElementKind.CODE, token.content)
        else:
            self._builder.add_table(table.rows, header_rows=table.header_rows)


def _merged(rows: Sequence[Sequence[str]]) -> Iterator[list[Cell]]:
    """Cells of YFM: ``>`` belongs to the cell before it, ``^`` to the one above."""
    for row in rows:
        cells: list[Cell] = []
        for text in row:
            if text == ">" and cells:
                last = cells[-1]
                cells[-1] = Cell(last.text, last.colspan + 1)
            else:
                cells.append(Cell(text))
        yield cells


def _filled_down(grid: list[list[str]]) -> list[list[str]]:
    for above, row in pairwise(grid):
        for column, text in enumerate(row):
            if text == "^":
                row[column] = above[column] if len(above[column]) <= LABEL_LENGTH else ""
    return grid
