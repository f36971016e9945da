"""Markdown: CommonMark with tables, footnotes, front matter, definition lists and ``:::`` containers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.frontmatter import read_front_matter
from extraction.html import append_html
from extraction.result import Extracted
from rubrica.model import Attributes, ElementKind
from rubrica.settings import ExtractionSettings

# Where markdown-it would drop what is nested deeper, it shall fail instead.
_NO_SILENT_LIMIT = 100_000
_ANCHOR = re.compile(r"\s*\{#[^{}]*\}\s*$")
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_COMMENT = re.compile(r"\{/\*.*?\*/\}|<!--.*?-->", re.DOTALL)
# An ES module statement, alone in its paragraph, at the level of an MDX file.
_MDX_MODULE = re.compile(
    r"\s*(?:import\b.*\bfrom\b|import\s*['\"]|export\s+(?:const|default|function|let)\b)"
)
_MDX = (".mdx",)
_TEMPLATE_TAG = re.compile(r"\{%[^{}]*?%\}")
_QUOTED = re.compile(r"[\"«“]([^\"»”]+)[\"»”]")


def extract_markdown(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a Markdown or MDX file; front matter becomes attributes.

    Raises:
        CorruptDocumentError: The markup is nested deeper than can be read.
    """
    with reading("Markdown", ValueError):
        tokens = _parser().parse(decode(content))
        writer = _Writer(mdx=path.lower().endswith(_MDX))
        writer.write(tokens)
    title = writer.attributes.get("title", "")
    return Extracted.from_builder(
        writer.builder, title=title if isinstance(title, str) else "", attributes=writer.attributes
    )


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _NO_SILENT_LIMIT}).enable(["table", "strikethrough"])
    parser.use(front_matter_plugin).use(footnote_plugin).use(deflist_plugin)
    return parser.use(container_plugin, "block", validate=lambda *_: True)


class _Writer:
    """Turns the parser's flat list of tokens into elements."""

    def __init__(self, *, mdx: bool = False) -> None:
        self.builder = DocumentBuilder()
        self.attributes: Attributes = {}
        self._mdx = mdx
        self._lists: list[int | None] = []  # per open list the next number, None for bullets
        self._marker: str | None = None  # of the list item whose first block is awaited
        self._heading: int | None = None
        self._footnote = False
        self._rows: list[list[str]] = []
        self._header_rows = 0
        self._in_table = False

    def write(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            handler = getattr(self, f"_on_{token.type}", None)
            if handler is not None:
                handler(token)

    # --- Running text ---

    def _on_inline(self, token: Token) -> None:
        text = _inline_text(token.children or [])
        if self._in_table:
            self._rows[-1].append(text)
        elif self._heading is not None:
            self.builder.add(ElementKind.HEADING, _ANCHOR.sub("", text), level=self._heading)
        elif not (self._mdx and not self._lists and _MDX_MODULE.match(token.content)):
            self._block(text)

    def _block(self, text: str) -> None:
        if self._footnote:
            self.builder.add(ElementKind.FOOTNOTE, text)
        elif self._marker is not None:
            self.builder.add(ElementKind.LIST_ITEM, self._marker + text, level=len(self._lists))
            self._marker = None
        else:
            self.builder.add(ElementKind.PARAGRAPH, text)

    def _on_heading_open(self, token: Token) -> None:
        self._heading = int(token.tag[1])

    def _on_heading_close(self, _: Token) -> None:
        self._heading = None

    def _on_footnote_open(self, _: Token) -> None:
        self._footnote = True

    def _on_footnote_close(self, _: Token) -> None:
        self._footnote = False

    def _on_container_block_open(self, token: Token) -> None:
        _, _, title = token.info.strip().partition(" ")  # the first word is the container's kind
        if title:
            self._block(title)

    # --- Lists ---

    def _on_bullet_list_open(self, _: Token) -> None:
        self._lists.append(None)

    def _on_ordered_list_open(self, token: Token) -> None:
        self._lists.append(int(token.attrGet("start") or 1))

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

    # --- Code, HTML, tables, front matter ---

    def _on_fence(self, token: Token) -> None:
        self.builder.add(ElementKind.CODE, token.content)

    _on_code_block = _on_fence

    def _on_html_block(self, token: Token) -> None:
        append_html(self.builder, _COMMENT.sub("", token.content))

    def _on_table_open(self, _: Token) -> None:
        self._in_table, self._rows, self._header_rows = True, [], 0

    def _on_tr_open(self, _: Token) -> None:
        self._rows.append([])

    def _on_thead_close(self, _: Token) -> None:
        self._header_rows = len(self._rows)

    def _on_table_close(self, _: Token) -> None:
        self._in_table = False
        self.builder.add_table(self._rows, header_rows=self._header_rows)

    def _on_front_matter(self, token: Token) -> None:
        attributes = read_front_matter(token.content)
        if attributes is None:
            self.builder.add(ElementKind.CODE, token.content)
        else:
            self.attributes = attributes


def _inline_text(tokens: Sequence[Token]) -> str:
    text = _COMMENT.sub("", "".join(map(_inline_part, tokens)))
    return _TEMPLATE_TAG.sub(lambda tag: " ".join(_QUOTED.findall(tag[0])), text)


def _inline_part(token: Token) -> Any:
    match token.type:
        case "text" | "code_inline":
            return token.content
        case "softbreak":
            return " "
        case "hardbreak":
            return "\n"
        case "image":
            return _inline_text(token.children or [])
        case "html_inline":
            return "\n" if _BREAK_TAG.match(token.content) else ""
        case _:
            return ""
