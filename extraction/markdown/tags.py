"""Tags of templates: Liquid, YFM, Markdoc, GitBook (``{% %}``), Hugo (``{{< >}}``), Gramax (``[note]``).

A tag itself is no text; titles in it are. Of both branches of a condition each is read, and nothing is
included: each file is read by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline

from extraction.markdown.blocks import (
    INTERRUPTS,
    Searches,
    ends_line,
    line_start,
    lines_until,
    push_end,
    push_paragraph,
    push_title,
    push_verbatim,
)
from extraction.markdown.scan import shown_attributes
from extraction.text import word_set

_ENDS = {"{%": "%}", "{{<": ">}}", "{{%": "%}}"}
_MOST_CHARACTERS = 2000  # of one tag
_GRAMAX = re.compile(
    r"\[/?(?P<body>(?:note|cut|tabs?|alert|comment|image|drawio|mermaid|plant-uml|video|view|icon|term"
    r"|include|openapi|kbd|cmd|color|highlight|module|snippet|issue)(?::(?!\s)[^\]\n]{0,1000})?|/?br)\](?!\(|\[|:)"
)
_GRAMAX_ALONE = word_set("tabs note cut tab alert comment")  # tags without a colon too
_GRAMAX_TITLED = frozenset({"note", "cut", "tab", "alert"})
_NAME = re.compile(r"[-\s]*(?P<close>/|end)?\s*(?P<name>[\w-]*)")
_QUOTED = re.compile(r"\"([^\"]*)\"|«([^»]*)»|“([^”]*)”|'([^']*)'")
_ASSIGNED = re.compile(r"[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|\S+)")
# Tags whose quoted words are a title; those of others are paths, conditions and values.
_TITLED = word_set(
    "note cut tab spoiler details admonition alert callout collapse expand hint quote trans blocktrans"
    " translate accordion section step button"
)
_VERBATIM = frozenset({"highlight", "codeblock"})
_TERM = re.compile(r"\[\*(?P<term>[^\[\]\n]{1,200})\]:(?P<text>.*)")
_TAIL = re.compile(r"[ \t]*(?:\{[^{}%\n]{0,200}\})?[ \t]*")
_SNIPPET = re.compile(
    r"-{1,2}8<-{1,2}.*|\{:.*\}|\[(?:TOC|toc|\[_?TOC_?\]|\[toc\])\]|\([\w.:-]+\)=|\\(?:newpage|pagebreak)"
)
_RAW = re.compile(r"\{%-?\s*raw\s*-?%\}(.{0,5000}?)\{%-?\s*endraw\s*-?%\}", re.DOTALL)
_OUTPUT = re.compile(r"\{\{[^{}\n]{0,300}\}\}")
_IMAGE_SIZE = re.compile(r"(?<=\S)[ \t]+=\d*x?\d*(?=[ \t]*(?:\)|[\"']))")
_LINK_TARGET = re.compile(r"\]\((?=[^\s()]*\{[{%])(?:\{\{[^{}]*\}\}|\{%[^{}]*%\}|[^\s(){}])+\)")


def tags_plugin(parser: MarkdownIt) -> None:
    """Teach a parser the tags of templates."""
    parser.block.ruler.before("fence", "template_tag", _block_tag, INTERRUPTS)
    parser.block.ruler.before("fence", "steering_line", _steering_line, INTERRUPTS)
    parser.block.ruler.before("reference", "term", _term, INTERRUPTS)
    parser.inline.ruler.before("backticks", "template_tag", _inline_tag)
    parser.core.ruler.before("inline", "template_targets", _plain_targets)


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag: what stands between its marks, of which kind they are, where it ends."""

    body: str
    mark: str
    end: int

    @property
    def name(self) -> str:
        """Its name, "" for one that closes another."""
        match = None if self.mark == "[" else _NAME.match(self.body)
        return match["name"].lower() if match and not match["close"] else ""

    @property
    def opens(self) -> bool:
        """Whether its words are the title of what follows it."""
        if self.mark == "[":
            return self.body.partition(":")[0] in _GRAMAX_TITLED
        return self.name in _TITLED

    def shown(self) -> str:
        """What the reader sees of it."""
        if self.mark == "[":
            return "\n" if self.body.endswith("br") else _gramax_title(self.body)
        if not self.name or self.body.startswith("/*"):
            return ""
        shown = shown_attributes(self.body)
        if self.name in _TITLED:
            quoted = _QUOTED.findall(_ASSIGNED.sub("", self.body))
            shown += ["".join(groups) for groups in quoted]
        return " ".join(shown)


def _gramax_title(body: str) -> str:
    name, *fields = body.split(":")
    place = {"note": 1, "cut": 0, "tab": 0, "alert": 1, "image": 1, "drawio": 1, "kbd": 0, "cmd": 0}
    at = place.get(name)
    return fields[at].strip() if at is not None and at < len(fields) else ""


