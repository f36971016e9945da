"""Documents to draw."""

from __future__ import annotations

from chunking.explain import Explanation
from extraction.builder import DocumentBuilder, Place
from pipeline.plots.view import Limits, View, explained_view
from rubrica.model import ElementKind
from tests.support.chunking_parts import chunker, document

LIMITS = Limits(40, 10)
WORDS = ("нагрузка", "настил", "deck", "water", "rises", "причал")


def norm(chapters: int = 4, title: str = "Причалы", extra: str = "") -> Explanation:
    """A norm of so many chapters, with pages, a table and a last paragraph of the caller's."""
    builder = DocumentBuilder()
    for number in range(1, chapters + 1):
        place = Place(page_from=number, page_to=number)
        builder.add(ElementKind.HEADING, f"{number} {WORDS[number % 6].title()}", level=1, place=place)
        for sentence in range(12):
            text = " ".join(WORDS[(number + sentence + i) % 6] for i in range(7))
            builder.add(ElementKind.PARAGRAPH, f"{text.capitalize()} {number}.{sentence}.", place=place)
    rows = [["место", "нагрузка"], *([f"настил {i}", str(i)] for i in range(12))]
    builder.add_table(rows, header_rows=1)
    if extra:
        builder.add(ElementKind.PARAGRAPH, extra)
    made = document(builder, title=title, language="ru")
    return chunker().explain(made)


def view_of_norm(chapters: int = 4, title: str = "Причалы", extra: str = "") -> View:
    """The same, ready to be drawn."""
    return explained_view(norm(chapters, title, extra), LIMITS)
