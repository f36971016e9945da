"""Containers in Markdown: ``:::`` (Docusaurus, VitePress, Pandoc), ``!!!`` and ``===`` (MkDocs).

What they hold is read as if they were not there; only their titles are added.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from extraction.markdown.blocks import (
    INTERRUPTS,
    line_text,
    lines_until,
    push_end,
    push_paragraph,
    push_title,
    push_verbatim,
)
from extraction.markdown.scan import shown_attributes

_COLONS = re.compile(
    r":::+[ \t]*(?P<kind>\{[^{}]*\}|[\w.-]+)?(?:\[(?P<label>[^\[\]]*)\])?[ \t]*"
    r"(?P<attributes>\{[^{}]*\})?[ \t]*(?P<title>.*?)[ \t]*:*"
)
_LEAF = re.compile(r"::[\w-]+(?:\[(?P<label>[^\[\]]*)\])?(?:\{(?P<attributes>[^{}]*)\})?")
_INDENTED = re.compile(
    r"(?:(?:!!!|\?\?\?\+?)[ \t]*[\w-][\w \t-]*(?:\"(?P<a>.*)\")?|===[+!]?[ \t]+\"(?P<b>.*)\")[ \t]*"
)
_YAML = frozenset({"page-constructor"})
_INDENT = 4


def containers_plugin(parser: MarkdownIt) -> None:
    """Teach a parser containers."""
    parser.block.ruler.before("fence", "colon_container", _colons, INTERRUPTS)
    parser.block.ruler.before("fence", "indented_container", _indented, INTERRUPTS)


def _colons(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    text = line_text(state, start)
    mark = _COLONS.fullmatch(text.rstrip()) if text.startswith(":::") else None
    leaf = None if mark or not text.startswith("::") else _LEAF.fullmatch(text.rstrip())
    if mark is None and leaf is None:
        return False
    if silent:
        return True
    state.line = start + 1
    if leaf:
        push_paragraph(state, leaf["label"] or "", (start, start + 1))
        return True
    title = _title(mark) if mark else ""
    if not title:
        push_end(state)
    push_title(state, title, (start, start + 1))
    if mark and mark["kind"] in _YAML:
        close = lines_until(state, start + 1, end, ":::")
        push_verbatim(state, "code_block", start + 1, close)
        state.line = min(close + 1, end)
    return True


def _title(mark: re.Match[str]) -> str:
    kind = mark["kind"] or ""
    name = [kind] if "." in kind.strip("{}. ") and not kind.startswith("{") else []  # mkdocstrings: an object
    stated = shown_attributes(f"{kind} {mark['attributes'] or ''}")
    return " ".join(filter(None, (*name, mark["label"], mark["title"], *stated)))


def _indented(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    text = line_text(state, start)
    mark = _INDENTED.fullmatch(text) if text.startswith(("!!!", "???", "===")) else None
    if mark is None:
        return False
    if silent:
        return True
    push_title(state, mark["a"] or mark["b"] or "", (start, start + 1))
    state.line = last = _content_end(state, start + 1, end)
    if last > start + 1:
        old = state.parentType, state.lineMax, state.blkIndent
        state.parentType, state.lineMax = "container", last
        state.blkIndent += _INDENT
        state.md.block.tokenize(state, start + 1, last)
        state.parentType, state.lineMax, state.blkIndent = old
        state.line = last
    push_end(state)
    return True


def _content_end(state: StateBlock, start: int, end: int) -> int:
    last = start
    for line in range(start, end):
        if state.isEmpty(line):
            continue
        if state.sCount[line] < state.blkIndent + _INDENT:
            break
        last = line + 1
    return last