def _find_tag(text: str, start: int, limit: int, *, alone: bool) -> _Tag | None:
    """The tag that opens at ``start``; one that stands alone on its line may be a bare ``[note]``."""
    if text.startswith("[", start):
        return _gramax_tag(_GRAMAX.match(text, start, limit), alone=alone)
    for mark, end in _ENDS.items():
        if text.startswith(mark, start):
            found = text.find(end, start + len(mark), min(limit, start + _MOST_CHARACTERS))
            return _Tag(text[start + len(mark) : found], mark, found + len(end)) if found > 0 else None
    return None


def _gramax_tag(tag: re.Match[str] | None, *, alone: bool) -> _Tag | None:
    if tag is None:
        return None
    body, closes = tag["body"], tag[0].startswith("[/")
    certain = closes or ":" in body or body.endswith("br")
    if not certain and not (alone and body in _GRAMAX_ALONE):
        return None
    return _Tag("" if closes and body != "br" else body, "[", tag.end())


# --- Blocks --------------------------------------------------------------------------------------


def _block_tag(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Tags that fill a line."""
    position = line_start(state, start)
    if state.is_code_block(start) or not state.src.startswith(("{%", "{{", "["), position):
        return False
    limit = state.eMarks[end - 1]
    shown: list[str] = []
    tag = first = _find_tag(state.src, position, limit, alone=True)
    while tag is not None:
        shown.append(tag.shown())
        tail = _TAIL.match(state.src, tag.end, limit)
        position = tail.end() if tail else tag.end
        tag = _find_tag(state.src, position, limit, alone=True)
    after = ends_line(state, start, end, position) if first else None
    if first is None or after is None:
        return False
    if not silent:
        state.line = _verbatim_after(state, first, after, end)
        push = push_title if first.opens else push_paragraph
        push(state, " ".join(filter(None, shown)), (start, after))
        if not any(shown):
            push_end(state)
    return True


def _verbatim_after(state: StateBlock, tag: _Tag, start: int, end: int) -> int:
    """Read what a tag of code or of a comment encloses; returns the line to go on with."""
    if tag.name not in _VERBATIM and tag.name != "comment":
        return start
    closing = _closing_line(state, tag.name, start, end, is_liquid=tag.mark == "{%")
    if closing is None:
        return start
    if tag.name != "comment":
        push_verbatim(state, "code_block", start, closing)
    return closing + 1


def _closing_line(state: StateBlock, name: str, start: int, end: int, *, is_liquid: bool) -> int | None:
    searches = Searches(state.env, name)
    if searches.pointless:
        return None
    for mark in (f"{{% end{name}", f"{{%- end{name}") if is_liquid else (f"/{name}",):
        line = lines_until(state, start, end, mark)
        if line < end:
            return line
    searches.failed()
    return None


def _steering_line(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """Lines that only steer a tool: tables of contents, attributes, snippets, targets."""
    position = line_start(state, start)
    if state.is_code_block(start) or state.src[position : position + 1] not in {"-", "{", "[", "(", "\\"}:
        return False
    if not _SNIPPET.fullmatch(state.src[position : state.eMarks[start]].rstrip()[:500]):
        return False
    if not silent:
        state.line = start + 1
    return True


def _term(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """``[*term]: what it means``, which YFM shows where the term is pointed at."""
    position = line_start(state, start)
    if state.is_code_block(start) or not state.src.startswith("[*", position):
        return False
    term = _TERM.match(state.src, position, state.eMarks[start])
    if term is None:
        return False
    if not silent:
        state.line = start + 1
        push_paragraph(state, f"{term['term']}: {term['text'].strip()}", (start, start + 1))
    return True


# --- Inside a line ---------------------------------------------------------------------------------


def _inline_tag(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "{[":
        return False
    raw = _RAW.match(state.src, state.pos) or _OUTPUT.match(state.src, state.pos)
    if raw is not None and not state.src.startswith(("{{<", "{{%"), state.pos):
        return _push(state, raw[1] if raw.re is _RAW else raw[0], raw.end(), silent=silent)
    tag = _find_tag(state.src, state.pos, state.posMax, alone=False)
    return _push(state, tag.shown(), tag.end, silent=silent) if tag else False


def _push(state: StateInline, text: str, end: int, *, silent: bool) -> bool:
    if not silent:
        state.push("shown", "", 0).content = text
    state.pos = end
    return True


def _plain_targets(state: StateCore) -> None:
    """Let links be links although their target is a template, or a size follows it."""
    for token in state.tokens:
        if token.type == "inline" and "](" in token.content:
            token.content = _LINK_TARGET.sub("](x)", token.content)
            if "![" in token.content:
                token.content = _IMAGE_SIZE.sub("", token.content)
