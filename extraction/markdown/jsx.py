"""MDX: modules, expressions and components in Markdown. Their text is kept, they are not."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from extraction.markdown.blocks import (
    INTERRUPTS,
    Searches,
    ends_line,
    line_start,
    line_text,
    push_end,
    push_paragraph,
    push_title,
    push_verbatim,
)
from extraction.markdown.scan import Tag, braces_end, find_tag, shown_attributes

_MODULE = re.compile(
    r"import\s+(?:type\s+)?(?:[\w$*{][^;'\"]{0,5000}?\sfrom\s+)?['\"]|import\s*\{[^{}]{0,5000}\}\s*from\b"
    r"|export\s+(?:default|const|let|var|function|async|class|type|interface|enum)\b|export\s*[{*]"
)
_MARKUP = re.compile(r"<(?P<name>table|pre|script|style|svg|h[1-6]|ul|ol|dl)(?=[\s/>])", re.IGNORECASE)
_ALWAYS_WHOLE = frozenset({"table", "pre", "script", "style", "svg"})
_COMMENT_START = re.compile(r"\{\s*/\*")
_COMMENT_END = re.compile(r"\*/\s*\}")
_MOST_COMMENT = 5000
_STRING = re.compile(r"\{\s*(?:'([^'\n]*)'|\"([^\"\n]*)\"|`([^`$]*)`)\s*\}")
_MOST_LINES = 5000  # of a module statement or an element
_MOST_EXPRESSION = 50_000  # characters
_MOST_INLINE = 1000
_SHORT = 60


def jsx_plugin(parser: MarkdownIt, *, mdx: bool) -> None:
    """Teach a parser components, and where the file is MDX, its modules and expressions too."""
    before = parser.block.ruler.before
    before("html_block", "whole_element", _whole_element, INTERRUPTS)
    parser.inline.ruler.before("backticks", "jsx_comment", _inline_comment)
    if mdx:
        before("fence", "mdx_module", _module)
        before("html_block", "mdx_expression", _expression, INTERRUPTS)
        before("html_block", "mdx_tags", _any_tags, INTERRUPTS)
        parser.disable("code")
        parser.block.ruler.at("paragraph", _paragraph)
        parser.inline.ruler.before("html_inline", "mdx_tag", _any_tag)
        parser.inline.ruler.before("backticks", "mdx_expression", _inline_expression)
    else:
        before("html_block", "component_tags", _component_tags, INTERRUPTS)
        parser.inline.ruler.before("html_inline", "component_tag", _component_tag)


# --- Blocks --------------------------------------------------------------------------------------


def _module(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``import`` and ``export`` up to the blank line after which no bracket is open."""
    if silent or state.level or state.sCount[start]:
        return False
    position = line_start(state, start)
    if not state.src.startswith(("import", "export"), position):
        return False
    if not _MODULE.match(state.src, position, state.eMarks[end - 1]):
        return False
    state.line = _module_end(state, start, end)
    return True


def _module_end(state: StateBlock, start: int, end: int) -> int:
    depth, first_blank = 0, None
    for line in range(start, min(end, start + _MOST_LINES)):
        text = line_text(state, line)
        if not text.strip():
            first_blank = first_blank or line
            if depth <= 0:
                return line
        depth += sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
    return end if depth <= 0 else first_blank or end


