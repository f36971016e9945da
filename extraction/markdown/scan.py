"""Finds where tags and braces of JSX end; everything is bounded, since most openings never close."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MOST_CHARACTERS = 5000  # of one tag
_OPENING = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w.-]*)?(?=[\s/>])")
_PART = re.compile(
    r"""\s+|[:@#\w$][\w.:@$\[\]-]*|=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`{}]+)?""",
)
_ATTRIBUTE = re.compile(
    r"""(?P<key>[\w:-]+)\s*=\s*(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)'|\{\s*["'](?P<c>[^"'{}]*)["']\s*\})"""
)
_LITERAL = re.compile(
    r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|/\*.*?\*/|/\*|//[^\n]*|[{}]""", re.DOTALL
)
# Attributes whose value the reader sees.
_SHOWN = frozenset(
    {"title", "label", "description", "summary", "caption", "header", "heading", "alt", "text"}
)


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag of JSX or HTML.

    Attributes:
        name: Its name; "" for a fragment.
        closes: Whether it closes another.
        attributes: Its attributes as written.
        end: Offset after it.
        empty: Whether it closes itself: ``<Card />``.
    """

    name: str
    closes: bool
    attributes: str
    end: int
    empty: bool = False

    @property
    def is_component(self) -> bool:
        """Whether it is no element of HTML, but a component: ``<Tabs>``, ``<Foo.Bar>``, ``<>``."""
        return not self.name or self.name[0].isupper() or "." in self.name


def find_tag(text: str, start: int, limit: int) -> Tag | None:
    """The tag of JSX or HTML that opens at ``start``, or ``None`` where there is none.

    Args:
        text: Source.
        start: Offset of a ``<``.
        limit: Where the search ends.
    """
    limit = min(limit, start + _MOST_CHARACTERS)
    opening = _OPENING.match(text, start, limit)
    if opening is None:
        return None
    position = opening.end()
    while position < limit:
        if text[position] == ">":
            return _tag(opening, text, position)
        if text[position] == "{":
            position = braces_end(text, position, limit)
        elif text.startswith("/>", position):
            position += 1
        else:
            part = _PART.match(text, position, limit)
            position = part.end() if part else -1
        if position < 0:
            return None
    return None


def _tag(opening: re.Match[str], text: str, position: int) -> Tag | None:
    attributes = text[opening.end() : position].rstrip("/")
    if opening["name"] is None and attributes.strip():
        return None
    closes = bool(opening["close"])
    return Tag(opening["name"] or "", closes, attributes, position + 1, text[position - 1] == "/")


def braces_end(text: str, start: int, limit: int) -> int:
    """Offset after the brace that closes the one at ``start``; -1 where none does before ``limit``."""
    depth = 0
    for part in _LITERAL.finditer(text, start, limit):
        if part[0] == "/*":
            return -1
        if part[0] == "{":
            depth += 1
        elif part[0] == "}":
            depth -= 1
            if depth == 0:
                return part.end()
    return -1


def shown_attributes(attributes: str) -> list[str]:
    """Values of the attributes that the reader sees: titles, labels, captions."""
    found = (
        (match["key"], match["a"] or match["b"] or match["c"] or "")
        for match in _ATTRIBUTE.finditer(attributes)
    )
    return [" ".join(value.split()) for key, value in found if key in _SHOWN and value.strip()]
