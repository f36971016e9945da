from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from chunking.sentences import split_sentences
from chunking.units import Unit, UnitSplitter
from extraction.builder import DocumentBuilder
from extraction.language import detect_language
from rubrica.model import Document, ElementKind
from tests.support.chunking_parts import document, paragraphs


def units(
    doc: Document, *, structure: bool = True, newlines: Literal["auto", "always", "never"] = "auto"
) -> list[Unit]:
    splitter = UnitSplitter(
        split_sentences, detect_language, newline_ends_sentence=newlines, structure=structure
    )
    return splitter.split(doc)


def texts(doc: Document, found: list[Unit]) -> list[str]:
    return [doc.text[unit.start : unit.end] for unit in found]


def structured() -> Document:
    builder = DocumentBuilder()
    builder.add(ElementKind.HEADING, "1 Общие положения. Часть 1")
    builder.add(ElementKind.PARAGRAPH, "Первое предложение. Второе предложение.")
    builder.add(ElementKind.LIST_ITEM, "- пункт один;")
    builder.add(ElementKind.LIST_ITEM, "- пункт два.")
    builder.add_table([["Марка", "Класс"], ["А", "1"], ["Б. В", "2"]], header_rows=1)
    builder.add(ElementKind.CODE, "def f():\n    return 1\n\n\nx = 1. + 2")
    return document(builder, language="ru")


def test_every_kind_of_element_has_its_units() -> None:
    doc = structured()
    found = units(doc)
    assert texts(doc, found) == [
        "1 Общие положения. Часть 1",
        "Первое предложение.",
        "Второе предложение.",
        "- пункт один;",
        "- пункт два.",
        "Марка | Класс",
        "А | 1",
        "Б. В | 2",
        "def f():",
        "return 1",
        "x = 1. + 2",
    ]
    assert [unit.row for unit in found[5:]] == [0, 1, 2, 0, 1, 4]
    assert [unit.opens for unit in found[:4]] == [True, True, False, True]
    assert found[0].heading


def test_without_structure_everything_is_sentences() -> None:
    doc = structured()
    found = units(doc, structure=False)
    assert texts(doc, found)[:3] == ["1 Общие положения.", "Часть 1", "Первое предложение."]
    assert all(unit.row is None for unit in found)


def test_the_language_is_found_per_paragraph() -> None:
    english = "See Fig. 3 and Eq. 2 for the slab. It is thick."
    russian = "Требования приведены в табл. 3 и прил. Б. Далее см. п. 5."
    doc = document(paragraphs([english, russian]), language="en")
    assert texts(doc, units(doc)) == [
        "See Fig. 3 and Eq. 2 for the slab.",
        "It is thick.",
        "Требования приведены в табл. 3 и прил. Б.",
        "Далее см. п. 5.",
    ]


@pytest.mark.parametrize(
    ("media_type", "kind", "policy", "count"),
    [
        ("text/plain", ElementKind.PARAGRAPH, "auto", 2),
        ("text/plain", ElementKind.PARAGRAPH, "never", 1),
        ("text/markdown", ElementKind.PARAGRAPH, "auto", 1),
        ("text/markdown", ElementKind.PARAGRAPH, "always", 2),
        ("application/pdf", ElementKind.LIST_ITEM, "auto", 2),
        ("application/pdf", ElementKind.PARAGRAPH, "auto", 1),
    ],
)
def test_newlines(
    media_type: str, kind: ElementKind, policy: Literal["auto", "always", "never"], count: int
) -> None:
    builder = DocumentBuilder()
    builder.add(kind, "one line without a stop\nand another line")
    doc = document(builder, media_type=media_type)
    assert len(units(doc, newlines=policy)) == count


def test_text_that_no_element_covers_is_not_lost() -> None:
    doc = document(paragraphs(["First one.", "Second one.", "Third one."]))
    doc = replace(doc, elements=doc.elements[1:2])
    assert texts(doc, units(doc)) == ["First one.", "Second one.", "Third one."]


def test_a_blank_document_has_no_units() -> None:
    doc = document(DocumentBuilder())
    assert units(doc) == []
    assert units(replace(doc, text=" \n ")) == []