def _expression(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    position = line_start(state, start)
    if not state.src.startswith("{", position) or state.src.startswith(("{%", "{{"), position):
        return False
    searches = Searches(state.env, "expression")
    if searches.pointless:
        return False
    close = braces_end(state.src, position, min(state.eMarks[end - 1], position + _MOST_EXPRESSION))
    if close < 0:
        searches.failed()
    after = ends_line(state, start, end, close) if close > 0 else None
    if after is None:
        return False
    if not silent:
        state.line = after
    return True


def _paragraph(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """markdown-it's own rule, but for its exception of indented lines: in MDX indentation means nothing."""
    terminators = state.md.block.ruler.getRules("paragraph")
    old, state.parentType = state.parentType, "paragraph"
    line = start + 1
    while line < state.lineMax and not state.isEmpty(line):
        if state.sCount[line] >= 0 and any(rule(state, line, state.lineMax, True) for rule in terminators):
            break
        line += 1
    state.parentType = old
    state.line = line
    if not silent:
        push_paragraph(
            state, state.getLines(start, line, state.blkIndent, keepLastLF=False).strip(), (start, line)
        )
    return True


def _any_tags(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return _tags(state, start, end, silent=silent, every=True)


def _component_tags(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return not state.is_code_block(start) and _tags(state, start, end, silent=silent, every=False)


def _tags(state: StateBlock, start: int, end: int, *, silent: bool, every: bool) -> bool:
    """Tags that fill their lines; between them Markdown goes on."""
    position, limit = line_start(state, start), state.eMarks[end - 1]
    shown: list[str] = []
    tag = _tag_at(state.src, position, limit, every=every)
    first = last = tag
    while tag is not None:
        last = tag
        shown += [] if tag.closes else shown_attributes(tag.attributes)
        position = state.skipSpaces(tag.end)
        tag = _tag_at(state.src, position, limit, every=every)
    if first is None or last is None:
        return False
    after = ends_line(state, start, end, position)
    if after is None:
        # A tag around the rest of its line begins a paragraph of its own.
        return silent and state.src[state.eMarks[start] - 1] == ">"
    if not silent:
        state.line = after
        push = push_paragraph if last.closes or last.empty else push_title
        push(state, "\n".join(shown), (start, after))
        if last.closes:
            push_end(state)
    return True


def _tag_at(text: str, position: int, limit: int, *, every: bool) -> Tag | None:
    if not text.startswith("<", position):
        return None
    tag = find_tag(text, position, limit)
    return tag if tag and (every or tag.is_component or "{" in tag.attributes) else None


def _whole_element(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """An element of HTML that blank lines do not end, since only whole it makes sense: a table."""
    position = line_start(state, start)
    if state.is_code_block(start) or not state.src.startswith("<", position):
        return False
    opening = _MARKUP.match(state.src, position)
    if opening is None:
        return False
    after = _element_end(state, opening["name"].lower(), start, end)
    if after is None:
        return False
    if not silent:
        push_verbatim(state, "html_block", start, after)
        state.line = after
    return True


def _element_end(state: StateBlock, name: str, start: int, end: int) -> int | None:
    mark = re.compile(rf"<(/?){name}(?=[\s/>])", re.IGNORECASE)
    depth = 0
    searches = Searches(state.env, name)
    if searches.pointless:
        return None
    for line in range(start, min(end, start + _MOST_LINES)):
        text = line_text(state, line)
        if name not in _ALWAYS_WHOLE and not text.strip():
            return None
        for match in mark.finditer(text):
            depth += -1 if match[1] else 1
        if depth <= 0:
            return line + 1
    searches.failed()
    return None


# --- Inside a line ---------------------------------------------------------------------------------


def _any_tag(state: StateInline, silent: bool) -> bool:
    return _inline_tag(state, silent=silent, every=True)


def _component_tag(state: StateInline, silent: bool) -> bool:
    return _inline_tag(state, silent=silent, every=False)


def _inline_tag(state: StateInline, *, silent: bool, every: bool) -> bool:
    tag = _tag_at(state.src, state.pos, state.posMax, every=every)
    if tag is None:
        return False
    if not silent:
        shown = [] if tag.closes else shown_attributes(tag.attributes)
        state.push("shown", "", 0).content = (
            "\n" if tag.name == "br" else "".join(f"{text}\n" for text in shown)
        )
    state.pos = tag.end
    return True


def _inline_comment(state: StateInline, silent: bool) -> bool:
    comment = _COMMENT_START.match(state.src, state.pos) if state.src[state.pos] == "{" else None
    end = _COMMENT_END.search(state.src, comment.end(), comment.end() + _MOST_COMMENT) if comment else None
    return _shown(state, "", end.end(), silent=silent) if end else False


def _inline_expression(state: StateInline, silent: bool) -> bool:
    """A string is text; of other expressions short ones stay as they are written."""
    if state.src[state.pos] != "{":
        return False
    searches = Searches(state.env, "inline_expression")
    if searches.pointless:
        return False
    end = braces_end(state.src, state.pos, min(state.posMax, state.pos + _MOST_INLINE))
    if end < 0:
        searches.failed()
        return False
    written = state.src[state.pos : end]
    if string := _STRING.fullmatch(written):
        written = "".join(part or "" for part in string.groups())
    elif len(written) > _SHORT:
        written = ""
    return _shown(state, written, end, silent=silent)


def _shown(state: StateInline, text: str, end: int, *, silent: bool) -> bool:
    if not silent:
        state.push("shown", "", 0).content = text
    state.pos = end
    return True
