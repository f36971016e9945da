"""Elements that belong together: captions, lead-ins, notes, formulas, footnotes, sentences over a break."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunking.rules.parts import Caption, Part
from rubrica.model import ElementKind

_FORMULA_AHEAD = re.compile(
    r"(?:формул\w{1,3}|выражени\w{1,2}|уравнени\w{1,2}|услови\w{1,2}|formula|equation|by)\W*$"
)
_CAPTIONED = frozenset({ElementKind.TABLE, ElementKind.CODE, ElementKind.FORMULA})
_MARK = re.compile(r"<\d+>|\[\d+\]|\*+|[¹²³⁰-⁹]+|\d{1,3}(?=[\s.)])")


def glued(text: str, parts: Sequence[Part]) -> list[bool]:
    """Per pair of neighbouring elements, whether they belong together.

    Args:
        text: The document's text.
        parts: Its elements; ``[n]``.

    Returns:
        ``[n - 1]``.
    """
    joins: list[bool] = []
    notes = explaining = False
    for i in range(1, len(parts)):
        left, right = parts[i - 1], parts[i]
        notes = left.notes_head or (notes and right.numbered_note)
        explaining = right.explains or (explaining and right.term and left.tail.endswith((";", ",")))
        joins.append(
            not left.heading
            and not right.heading
            and (
                notes
                or explaining
                or _captioned(parts, i)
                or _said_together(left, right)
                or _footnoted(text, left, right, joins)
            )
        )
    return joins


def _said_together(left: Part, right: Part) -> bool:
    """Whether words at the border say so."""
    if right.note or left.leads_in:
        return True
    if right.kind is ElementKind.FORMULA:
        return left.unfinished or (left.prose and bool(_FORMULA_AHEAD.search(left.tail)))
    return left.unfinished and right.goes_on


def _captioned(parts: Sequence[Part], right: int) -> bool:
    """Whether a caption or a line of units parts from its table, figure or code.

    A caption of a table stands above it if a table follows, else below; one of a figure stands below.
    """
    one, other = parts[right - 1], parts[right]
    if other.caption is Caption.FIGURE:
        return True
    above = one.caption in {Caption.TABLE, Caption.OTHER} or one.unit_line
    if other.caption is not None or other.unit_line:
        named = _CAPTIONED if other.caption is Caption.OTHER else {ElementKind.TABLE}
        return above if one.kind not in named else not _table_follows(parts, right)
    if above and other.kind in _CAPTIONED:
        return True
    if one.kind is ElementKind.CAPTION and one.caption is Caption.OTHER and other.item:
        # The title of an admonition that begins with a list.
        return True
    # A table that extraction did not see as one.
    return one.caption is Caption.TABLE and (right < 2 or parts[right - 2].kind is not ElementKind.TABLE)


def _table_follows(parts: Sequence[Part], caption: int) -> bool:
    """Whether a table comes after a caption, lines of units aside."""
    after = caption + 1
    while after < len(parts) and parts[after].unit_line:
        after += 1
    return after < len(parts) and parts[after].kind is ElementKind.TABLE


def _footnoted(text: str, left: Part, right: Part, joins: Sequence[bool]) -> bool:
    """Whether a footnote stands behind the text that cites it, or behind such a footnote."""
    if right.kind is not ElementKind.FOOTNOTE:
        return False
    if left.kind is ElementKind.FOOTNOTE:
        return bool(joins) and joins[-1]
    mark = _MARK.match(right.head)
    if mark is None:
        return True
    return mark[0] in text[left.element.start : left.element.end]
