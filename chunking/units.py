"""Documents as units: the atoms that chunks are made of.

Units tile the document: every non-blank character is in exactly one of them. A unit is a sentence, a
heading, a row of a table or a line of code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from rubrica.model import Document, Element, ElementKind

Span = tuple[int, int]
NewlinePolicy = Literal["auto", "always", "never"]
LanguageDetector = Callable[[str], str]

UNKNOWN_LANGUAGE = "und"
HEADINGS = frozenset({ElementKind.TITLE, ElementKind.HEADING})
_LINED = frozenset({ElementKind.TABLE, ElementKind.CODE})
_WHOLE = HEADINGS | {ElementKind.FORMULA}


class SentenceSplitter(Protocol):
    """Finds the sentences of a text."""

    def __call__(self, text: str, language: str, *, newline_ends: bool) -> list[Span]:
        """Spans of the sentences in ``text``, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of a document that is only cut when nothing else helps.

    Attributes:
        start: Offset of its first code point in ``Document.text``; not a blank.
        end: Offset after its last code point; the last is not a blank.
        element: The element that holds it.
        row: Its line inside a table or code, from 0; ``None`` elsewhere.
        opens: Whether it is the first of its element.
        fragment: Whether it continues a sentence, row or line that was too long for one chunk.
    """

    start: int
    end: int
    element: Element
    row: int | None = None
    opens: bool = True
    fragment: bool = False

    @property
    def heading(self) -> bool:
        """Whether it announces what follows."""
        return self.element.kind in HEADINGS


class UnitSplitter:
    """Splits documents into units."""

    def __init__(
        self,
        split_sentences: SentenceSplitter,
        detect_language: LanguageDetector,
        *,
        newline_ends_sentence: NewlinePolicy = "auto",
        structure: bool = True,
    ) -> None:
        """Choose how to split.

        Args:
            split_sentences: Finds sentences.
            detect_language: Names a text's language, ``"und"`` when it cannot tell.
            newline_ends_sentence: Whether a newline ends a sentence; ``auto``: in plain text and in
                the list items of PDF files, where extraction cannot know which lines belong together.
            structure: Whether headings, rows and code lines are units; else all text is sentences.
        """
        self._split_sentences = split_sentences
        self._detect_language = detect_language
        self._newlines = newline_ends_sentence
        self._structure = structure

    def split(self, document: Document) -> list[Unit]:
        """The units of a document, in reading order."""
        units: list[Unit] = []
        for element in covering_elements(document):
            spans = self._spans(document, element)
            numbered = self._structure and element.kind in _LINED
            units.extend(
                Unit(start, end, element, row=line if numbered else None, opens=i == 0)
                for i, (line, start, end) in enumerate(spans)
            )
        return units

    def _spans(self, document: Document, element: Element) -> list[tuple[int, int, int]]:
        text = document.text[element.start : element.end]
        if self._structure and element.kind in _WHOLE:
            starts = [0]
        elif self._structure and element.kind in _LINED:
            starts = _line_starts(text)
        else:
            starts = self._sentence_starts(document, element, text)
        return list(_tile(text, starts, element.start))

    def _sentence_starts(self, document: Document, element: Element, text: str) -> list[int]:
        language = self._detect_language(text)
        if language == UNKNOWN_LANGUAGE:
            language = document.language
        newline_ends = self._newline_ends(document, element)
        spans = self._split_sentences(text, language, newline_ends=newline_ends)
        return [0, *(start for start, _ in spans[1:])]

    def _newline_ends(self, document: Document, element: Element) -> bool:
        if self._newlines != "auto":
            return self._newlines == "always"
        if document.media_type == "application/pdf" and element.kind is ElementKind.LIST_ITEM:
            return True
        return document.media_type == "text/plain" or element.kind in _LINED


def covering_elements(document: Document) -> Iterator[Element]:
    """The document's elements, with paragraphs made up for text that no element covers."""
    position = 0
    for element in document.elements:
        yield from _gap(document.text, position, element.start)
        yield element
        position = element.end
    yield from _gap(document.text, position, len(document.text))


def _gap(text: str, start: int, end: int) -> Iterator[Element]:
    if start < end and text[start:end].strip():
        yield Element(ElementKind.PARAGRAPH, start, end)


def _line_starts(text: str) -> list[int]:
    starts = [0]
    while (newline := text.find("\n", starts[-1])) >= 0:
        starts.append(newline + 1)
    return starts


def _tile(text: str, starts: list[int], offset: int) -> Iterator[tuple[int, int, int]]:
    """Non-blank stretches between neighbouring starts: ordinal, start, end."""
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True)):
        body = text[start:end].rstrip()
        lead = len(body) - len(body.lstrip())
        if body[lead:]:
            yield number, offset + start + lead, offset + start + len(body)
