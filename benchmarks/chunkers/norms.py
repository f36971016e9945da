"""Building norms with questions of our own: the texts lie with the data, the questions in ``golden/``.

A question names document, page and span of the page's text. The pages are written as a text file with form
feeds, and read as any file is: running heads go, words parted at line ends are joined. Spans are found again
by their letters and digits, on their page.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chunkers.align import AlignmentError, Span
from rubrica.model import Document

GOLDEN = Path(__file__).parent.parent / "golden" / "norms.jsonl"
"""Questions on the norms of ``retrieval/akumsk_pages``, one object a line."""


@dataclass(frozen=True, slots=True)
class NormQuestion:
    """A question, and where in which norm its answer stands.

    Attributes:
        question: As a user would ask it.
        document: Name of the norm's file, without its suffix.
        page: Page, from 1.
        start: Offset of the answer in the page's text.
        end: Offset after it.
    """

    question: str
    document: str
    page: int
    start: int
    end: int


def read_questions(path: Path = GOLDEN) -> list[NormQuestion]:
    """The questions of a golden file, in its order."""
    with path.open(encoding="utf-8") as lines:
        return [NormQuestion(**json.loads(line)) for line in lines]


def read_pages(path: Path) -> dict[int, str]:
    """Texts of a norm's pages by number, in order."""
    pages = json.loads(path.read_text(encoding="utf-8"))["pages"]
    return {page["page"]: page["page_content"] for page in pages}


def as_file(pages: Mapping[int, str]) -> str:
    """A norm as a text file; page 1 comes first."""
    return "\f".join(pages.get(number, "") for number in range(1, max(pages) + 1))


class Finder:
    """Finds quotes of a file in the text that was extracted from it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._offsets = [i for i, character in enumerate(document.text) if character.isalnum()]
        self._letters = "".join(document.text[i] for i in self._offsets)
        self._starts = [element.start for element in document.elements]

    def span(self, quote: str, page: int | None = None) -> Span:
        """Where a quote stands: first of all, or first on a page.

        Raises:
            AlignmentError: It is not there.
        """
        wanted = "".join(filter(str.isalnum, quote))
        for place in _places(self._letters, wanted):
            span = self._offsets[place], self._offsets[place + len(wanted) - 1] + 1
            if page is None or page in self._pages(span):
                return span
        where = "" if page is None else f", page {page}"
        raise AlignmentError(f"{self._document.path}{where}: there is no {quote[:60]!r}.")

    def _pages(self, span: Span) -> range:
        first, last = (self._document.elements[bisect_right(self._starts, at) - 1] for at in span)
        return range(first.page_from or 1, (last.page_to or 1) + 1)


def _places(text: str, wanted: str) -> Iterator[int]:
    place = text.find(wanted) if wanted else -1
    while place >= 0:
        yield place
        place = text.find(wanted, place + 1)


def names(questions: Sequence[NormQuestion]) -> list[str]:
    """The norms that are asked about, in order."""
    return list(dict.fromkeys(question.document for question in questions))
