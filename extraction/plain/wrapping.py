"""Finds the paragraphs in lines of plain text: hard-wrapped, one a line, or set off by indents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.lines import BULLET, indent

_LONG_LINE = 200  # hard-wrapped text has no longer lines
_SHORT_LINE = 100  # in text that is not, a line of a title or an address
_MOST_JOINED = 100  # lines
_NUMBER = re.compile(r"\s*(?:\d{1,3}|[a-zа-я])[.)]\s+(?=\S)")
_CLAUSE = re.compile(
    r"\s*(?:\d{1,3}(?:\.\d{1,3})+\.?\s+\S|(?:Статья|Глава|Раздел|Приложение|Article|Section)\s+[\dIVXLCА-Я])"
)
_ENDS = tuple(".;:!?…»")
_FILLED = 0.6  # of the width: a line that reaches so far was broken to fit
_NARROWEST, _WIDEST = 40, 140
_WORD_BREAK = re.compile(r"(?<=[^\W\d_])-$")


@dataclass(frozen=True, slots=True)
class Wrapping:
    """How a text breaks its lines.

    Attributes:
        width: Where lines are broken, in characters; 0 where they are not.
        line_is_paragraph: Whether every line is a paragraph of its own.
    """

    width: int
    line_is_paragraph: bool

    @classmethod
    def of(cls, lines: Sequence[str]) -> Wrapping:
        """Measure a text."""
        lengths = sorted(len(line.rstrip()) for line in lines if line.strip())
        if not lengths:
            return cls(0, line_is_paragraph=False)
        long = sum(length for length in lengths if length > _LONG_LINE)
        if long * 4 > sum(lengths):
            return cls(0, line_is_paragraph=True)
        width = lengths[int(len(lengths) * 0.98) - 1] if len(lengths) > 50 else lengths[-1]
        filled = [line.rstrip() for line in lines if len(line.rstrip()) >= _FILLED * width]
        cut = sum(not line.endswith(_ENDS) for line in filled)
        is_wrapped = _NARROWEST <= width <= _WIDEST and cut * 2 > len(filled) and cut >= 3
        return cls(width if is_wrapped else 0, line_is_paragraph=False)

    def fills(self, line: str) -> bool:
        """Whether a line was broken because it was full."""
        return self.width > 0 and len(line.rstrip()) >= _FILLED * self.width


def paragraphs(block: Sequence[str], wrapping: Wrapping) -> Iterator[list[str]]:
    """The paragraphs and list items in the lines between two blank lines."""
    if max(map(len, block)) > (_SHORT_LINE if wrapping.line_is_paragraph else _LONG_LINE):
        yield from _lines(block)
        return
    margin = min(map(indent, block))
    numbered = sum(bool(_NUMBER.match(line)) for line in block) >= 2
    part: list[str] = []
    for line in block:
        if part and _begins(line, part[-1], margin, wrapping, numbered=numbered):
            yield part
            part = []
        part.append(line)
    if part:
        yield part


def _lines(block: Sequence[str]) -> Iterator[list[str]]:
    """Lines as paragraphs; one that breaks off in brackets or at a comma goes on in the next."""
    part: list[str] = []
    for line in block:
        part.append(line)
        text = " ".join(part)
        goes_on = text.rstrip().endswith(",") or text.count("(") > text.count(")")
        if not goes_on or len(line) > _SHORT_LINE or len(part) > _MOST_JOINED:
            yield part
            part = []
    if part:
        yield part


def _begins(line: str, before: str, margin: int, wrapping: Wrapping, *, numbered: bool) -> bool:
    if BULLET.match(line) or (numbered and _NUMBER.match(line)):
        return True
    ended = before.rstrip().endswith(_ENDS)
    if _CLAUSE.match(line):
        return ended or not wrapping.fills(before)
    is_indented = indent(line) > max(margin, indent(before))
    return wrapping.width > 0 and ended and is_indented


def joined(lines: Sequence[str], wrapping: Wrapping) -> str:
    """Lines as one text: those that were broken to fit are put together, others keep their break.

    A hyphen at the end of a line stays, for it may be the word's own; a soft one is for the builder.
    """
    parts: list[str] = []
    for i, line in enumerate(lines):
        text = line.strip()
        if i + 1 == len(lines):
            parts.append(text)
        elif text.endswith("\u00ad") or not wrapping.fills(line):
            parts.append(text + "\n")
        else:
            parts.append(text if _WORD_BREAK.search(text) else text + " ")
    return "".join(parts)
