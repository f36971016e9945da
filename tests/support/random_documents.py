"""Random documents for properties: every kind of element, and text that breaks things."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from extraction.builder import DocumentBuilder, Place
from rubrica.model import Document, Element, ElementKind
from tests.support.chunking_parts import document

_WORDS = [
    *["плита", "the", "beam", "мм.", "5.2", "т. д.", "end.", "Конец.", "так:", "-", "табл.", "def", "return"],
    *[
        "e\u0301",
        "И\u0306",
        "漢字",
        "テスト。",
        "\U0001f469\u200d\U0001f680",
        "\U0001f1f7\U0001f1fa",
        "a\u0301\u0323",
    ],
    *["\u00a0", "\u3000", "\u200b", "x|y", "| |", "#", "```", "ы" * 20, "ы" * 150, "漢" * 60],
]
_ENDLESS = ["z" * 700, "щ\u0301" * 200, "\U0001f469\u200d\U0001f680" * 40, "." * 300]
_word = st.sampled_from(_WORDS) | st.text(alphabet="aщ\u0301\U0001f469\u200d漢. ", min_size=1, max_size=30)
_rarely_endless = st.integers(0, 15).flatmap(lambda n: _word if n else st.sampled_from(_ENDLESS))
_line = st.lists(_rarely_endless, min_size=1, max_size=12).map(" ".join)
_text = st.builds(
    lambda number, lines: number + "\n".join(lines),
    st.sampled_from(["", "", "", "5 ", "5.1 ", "5.1.1 ", "5.2 ", "6 ", "- ", "1) "]),
    st.lists(_line, min_size=1, max_size=4),
)
_code = st.lists(
    st.builds(lambda indent, words: " " * indent + words, st.sampled_from([0, 0, 4, 8]), _line | st.just("")),
    min_size=1,
    max_size=12,
).map("\n".join)
_rows = st.lists(st.lists(_line, min_size=1, max_size=3), min_size=1, max_size=8)
_KINDS = [kind for kind in ElementKind if kind is not ElementKind.TABLE]


@st.composite
def built_documents(draw: st.DrawFn) -> Document:
    """Documents as extraction would build them."""
    builder = DocumentBuilder()
    for number in range(draw(st.integers(1, 9))):
        place = Place(page_from=number + 1, page_to=number + 1)
        kind = draw(st.sampled_from(ElementKind))
        if kind is ElementKind.TABLE:
            builder.add_table(draw(_rows), header_rows=draw(st.integers(0, 2)), place=place)
        elif kind is ElementKind.CODE:
            inside = draw(st.sampled_from([(), ("class A",), ("class A", "def f(x)"), ("def g()",)]))
            builder.add(kind, draw(_code), place=place, inside=inside)
        else:
            level = draw(st.integers(1, 4)) if kind in {ElementKind.HEADING, ElementKind.LIST_ITEM} else None
            builder.add(kind, draw(_text), level=level, place=place)
    return _finished(draw, document(builder))


@st.composite
def raw_documents(draw: st.DrawFn) -> Document:
    """Documents that break promises: blank elements, text outside of elements, no separators."""
    text = draw(st.sampled_from(["", " ", "\n\n"]))
    elements = []
    for kind in draw(st.lists(st.sampled_from([*_KINDS, None]), min_size=1, max_size=8)):
        body = draw(_code if kind is ElementKind.CODE else _text | st.sampled_from(["", " ", "\n \n", "\t"]))
        if kind is not None and body:
            elements.append(
                Element(
                    kind,
                    len(text),
                    len(text) + len(body),
                    level=draw(st.integers(1, 3)) if kind is ElementKind.HEADING else None,
                    heading_path=draw(st.sampled_from([(), ("",), ("Above",), ("Above " * 60, "Below")])),
                    clause=draw(st.sampled_from([None, None, "5.1", "5.2"])),
                )
            )
        text += body + draw(st.sampled_from(["\n\n", "\n", " ", ""]))
    return _finished(draw, replace(document(DocumentBuilder()), text=text, elements=tuple(elements)))


def _finished(draw: st.DrawFn, doc: Document) -> Document:
    return replace(
        doc,
        title=draw(_line),
        media_type=draw(st.sampled_from(["text/plain", "text/markdown", "application/pdf"])),
        language=draw(st.sampled_from(["ru", "en", "und"])),
    )


def documents() -> st.SearchStrategy[Document]:
    """Both."""
    return built_documents() | raw_documents()
