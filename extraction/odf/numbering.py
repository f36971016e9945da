"""The numbers of lists and headings, which no text of the file holds (ODF 1.3 part 3, 19.880 and others)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from extraction.flow.numerals import LATIN, RUSSIAN, letters, roman
from extraction.odf.package import get, q

_LEVELS = 10
_PLACE = re.compile(r"%(\d{1,2})%")


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list is written.

    Attributes:
        format: "1", "a", "I" …; "" shows no number, ``None`` is a bullet.
        prefix: What stands before the number.
        suffix: What stands after it.
        shown: How many levels the number is made of.
        start: The first number.
        pattern: The whole number with ``%1%`` for levels, where the file gives it.
    """

    format: str | None = None
    prefix: str = ""
    suffix: str = ""
    shown: int = 1
    start: int = 1
    pattern: str | None = None


_NOTHING = Level("")


class Counter:
    """Numbers of one list."""

    def __init__(self) -> None:
        self.counts: list[int | None] = [None] * _LEVELS

    def next(self, levels: dict[int, Level], depth: int, start: int | None) -> str:
        """Count one item and write its number; "" for a bullet or where none is shown."""
        index = min(max(depth, 1), _LEVELS) - 1
        for upper in range(index):
            if self.counts[upper] is None:
                self.counts[upper] = levels.get(upper + 1, _NOTHING).start
        level = levels.get(depth, _NOTHING)
        current = self.counts[index]
        if start is not None:
            self.counts[index] = start
        else:
            self.counts[index] = level.start if current is None else current + 1
        self.counts[index + 1 :] = [None] * (_LEVELS - index - 1)
        return self._written(levels, index + 1)

    def _written(self, levels: dict[int, Level], depth: int) -> str:
        level = levels.get(depth, _NOTHING)
        if not level.format:
            return level.prefix.strip() if level.format == "" and level.prefix.strip() else ""
        if level.pattern is not None:
            text = _PLACE.sub(lambda match: self._number(levels, int(match[1])), level.pattern)
            return text.strip()
        first = max(depth - level.shown + 1, 1)
        numbers = (self._number(levels, upper) for upper in range(first, depth + 1))
        return f"{level.prefix}{'.'.join(filter(None, numbers))}{level.suffix}".strip()

    def _number(self, levels: dict[int, Level], depth: int) -> str:
        count = self.counts[depth - 1] if 0 < depth <= _LEVELS else None
        return "" if count is None else _write(count, levels.get(depth, _NOTHING).format or "")


class ListStyles:
    """The list styles of a file and the numbering of its headings."""

    def __init__(self, roots: tuple[Any, ...]) -> None:
        self.outline: dict[int, Level] = {}
        self._styles: dict[str | None, dict[int, Level]] = {}
        for root in roots:
            for node in root.iter(q("text:list-style"), q("text:outline-style")):
                levels = dict(filter(None, map(_level, node)))
                if node.tag == q("text:outline-style"):
                    self.outline = levels
                else:
                    self._styles[get(node, "style:name")] = levels

    def levels(self, name: str | None) -> dict[int, Level]:
        """The levels of a list style by depth, from 1."""
        return self._styles.get(name, {})


def _level(node: Any) -> tuple[int, Level] | None:
    if not isinstance(node.tag, str):
        return None
    depth = integer(get(node, "text:level"), 0)
    kind = node.tag.rpartition("}")[2]
    if not 1 <= depth <= _LEVELS or not kind.endswith(("number", "outline-level-style")):
        return (depth, Level()) if depth else None
    return depth, Level(
        format=get(node, "style:num-format") or "",
        prefix=get(node, "style:num-prefix") or "",
        suffix=get(node, "style:num-suffix") or "",
        shown=integer(get(node, "text:display-levels"), 1),
        start=integer(get(node, "text:start-value"), 1),
        pattern=get(node, "loext:num-list-format") or get(node, "style:num-list-format"),
    )


def _write(number: int, kind: str) -> str:
    if kind in ("a", "A"):
        text = letters(number, LATIN)
        return text.upper() if kind == "A" else text
    if kind in ("i", "I"):
        return roman(number) if kind == "I" else roman(number).lower()
    if kind[:1] in ("А", "Б", "а", "б"):  # «А, Б, .., Аа, Аб, ...», Russian or Bulgarian
        text = letters(number, RUSSIAN)
        return text.upper() if kind[:1].isupper() else text
    return str(number) if kind else ""


def integer(text: str | None, default: int) -> int:
    """A number that a file gives, or a default where it is none or beyond belief."""
    return int(text) if text and text.isdecimal() and len(text) < 7 else default
