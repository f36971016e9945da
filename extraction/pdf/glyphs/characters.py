"""Cleans the characters of a page: no doubles, no glyphs without Unicode value, no control characters."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from extraction.pdf.glyphs.symbols import to_unicode
from extraction.pdf.glyphs.turning import angle_of, turn_upright
from extraction.pdf.layout import Glyph
from rubrica.model import BBox

Char = Mapping[str, Any]

_CID = re.compile(r"\(cid:\d+\)")
_BOLD = re.compile(r"bold|black|heavy|demi|semibold|полужирный", re.IGNORECASE)
_UNUSABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff]")
_GRID = 2.0
_SAMPLE = 200
# Letters that nobody can see: this small, and few among others.
_INVISIBLE = 2.5
_FEW = 0.1
# A lost glyph of this width, in font sizes, was a letter; a narrower one may have been a space.
_LETTER_WIDTH = 0.4
# Letters beyond these need no look at their font; ligatures and private-use characters do.
_PLAIN = "\u2fff"


@dataclass(slots=True)
class PageGlyphs:
    """The cleaned characters of a page.

    Attributes:
        upright: Characters that read from left to right.
        rising: Those that read upwards, turned upright: ``x`` grows along the text.
        falling: Those that read downwards, turned likewise.
        slanted: Those that read at another angle, by its degrees, turned likewise.
        dropped: How many had no Unicode value.
    """

    upright: list[Glyph] = field(default_factory=list)
    rising: list[Glyph] = field(default_factory=list)
    falling: list[Glyph] = field(default_factory=list)
    slanted: dict[int, list[Glyph]] = field(default_factory=lambda: defaultdict(list))
    dropped: int = 0

    @property
    def count(self) -> int:
        """How many characters there are."""
        upright = len(self.upright) + len(self.rising) + len(self.falling)
        return upright + sum(map(len, self.slanted.values()))


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
    upright = page.upright
    left, upper, right, lower = page_box
    for char in chars:
        text = char["text"]
        if len(text) > 1 or text > _PLAIN or not text.isalnum():
            text, dropped = _clean(text, str(char["fontname"]))
            page.dropped += dropped
            if not text:
                _close_hole(upright, char)
                continue
        if left <= (char["x0"] + char["x1"]) / 2 <= right and upper <= char["bottom"] <= lower + char["size"]:
            if char["matrix"][1] == 0 and char["matrix"][0] > 0:
                upright.append(_glyph(char, text))
            else:
                _add_turned(page, char, text)
    page.upright = without_doubles(_visible(upright))
    return page


@lru_cache(maxsize=4096)
def _clean(text: str, font: str) -> tuple[str, int]:
    """A character's usable text, and how many glyphs were lost on the way."""
    usable, dropped = _CID.subn("", text)
    return _UNUSABLE.sub("", to_unicode(usable, font)), dropped


def _close_hole(glyphs: list[Glyph], char: Char) -> None:
    """Let the letter before a lost one reach over its place, so that the word is not torn."""
    if not glyphs or char["x1"] - char["x0"] < _LETTER_WIDTH * char["size"]:
        return
    last = glyphs[-1]
    if last.text.isalpha() and abs(char["x0"] - last.x1) < 0.1 * last.size and last.bottom > char["top"]:
        glyphs[-1] = last._replace(x1=char["x1"])


def _visible(glyphs: list[Glyph]) -> list[Glyph]:
    """Glyphs without a few far smaller ones, which are written for search engines."""
    tiny = sum(glyph.size <= _INVISIBLE for glyph in glyphs)
    if not 0 < tiny <= _FEW * len(glyphs):
        return glyphs
    return [glyph for glyph in glyphs if glyph.size > _INVISIBLE]


def _add_turned(page: PageGlyphs, char: Char, text: str) -> None:
    angle = angle_of(char["matrix"])
    if angle == 0:
        page.upright.append(_glyph(char, text))
        return
    glyph = turn_upright(_glyph(char, text), angle)
    if angle == 90:
        page.rising.append(glyph)
    elif angle == 270:
        page.falling.append(glyph)
    else:
        page.slanted[angle].append(glyph)


@lru_cache(maxsize=1024)
def _is_bold(font: str) -> bool:
    return _BOLD.search(font) is not None


def _glyph(char: Char, text: str) -> Glyph:
    return Glyph(
        text,
        char["x0"],
        char["top"],
        char["x1"],
        char["bottom"],
        char["size"],
        _is_bold(str(char["fontname"])),
    )


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
    if width <= 0:  # a font that does not tell the widths of its glyphs
        return False
    return abs(first.x0 - second.x0) <= 0.4 * width and abs(first.top - second.top) <= 0.15 * first.size
