"""Text for printers: form feeds, running headers and footers, overstruck letters, terminal colours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from extraction.text import drop_terminal_codes

_OVERSTRUCK = re.compile(r"[^\n]\x08")
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_FURNITURE_LINES = 3  # at the top and at the bottom of a page
_FEWEST_PAGES = 3
_MOST_PAGES = 10_000  # more form feeds are no pages


@dataclass(frozen=True, slots=True)
class Line:
    """A line and the page it is on, from 1; ``None`` where the text has no pages."""

    text: str
    page: int | None = None


def split_lines(text: str) -> list[Line]:
    """The lines of a text as they would be read from paper.

    Args:
        text: As it was decoded, control characters included; newlines of any kind.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x08" in text:
        text = _OVERSTRUCK.sub("", text)
    text = drop_terminal_codes(text)
    pages = text.rstrip("\f\n ").split("\f")
    if len(pages) == 1 or len(pages) > _MOST_PAGES:
        return [Line(line) for page in pages for line in (*page.split("\n"), "")]
    split = [page.split("\n") for page in pages]
    kept = _without_furniture(split) if len(split) >= _FEWEST_PAGES else split
    return list(_numbered(kept))


def _numbered(pages: Sequence[Sequence[str]]) -> Iterator[Line]:
    for number, lines in enumerate(pages, 1):
        yield from (Line(line, number) for line in lines)
        yield Line("", number)


def _without_furniture(pages: list[list[str]]) -> list[list[str]]:
    """Pages without the lines at their edges that most of them have, whatever their numbers."""
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({_pattern(page[i]) for edge in _edges(page) for i in edge})
    running = {line for line, count in counts.items() if count * 2 > len(pages)}
    return [_stripped(page, running) for page in pages]


def _stripped(page: list[str], running: set[str]) -> list[str]:
    drop = {i for edge in _edges(page) for i in takewhile(lambda i: _pattern(page[i]) in running, edge)}
    kept = [line for i, line in enumerate(page) if i not in drop]
    return kept if any(line.strip() for line in kept) else page


def _edges(page: Sequence[str]) -> tuple[list[int], list[int]]:
    """The first and the last lines, from the edge inwards."""
    filled = [i for i, line in enumerate(page) if line.strip()]
    return filled[:_FURNITURE_LINES], filled[::-1][:_FURNITURE_LINES]


def _pattern(line: str) -> str:
    return _DIGITS.sub("0", " ".join(line.split()))
