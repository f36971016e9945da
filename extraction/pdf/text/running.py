"""What was cut off the edges of pages, kept as evidence of what the document is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from extraction.pdf.layout import Line, PageLayout

_MOST_PAGES = 30


def running_lines(pages: Sequence[PageLayout], kept: Sequence[PageLayout]) -> tuple[str, ...]:
    """Texts of the lines that stand on ``pages`` but no longer on ``kept``, in order of pages.

    A running header often names the standard, where the title page is too ornate to be read.

    Args:
        pages: Pages as they were read.
        kept: The same pages without running headers, footers and page numbers.
    """
    return tuple(islice(_cut(pages[:_MOST_PAGES], kept), _MOST_PAGES * 4))


def _cut(pages: Sequence[PageLayout], kept: Sequence[PageLayout]) -> Iterator[str]:
    rest = {page.number: {id(box) for box in page.boxes} for page in kept}
    for page in pages:
        left = rest.get(page.number, set())
        yield from (box.text for box in page.boxes if isinstance(box, Line) and id(box) not in left)
