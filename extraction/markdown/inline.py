"""The text of a line of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_ALT = re.compile(r"<img\b[^<>]*?\salt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"\{(?:#[\w-]+(?:\s[^{}\n]{0,200})?|#T)\}")
_ATTACHED = re.compile(r"\{(?::\s?[^{}\n]{0,200}|[.#][^{}\n]{0,200}|[\w-]+=[^{}\n]{0,200})\}")
_ROLE = re.compile(r"\{[A-Za-z][\w:.+-]*\}(`+)(?!`)([^`]{1,500})\1(?!`)")
_ROLE_TARGET = re.compile(r"\s*<[^<>]*>$")
_WIKI = re.compile(r"!?\[\[(?P<page>[^\[\]|\n]{1,200})(?:\|(?P<alias>[^\[\]\n]{1,200}))?\]\](?![(\[])")
_STEERING = frozenset({"_TOC_", "TOC", "toc"})
_NO_MARK_AFTER = frozenset("#+=\\_")
_MARKED = re.compile(r"(##|\+\+|==)(?=[^\s#+=])([^`*_\[\]<>{}\\\n#+=]{1,200}?)(?<=\S)\1(?![#+=\w])")


def inline_plugin(parser: MarkdownIt) -> None:
    """Teach a parser attributes in braces, roles of MyST, wiki links and marked text."""
    parser.inline.ruler.before("backticks", "brace_attributes", _braces)
    parser.inline.ruler.before("backticks", "marked_text", _marked)
    parser.inline.ruler.before("link", "wiki_link", _wiki_link)


def inline_text(tokens: Sequence[Token]) -> str:
    """What a reader sees of a line; line breaks in the source are spaces."""
    return "".join(map(_part, tokens))


def footnote_ids(tokens: Sequence[Token]) -> Iterator[int]:
    """Ids of the footnotes whose text stands in the line itself: ``^[text]``."""
    return (
        token.meta["id"] for token in tokens if token.type == "footnote_ref" and "label" not in token.meta
    )


def _part(token: Token) -> str:
    text = ""
    match token.type:
        case "text" | "code_inline" | "shown" | "text_special":
            text = token.content
        case "softbreak":
            text = " "
        case "hardbreak":
            text = "\n"
        case "image":
            text = inline_text(token.children or [])
        case "html_inline":
            text = _tag_text(token.content)
        case "math_inline" | "math_inline_double":
            text = f"{token.markup}{token.content}{token.markup}"
    return text


def _tag_text(tag: str) -> str:
    if _BREAK_TAG.match(tag):
        return "\n"
    alt = _ALT.match(tag)
    return (alt[1] or alt[2] or "") if alt else ""


# --- Rules -----------------------------------------------------------------------------------------


def _braces(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "{":
        return False
    role = _ROLE.match(state.src, state.pos)
    if role is not None:
        text = _ROLE_TARGET.sub("", role[2]) or role[2].strip(" <>")
        return _shown(state, text, role.end(), silent=silent)
    attributes = _ATTRIBUTES.match(state.src, state.pos)
    if attributes is None and state.pos and state.src[state.pos - 1] in ")]`*_>~":
        attributes = _ATTACHED.match(state.src, state.pos)
    return _shown(state, "", attributes.end(), silent=silent) if attributes else False


def _marked(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "#+=":
        return False
    before = state.src[state.pos - 1 : state.pos]
    if before.isalnum() or before in _NO_MARK_AFTER:  # a==b compares
        return False
    marked = _MARKED.match(state.src, state.pos)
    return _shown(state, marked[2], marked.end(), silent=silent) if marked else False


def _wiki_link(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith(("[[", "![["), state.pos):
        return False
    link = _WIKI.match(state.src, state.pos)
    if link is None:
        return False
    text = "" if link["page"] in _STEERING else link["alias"] or link["page"]
    return _shown(state, text.strip(), link.end(), silent=silent)


def _shown(state: StateInline, text: str, end: int, *, silent: bool) -> bool:
    if not silent:
        state.push("shown", "", 0).content = text
    state.pos = end
    return True
