"""How deep a list item of AsciiDoc is, and its number."""

from __future__ import annotations

import re

ITEM = re.compile(
    r"\s*(?P<mark>\*{1,5}|\.{1,5}|-|•|<(?:\d{1,4}|\.)>|\d{1,4}\.|[a-zA-Z]\.|[ivxIVX]{1,8}\))\s+(?P<text>\S.*)"
)
TERM = re.compile(r"\s*(?P<term>\S.{0,500}?)(?P<mark>:{2,4}|;;)(?:\s+(?P<text>\S.*)|\s*)$")
_CHECK = re.compile(r"\[(?P<mark>[ xX*])\]\s+")


class Lists:
    """The lists that are open around a line."""

    def __init__(self) -> None:
        self._open: list[tuple[str, int]] = []  # mark and last number of each

    @property
    def any_open(self) -> bool:
        """Whether a line may belong to an item."""
        return bool(self._open)

    def close(self) -> None:
        """End all lists."""
        self._open.clear()

    def enter(self, mark: str, *, start: int = 1) -> tuple[int, int]:
        """Begin an item.

        Args:
            mark: What it begins with.
            start: Number of the first item, where it begins a list.

        Returns:
            Its level, and its number in its list.
        """
        kind = _kind(mark)
        marks = [open_kind for open_kind, _ in self._open]
        if kind in marks:
            del self._open[marks.index(kind) + 1 :]
            number = self._open[-1][1] + 1
            self._open[-1] = (kind, number)
        else:
            number = start
            self._open.append((kind, number))
        return len(self._open), number


def item_text(mark: str, number: int, text: str) -> str:
    """An item with its number as it is shown, and its box."""
    text = _CHECK.sub(lambda check: "☐ " if check["mark"] == " " else "☑ ", text, count=1)
    if mark.startswith("."):
        return f"{number}. {text}"
    if mark.startswith("<"):
        return f"{number if mark == '<.>' else mark.strip('<>')}. {text}"
    if mark[0] in "*-•":
        return text
    return f"{mark} {text}"


def _kind(mark: str) -> str:
    if mark.startswith("<"):
        return "<>"
    if mark[0].isalnum():
        return "1." if mark[0].isdigit() else "a." if mark.endswith(".") else "i)"
    return mark
