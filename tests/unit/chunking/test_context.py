from __future__ import annotations

import unicodedata

import pytest

from chunking.context import ContextLine, shortenings
from chunking.tokens import TokenBudget
from chunking.units import Unit
from extraction.builder import DocumentBuilder
from extraction.extract import extract
from rubrica.model import Chunk, Document, ElementKind
from rubrica.settings import ExtractionSettings
from tests.support.chunk_invariants import check_chunks
from tests.support.chunking_parts import WordCounter, chunker, document

P, H, L, T = ElementKind.PARAGRAPH, ElementKind.HEADING, ElementKind.LIST_ITEM, ElementKind.CAPTION


def chunks(doc: Document, limit: int = 40) -> list[Chunk]:
    found = list(chunker(max_tokens=limit).chunk_one(doc).chunks)
    check_chunks(doc, found, WordCounter(), limit)
    return found


def context(chunk: Chunk) -> str:
    return chunk.text.removesuffix(chunk.body).strip()


def words(word: str, count: int) -> str:
    return " ".join(f"{word.capitalize()} номер {i} есть тут." for i in range(count))


def norm() -> DocumentBuilder:
    builder = DocumentBuilder()
    builder.add(H, "5 Нагрузки", level=1)
    return builder


def test_the_rest_of_a_long_clause_says_its_number() -> None:
    builder = norm()
    builder.add(P, f"5.1 {words('вес', 12)}")
    first, *rest = chunks(document(builder, title="Свод"))
    assert "5.1" not in context(first)
    assert rest
    assert {context(chunk) for chunk in rest} == {"Свод › 5 Нагрузки › 5.1"}


def test_a_clause_that_is_a_heading_is_said_once() -> None:
    builder = norm()
    builder.add(H, "5.1 Снег", level=2)
    builder.add(P, words("снег", 12))
    *_, last = chunks(document(builder, title="Свод"))
    assert context(last) == "Свод › 5 Нагрузки › 5.1 Снег"


def test_an_appendix_is_said() -> None:
    builder = DocumentBuilder()
    builder.add(H, "Приложение А", level=1)
    builder.add(P, f"А.1 {words('форма', 12)}")
    *_, last = chunks(document(builder))
    assert context(last) == "Приложение А › А.1"


def test_c07_a_table_that_goes_on_says_caption_and_header() -> None:
    builder = norm()
    builder.add(T, "Таблица 3 — Снег")
    rows = [["Район", "Вес"], *([f"Район {i}", f"{i} кПа"] for i in range(20))]
    builder.add_table(rows, header_rows=1)
    first, *rest = chunks(document(builder))
    assert first.body.startswith("5 Нагрузки\n\nТаблица 3 — Снег\n\nРайон | Вес\nРайон 0")
    assert {context(chunk) for chunk in rest} == {"5 Нагрузки › Таблица 3 — Снег\nРайон | Вес"}


@pytest.mark.parametrize(
    "name",
    [
        "норма.txt",
        unicodedata.normalize("NFD", "Лебёдка й.txt"),
        "ab  cd.txt",
        "a\u00a0b.txt",
        "a\u200bb.txt",
    ],
)
def test_a_title_made_of_the_files_name_is_not_said(name: str) -> None:
    doc = extract("Первое предложение.\n".encode(), f"docs/{name}", ExtractionSettings())
    (chunk,) = chunker().chunk_one(doc).chunks
    assert chunk.text == "Первое предложение."


def test_a_list_that_goes_on_says_its_lead_in() -> None:
    builder = norm()
    builder.add(P, "5.2 Учитывают:")
    for i in range(20):
        builder.add(L, f"- вес номер {i};", level=1)
    _, *rest = chunks(document(builder))
    assert {context(chunk) for chunk in rest} == {"5 Нагрузки › 5.2 Учитывают:"}


def test_c06_a_context_line_that_does_not_fit_loses_its_middle_then_its_title() -> None:
    builder = norm()
    builder.add(P, f"5.1 {words('вес', 40)}")
    doc = document(builder, title="Очень длинное название свода правил о нагрузках и воздействиях на здания")
    *_, last = chunks(doc)
    assert context(last) == "5 Нагрузки › 5.1"
    assert list(shortenings("a › b › c")) == ["a › b › c", "a › c", "b › c", "c"]
    assert list(shortenings("a")) == ["a"]
    assert list(shortenings("")) == []


def test_a_caption_longer_than_a_context_line_is_cut_at_a_word() -> None:
    builder = DocumentBuilder()
    builder.add_table([["a", "b"], ["c", "d"]], header_rows=1)
    doc = document(builder)
    budget = TokenBudget(WordCounter(), 40)
    unit = Unit(0, 5, doc.elements[0], row=1, opens=False)
    line = ContextLine(budget).of(doc, unit, None, "Таблица о снеге и ветре на всех зданиях и сооружениях")
    assert line == "Таблица о снеге и ветре на всех зданиях"


def test_an_edit_at_the_top_keeps_the_chunks_below() -> None:
    def built(opening: str) -> Document:
        builder = norm()
        builder.add(P, f"5.1 {opening}")
        for number in range(2, 6):
            builder.add(P, f"5.{number} {words('ветер', 14)}")
        return document(builder, title="Свод")

    before = {chunk.id for chunk in chunks(built("Учитывают снег."))}
    after = {chunk.id for chunk in chunks(built("Учитывают снег, ветер и гололёд. Иное не учитывают."))}
    assert len(before - after) == 1
    assert len(after - before) == 1


def line_above(title: str = "", heading: str = "", within: str | None = None) -> str:
    builder = DocumentBuilder()
    if heading:
        builder.add(H, heading, level=1)
    builder.add(P, "Текст.")
    doc = document(builder, title=title)
    last = doc.elements[-1]
    unit = Unit(last.start, last.end, last)
    return ContextLine(TokenBudget(WordCounter(), 100)).of(doc, unit, within=within)


@pytest.mark.parametrize(
    ("within", "said"),
    [
        ("6.1.1", ""),
        ("5.2", "5 Методы"),
        ("1.2", "5 Методы"),
        ("7", "5 Методы"),
        (None, "5 Методы"),
        ("А.6.1", "5 Методы"),
    ],
)
def test_a_section_that_the_numbering_has_left_is_not_said(within: str | None, said: str) -> None:
    assert line_above(heading="5 Методы", within=within) == said


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("БЕТОНЫ ТЯЖЕЛЫЕ. Технические условия", "Бетоны тяжелые. Технические условия"),
        ("ГОСТ Р 1.5 ПРАВИЛА ПОСТРОЕНИЯ", "ГОСТ Р 1.5 Правила построения"),
        ("СП МКД", "СП МКД"),
        ("ISO and NASA", "ISO and NASA"),
        ("SAFETY OF LIFTS — Part 2", "Safety of lifts — Part 2"),
        ("ПодЗЕМНЫЕ", "ПодЗЕМНЫЕ"),
    ],
)
def test_capitals_are_said_as_in_a_sentence(title: str, said: str) -> None:
    assert line_above(title=title) == said
