"""Where a stretch of one text stands in another that differs from it in blanks alone.

Chunkers collapse and strip blanks, and extraction drops byte-order marks: so texts are compared by their
characters that print, and offsets carried over are exact. What differs otherwise is an error, not a guess;
marks that extraction takes for markup may go.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator

Span = tuple[int, int]


class AlignmentError(ValueError):
    """A text does not stand in another, or stands there changed."""


def prints(character: str) -> bool:
    """Whether a character is compared: neither a blank nor a control or format character."""
    return not character.isspace() and unicodedata.category(character) not in {"Cc", "Cf"}


class Printed:
    """A text as the sequence of its printing characters.

    Attributes:
        text: The printing characters.
        offsets: Of each its offset in the text as it was.
    """

    def __init__(self, text: str) -> None:
        self.offsets = [i for i, character in enumerate(text) if prints(character)]
        self.text = "".join(text[i] for i in self.offsets)

    def place(self, offset: int) -> int:
        """How many printing characters stand before an offset."""
        return bisect_left(self.offsets, offset)

    def span(self, start: int, stop: int) -> Span:
        """Offsets of the printing characters from ``start`` up to ``stop``; there must be one."""
        return self.offsets[start], self.offsets[stop - 1] + 1


def map_spans(original: str, extracted: str, spans: Iterable[Span]) -> list[Span]:
    """Carry spans from a text to what extraction made of it.

    Args:
        original: What was written to the file.
        extracted: What was read: the same, NFC, with other blanks, and without some marks that are neither
            letters nor digits (those of a heading, say).
        spans: Offsets into ``original``.

    Raises:
        AlignmentError: The texts differ in more than that, or nothing of a span is left.
    """
    # NFC works on runs that start with a base character: composing up to an offset is exact there.
    source, target = Printed(unicodedata.normalize("NFC", original)), Printed(extracted)
    kept = list(_kept(source.text, target.text))
    mapped = []
    for start, end in spans:
        ends = (len(unicodedata.normalize("NFC", original[:offset])) for offset in (start, end))
        first, stop = (bisect_left(kept, source.place(offset)) for offset in ends)
        if first >= stop:
            raise AlignmentError(f"Of the span {start}..{end} nothing is left.")
        mapped.append(target.span(first, stop))
    return mapped


def _kept(source: str, target: str) -> Iterator[int]:
    """For each character of ``target`` its place in ``source``."""
    place = 0
    for character in target:
        while place < len(source) and source[place] != character and not source[place].isalnum():
            place += 1
        if place == len(source) or source[place] != character:
            raise AlignmentError(f"Extraction changed the text at {source[place : place + 40]!r}…")
        yield place
        place += 1
    if any(map(str.isalnum, source[place:])):
        raise AlignmentError(f"Extraction changed the text at {source[place : place + 40]!r}…")


def locate(text: Printed, chunks: Iterable[str]) -> list[Span]:
    """Where chunks stand in their document.

    Args:
        text: The document.
        chunks: Texts in reading order; neighbours may overlap.

    Returns:
        One span for each chunk that is not blank, from its first printing character to its last.

    Raises:
        AlignmentError: A chunk is not a stretch of the document, blanks aside.
    """
    spans: list[Span] = []
    position = 0
    for chunk in chunks:
        wanted = "".join(filter(prints, chunk))
        if not wanted:
            continue
        found = text.text.find(wanted, position)
        if found < 0:
            raise AlignmentError(f"A chunk is not in its document after the one before: {chunk[:40]!r}…")
        spans.append(text.span(found, found + len(wanted)))
        position = found + 1
    return spans
