"""Cleans the characters of a page: no doubles, no glyphs without Unicode value, no control characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from extraction.pdf.layout import Glyph
from rubrica.model import BBox

Char = Mapping[str, Any]

_CID = re.compile(r"\(cid:\d+\)")
_BOLD = re.compile(r"bold|black|heavy|demi|semibold|полужирный", re.IGNORECASE)
_UNUSABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff]")
# Glyphs of the Symbol and Wingdings fonts, which producers leave in the private use area.
_SYMBOLS = str.maketrans(
    {
        "\uf02d": "-", "\uf0a7": "▪", "\uf0b7": "•", "\uf0d8": "➢", "\uf0fc": "✓", "\uf0a8": "◦",
        "\uf0b0": "°", "\uf0b1": "±", "\uf0b4": "×", "\uf0a3": "≤", "\uf0b3": "≥", "\uf0b9": "≠",
        "\uf044": "Δ", "\uf061": "α", "\uf062": "β", "\uf067": "γ", "\uf064": "δ", "\uf06c": "λ",
        "\uf06d": "μ", "\uf070": "π", "\uf073": "σ", "\uf06a": "φ", "\uf053": "Σ", "\uf020": " ",
        "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
        "\N{NO-BREAK SPACE}": " ",
    }
)  # fmt: skip
_GRID = 2.0
_SAMPLE = 200


@dataclass(slots=True)
class PageGlyphs:
    """The cleaned characters of a page.

    Attributes:
        upright: Characters that read from left to right.
        rising: Those that read upwards, turned upright: ``x`` grows along the text.
        falling: Those that read downwards, turned likewise.
        dropped: How many had no Unicode value.
    """

    upright: list[Glyph] = field(default_factory=list)
    rising: list[Glyph] = field(default_factory=list)
    falling: list[Glyph] = field(default_factory=list)
    dropped: int = 0


def reading_direction(chars: Sequence[Char]) -> int:
    """Degrees by which a page must be turned clockwise so that most of its text is upright."""
    sample = chars[:: max(1, len(chars) // _SAMPLE)]
    turns = Counter(_direction(char) for char in sample if not char["text"].isspace())
    if not turns:
        return 0
    turn, count = turns.most_common(1)[0]
    return turn if count > sum(turns.values()) / 2 else 0


def _direction(char: Char) -> int:
    a, b = char["matrix"][:2]
    if abs(b) > abs(a):
        return 90 if b > 0 else 270
    return 180 if a < 0 and char["matrix"][3] < 0 else 0


def clean_characters(chars: Sequence[Char], page_box: BBox) -> PageGlyphs:
    """Turn the characters of a page into glyphs.

    Args:
        chars: Characters as pdfplumber gives them.
        page_box: The visible page; what lies outside is dropped.
    """
    page = PageGlyphs()
    by_turn = {0: page.upright, 180: page.upright, 90: page.rising, 270: page.falling}
    left, upper, right, lower = page_box
    for char in chars:
        text = char["text"]
        if len(text) > 1 or not text.isalnum():
            text, dropped = _clean(text)
            page.dropped += dropped
            if not text:
                continue
        if left <= (char["x0"] + char["x1"]) / 2 <= right and upper <= char["bottom"] <= lower + char["size"]:
            a, b = char["matrix"][:2]
            turn = 0 if a > abs(b) else _direction(char)
            by_turn[turn].append(_glyph(char, text, turn))
    page.upright = without_doubles(page.upright)
    return page


@lru_cache(maxsize=4096)
def _clean(text: str) -> tuple[str, int]:
    """A character's usable text, and how many glyphs were lost on the way."""
    usable, dropped = _CID.subn("", text)
    return _UNUSABLE.sub("", usable.translate(_SYMBOLS)), dropped


@lru_cache(maxsize=1024)
def _is_bold(font: str) -> bool:
    return _BOLD.search(font) is not None


def _glyph(char: Char, text: str, turn: int) -> Glyph:
    x0, top, x1, bottom = char["x0"], char["top"], char["x1"], char["bottom"]
    bold = _is_bold(str(char["fontname"]))
    if turn == 90:
        return Glyph(text, -bottom, x0, -top, x1, x1 - x0, bold)
    if turn == 270:
        return Glyph(text, top, -x1, bottom, -x0, x1 - x0, bold)
    return Glyph(text, x0, top, x1, bottom, char["size"], bold)


def without_doubles(glyphs: list[Glyph]) -> list[Glyph]:
    """Remove glyphs that are drawn twice, a fraction of a point apart, to look bold.

    Doubles are looked for on two coarse grids first, half a cell apart, which is cheap; only a page
    that has some is compared glyph by glyph. A glyph that had a double counts as bold.
    """
    for shift in (0.0, 0.5):
        cells = {(g.text, int(g.x0 / _GRID + shift), int(g.top / _GRID + shift)) for g in glyphs}
        if len(cells) < len(glyphs):
            return _remove_doubles(glyphs)
    return glyphs


def _remove_doubles(glyphs: list[Glyph]) -> list[Glyph]:
    kept: list[Glyph] = []
    seen: dict[tuple[str, int, int], list[int]] = {}
    for glyph in glyphs:
        column, row = int(glyph.x0 / _GRID), int(glyph.top / _GRID)
        near = (
            index
            for x in (column - 1, column, column + 1)
            for y in (row - 1, row, row + 1)
            for index in seen.get((glyph.text, x, y), ())
        )
        double = next((index for index in near if _same_place(kept[index], glyph)), None)
        if double is None:
            seen.setdefault((glyph.text, column, row), []).append(len(kept))
            kept.append(glyph)
        elif not glyph.text.isspace():
            kept[double] = kept[double]._replace(bold=True)
    return kept


def _same_place(first: Glyph, second: Glyph) -> bool:
    width = min(first.x1 - first.x0, second.x1 - second.x0)
    return abs(first.x0 - second.x0) <= 0.4 * width and abs(first.top - second.top) <= 0.15 * first.size
