"""The numbers in front of list items, which a page does not spell out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from extraction.html.styles import Declarations

LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
    (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_STYLES = {
    "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman", "1": "decimal",
}  # fmt: skip
_NO_NUMBER = frozenset({"none", "disc", "circle", "square"})
_INTEGER = re.compile(r"\s*(-?\d{1,9})\s*")
_TYPED_NUMBER = re.compile(r"\s*(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Zа-яА-ЯёЁ]|[ivxlcIVXLC]{1,6})[.)]")


@dataclass(slots=True)
class ListState:
    """A list that is being read.

    Attributes:
        style: A value of ``list-style-type``; "none" where items have no number.
        number: Of the next item.
        step: From one item to the next.
    """

    style: str = "none"
    number: int = 1
    step: int = 1

    def marker(self, value: str | None) -> str:
        """What stands in front of the next item, "" for none.

        Args:
            value: The item's own ``value``, from which the list counts on.
        """
        if self.style in _NO_NUMBER:
            return ""
        number = _integer(value, self.number)
        self.number = number + self.step
        return f"{_label(number, self.style)}. "


def open_list(node: Any, declared: Declarations) -> ListState:
    """Begin a list: its numbering from ``type``, ``start``, ``reversed`` and ``list-style-type``."""
    if node.tag != "ol":
        return ListState()
    style = _STYLES.get(node.get("type", "1").strip(), "decimal")
    words = (declared.get("list-style-type") or declared.get("list-style", "")).split()
    style = next((word for word in words if word in _NO_NUMBER or word in _NUMBERS), style)
    backwards = "reversed" in node.attrib
    first = sum(child.tag == "li" for child in node) if backwards else 1
    return ListState(style, _integer(node.get("start"), first), -1 if backwards else 1)


def has_typed_number(text: str) -> bool:
    """Whether an item's own text opens with a number, so that the list's would double it."""
    return bool(_TYPED_NUMBER.match(text))


def _integer(text: str | None, default: int) -> int:
    match = _INTEGER.fullmatch(text or "")
    return int(match[1]) if match else default


def _label(number: int, style: str) -> str:
    if number < 1 or style == "decimal":
        return str(number)
    if style.endswith("roman"):
        label = _roman(number) if number < 4000 else str(number)
    else:
        label = _letters(number)
    return label.upper() if style.startswith("upper") else label


def _roman(number: int) -> str:
    label = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        label += letters * count
    return label


def _letters(number: int) -> str:
    label = ""
    while number:
        number, place = divmod(number - 1, len(ascii_lowercase))
        label = ascii_lowercase[place] + label
    return label


_NUMBERS = frozenset(
    {"decimal", "lower-alpha", "upper-alpha", "lower-latin", "upper-latin", "lower-roman", "upper-roman"}
)
