"""The numbers that Word puts in front of paragraphs, which no text of the file holds.

Follows ECMA-376 part 1, 17.9: levels of an abstract numbering, instances with overrides, restarts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from extraction.docx.package import attribute, child_value, is_on, w

_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщэюя"  # Word's list: without ё, й, ъ, ы, ь
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_MAX_ROMAN = 3999


def _roman(number: int) -> str:
    if not 0 < number <= _MAX_ROMAN:
        return str(number)
    text = ""
    for value, digits in _ROMAN:
        count, number = divmod(number, value)
        text += digits * count
    return text


def _letters(alphabet: str) -> Callable[[int], str]:
    def write(number: int) -> str:
        if number < 1:
            return str(number)
        repeats, index = divmod(number - 1, len(alphabet))
        return alphabet[index] * min(repeats + 1, 10)

    return write


_FORMATS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda number: f"{number:02d}",
    "upperRoman": _roman,
    "lowerRoman": lambda number: _roman(number).lower(),
    "upperLetter": lambda number: _letters(_LATIN)(number).upper(),
    "lowerLetter": _letters(_LATIN),
    "russianUpper": lambda number: _letters(_RUSSIAN)(number).upper(),
    "russianLower": _letters(_RUSSIAN),
    "ordinal": lambda number: f"{number}.",
    "none": lambda _: "",
    "bullet": lambda _: "",
}


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a numbering: how it counts and how it is written."""

    start: int = 1
    format: str = "decimal"
    text: str = ""
    restart: int | None = None  # restarts after this level (from 1); 0: never
    legal: bool = False  # all numbers in Arabic digits


class Numbering:
    """Counts the numbered paragraphs of a document, which must be asked about in order."""

    def __init__(self, root: Any | None) -> None:
        self._abstract: dict[str | None, dict[int, Level]] = {}
        self._instances: dict[str, tuple[str | None, dict[int, Level]]] = {}
        self._style_levels: dict[tuple[str | None, str], int] = {}
        self._counts: dict[str | None, list[int | None]] = {}
        self._started: set[tuple[str, int]] = set()
        self._overrides: dict[tuple[str, int], int] = {}
        if root is not None:
            self._read(root)

    def label(self, num_id: str | None, ilvl: int) -> str | None:
        """Count one paragraph.

        Args:
            num_id: Numbering instance of the paragraph.
            ilvl: Its level, from 0.

        Returns:
            Its number as Word shows it, "" for a bullet, ``None`` where it is not numbered.
        """
        if num_id is None or num_id not in self._instances or not 0 <= ilvl < _LEVELS:
            return None
        abstract, levels = self._instances[num_id]
        level = levels.get(ilvl)
        if level is None:
            return None
        counts = self._counts.setdefault(abstract, [None] * _LEVELS)
        self._count(num_id, ilvl, counts, levels)
        if level.format == "bullet":
            return ""
        text = _PLACE.sub(lambda match: self._written(int(match[1]) - 1, counts, levels, level), level.text)
        return text.strip() or (None if level.format == "none" else "")

    def level_of_style(self, num_id: str | None, style: str) -> int | None:
        """Level of a numbering that a style is linked to."""
        return self._style_levels.get((num_id, style))

    def _count(self, num_id: str, ilvl: int, counts: list[int | None], levels: dict[int, Level]) -> None:
        for upper in range(ilvl):  # a level that was skipped counts from its start
            if counts[upper] is None:
                counts[upper] = levels.get(upper, Level()).start
        first = (num_id, ilvl) not in self._started
        self._started.add((num_id, ilvl))
        current = counts[ilvl]
        if first and (num_id, ilvl) in self._overrides:
            counts[ilvl] = self._overrides[num_id, ilvl]
        else:
            counts[ilvl] = levels[ilvl].start if current is None else current + 1
        for lower in range(ilvl + 1, _LEVELS):
            restart = levels.get(lower, Level()).restart
            if restart is None or ilvl < restart:
                counts[lower] = None

    def _written(self, index: int, counts: list[int | None], levels: dict[int, Level], owner: Level) -> str:
        level = levels.get(index, Level())
        number = counts[index]
        number = level.start if number is None else number
        kind = "decimal" if owner.legal and level.format not in ("none", "bullet") else level.format
        return _FORMATS.get(kind, str)(number)

    def _read(self, root: Any) -> None:
        for node in root.findall(w("abstractNum")):
            self._abstract[attribute(node, "abstractNumId")] = {
                index: level for index, level in map(_level, node.findall(w("lvl"))) if index is not None
            }
        self._follow_style_links(root.findall(w("abstractNum")))
        for node in root.findall(w("num")):
            self._read_instance(node)
        for node in root.findall(w("abstractNum")):
            self._read_links(node)

    def _follow_style_links(self, nodes: list[Any]) -> None:
        """Give a numbering that only names a list style the levels of that style's numbering."""
        owners = {child_value(node, "styleLink"): attribute(node, "abstractNumId") for node in nodes}
        for node in nodes:
            link = child_value(node, "numStyleLink")
            if link in owners and link is not None:
                self._abstract[attribute(node, "abstractNumId")] = self._abstract[owners[link]]

    def _read_instance(self, node: Any) -> None:
        num_id, abstract = attribute(node, "numId"), child_value(node, "abstractNumId")
        if num_id is None:
            return
        levels = dict(self._abstract.get(abstract, {}))
        for override in node.findall(w("lvlOverride")):
            index = _integer(attribute(override, "ilvl"))
            own = override.find(w("lvl"))
            if index is None:
                continue
            if own is not None:
                levels[index] = _level(own)[1]
            start = _integer(child_value(override, "startOverride"))
            if start is not None:
                levels[index] = replace(levels.get(index, Level()), start=start)
                self._overrides[num_id, index] = start
        self._instances[num_id] = (abstract, levels)

    def _read_links(self, node: Any) -> None:
        abstract = attribute(node, "abstractNumId")
        ids = [num_id for num_id, (owner, _) in self._instances.items() if owner == abstract]
        for level in node.findall(w("lvl")):
            style, index = child_value(level, "pStyle"), _integer(attribute(level, "ilvl"))
            if style and index is not None:
                self._style_levels.update({(num_id, style): index for num_id in ids})


def _level(node: Any) -> tuple[int | None, Level]:
    start = _integer(child_value(node, "start"))
    return _integer(attribute(node, "ilvl")), Level(
        start=0 if start is None else start,
        format=child_value(node, "numFmt") or "decimal",
        text=child_value(node, "lvlText") or "",
        restart=_integer(child_value(node, "lvlRestart")),
        legal=is_on(node, "isLgl"),
    )


def _integer(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"\d{1,9}", text) else None
