"""The numbers that Word puts in front of paragraphs, which no text of the file holds.

Follows ECMA-376 part 1, 17.9: levels of an abstract numbering, instances with overrides, restarts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from extraction.docx.package import attribute, child_value, is_on, w
from extraction.flow.numerals import LATIN, RUSSIAN, letters, roman

_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_CHINESE: tuple[str, ...] = ("", *"一二三四五六七八九")
_WIDTH = re.compile(r"0+1(?=,)")  # "001, 002, 003, ...": a custom format, by its first number
_TIGHT = "nothing"


def _chinese(number: int) -> str:
    """Counting in Chinese characters up to 99."""
    if not 0 < number < 100:
        return str(number)
    tens, ones = divmod(number, 10)
    return (_CHINESE[tens] if tens > 1 else "") + ("十" if tens else "") + _CHINESE[ones]


def _enclosed(number: int) -> str:
    return chr(0x245F + number) if 0 < number <= 20 else f"({number})"


_FORMATS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda number: f"{number:02d}",
    "upperRoman": roman,
    "lowerRoman": lambda number: roman(number).lower(),
    "upperLetter": lambda number: letters(number, LATIN).upper(),
    "lowerLetter": lambda number: letters(number, LATIN),
    "russianUpper": lambda number: letters(number, RUSSIAN).upper(),
    "russianLower": lambda number: letters(number, RUSSIAN),
    "ordinal": lambda number: f"{number}.",
    "decimalEnclosedCircle": _enclosed,
    "decimalEnclosedParen": lambda number: f"({number})",
    "decimalEnclosedFullstop": lambda number: f"{number}.",
    "numberInDash": lambda number: f"- {number} -",
    "hex": lambda number: f"{number:X}",
    "decimalZero2": lambda number: f"{number:03d}",
    "decimalZero3": lambda number: f"{number:04d}",
    **dict.fromkeys(
        (
            "chineseCounting",
            "chineseCountingThousand",
            "ideographDigital",
            "japaneseCounting",
            "taiwaneseCounting",
            "taiwaneseCountingThousand",
        ),
        _chinese,
    ),
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
    tight: bool = False  # nothing stands between number and text


@dataclass(frozen=True, slots=True)
class Label:
    """A number as Word shows it, "" for a bullet; ``tight`` where it touches the text."""

    text: str
    tight: bool = False


class Numbering:
    """Counts the numbered paragraphs of a document, which must be asked about in order."""

    def __init__(self, root: Any | None) -> None:
        self._abstract: dict[str | None, dict[int, Level]] = {}
        self._instances: dict[str, tuple[str | None, dict[int, Level]]] = {}
        self._linked: dict[str | None, str | None] = {}  # numbering → the one that it takes its levels from
        self._style_levels: dict[tuple[str | None, str], int] = {}
        self._counts: dict[str | None, list[int | None]] = {}
        self._started: set[tuple[str, int]] = set()
        self._overrides: dict[tuple[str, int], int] = {}
        if root is not None:
            self._read(root)

    def label(self, num_id: str | None, ilvl: int) -> Label | None:
        """Count one paragraph.

        Args:
            num_id: Numbering instance of the paragraph.
            ilvl: Its level, from 0.

        Returns:
            Its number, ``None`` where it is not numbered or its level shows none.
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
            return Label("")
        text = _PLACE.sub(lambda match: self._written(int(match[1]) - 1, counts, levels, level), level.text)
        if level.tight and text.strip():
            return Label(text.lstrip(), tight=True)
        return Label(text.strip()) if text.strip() else None

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
                self._linked[attribute(node, "abstractNumId")] = owners[link]

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
        self._instances[num_id] = (self._linked.get(abstract, abstract), levels)

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
        format=_format(node),
        text=child_value(node, "lvlText") or "",
        restart=_integer(child_value(node, "lvlRestart")),
        legal=is_on(node, "isLgl"),
        tight=child_value(node, "suff") == _TIGHT,
    )


def _format(node: Any) -> str:
    """Name of a level's format; newer ones are wrapped, with an older one to fall back on."""
    found = next(node.iter(w("numFmt")), None)
    if found is None:
        return "decimal"
    width = _WIDTH.match(attribute(found, "format") or "")
    if width is not None:
        return {2: "decimalZero", 3: "decimalZero2", 4: "decimalZero3"}.get(len(width[0]), "decimal")
    return attribute(found, "val") or "decimal"


def _integer(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"\d{1,9}", text) else None
