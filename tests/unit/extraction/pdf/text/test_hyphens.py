"""E06, E07: soft hyphens go, hyphenation is undone, hyphens of words and numbers stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.pdf.text.hyphens import LineJoiner


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["строи-", "тельство"], "строительство"),
        (["инженерно-", "геологические"], "инженерно-геологические"),
        (["конст\u00ad", "рукции"], "конструкции"),
        (["инже\u00adнер"], "инженер"),
        (["санитарно-\u00ad", "защитная"], "санитарно-защитная"),
        (["лифто- и", "мусоропроводы"], "лифто- и мусоропроводы"),
        (["СП 47.13330-", "2016"], "СП 47.13330-2016"),
        (["5-", "10 м"], "5-10 м"),
        (["СНиП 11\u00ad", "02\u00ad96"], "СНиП 11-02-96"),
        (["Санкт-", "Петербург"], "Санкт-Петербург"),
        (["кто-", "то другой"], "кто-то другой"),
        (["возможно-", "стей"], "возможностей"),
        (["одно-", "временно"], "одновременно"),
        (["толщина —", "20 мм"], "толщина — 20 мм"),
        (["зазор -", "не более"], "зазор - не более"),
        (["два", "слова"], "два слова"),
        (["инженерно\u00ad", "геологические"], "инженерно-геологические"),
        (["физико\u00ad", "механические"], "физико-механические"),
        (["много\u00ad", "этажные"], "многоэтажные"),
        (["СТРОИ-", "ТЕЛЬСТВО"], "СТРОИТЕЛЬСТВО"),
        (["ИНЖЕНЕРНО-", "ГЕОЛОГИЧЕСКИЕ"], "ИНЖЕНЕРНО-ГЕОЛОГИЧЕСКИЕ"),
        (["сеть ТЭЦ-", "ПВК"], "сеть ТЭЦ-ПВК"),
        (["like-for-", "like"], "like-for-like"),
        (["an evidence-", "based view"], "an evidence-based view"),
        (["repre-", "sentation"], "representation"),
        (["ГОСТ 27751—", "88"], "ГОСТ 27751—88"),
        (["МПа/", "см"], "МПа/см"),
        (["web-", "сервер"], "web-сервер"),
        (["https://", "example.org/a"], "https://example.org/a"),
        (["Голубков //", "Маркетинг"], "Голубков // Маркетинг"),
        ([], ""),
    ],
)
def test_lines_are_joined_as_a_reader_would(lines: list[str], expected: str) -> None:
    assert LineJoiner(lines).join(lines) == expected


def test_a_word_that_the_document_writes_with_a_hyphen_keeps_it() -> None:
    document = ["The long-term plan is open.", "This is a long-", "term plan."]
    assert LineJoiner(document).join(document[1:]) == "This is a long-term plan."


def test_a_narrow_column_cuts_words_without_a_hyphen() -> None:
    joiner = LineJoiner(["Вся документация и проект готовы, сведения есть."])
    assert joiner.join_cell(["документац", "ия"]) == "документация"
    assert joiner.join_cell(["проект", "готовы"]) == "проект готовы"
    assert joiner.join_cell(["сведения", "о проекте"]) == "сведения о проекте"
    assert joiner.join_cell(["разрабатывает", "ся"]) == "разрабатывается"
    assert joiner.join(["документац", "ия"]) == "документац ия"


def test_a_word_that_the_document_writes_closed_is_joined() -> None:
    document = ["Все железобетонные плиты.", "Здесь железо-", "бетонные плиты."]
    assert LineJoiner(document).join(document[1:]) == "Здесь железобетонные плиты."


def test_a_compound_that_the_document_writes_with_other_endings_keeps_its_hyphen() -> None:
    document = ["Вот геолого-разведочные работы и планы.", "Здесь геолого\u00ad", "поисковые работы."]
    assert LineJoiner(document).join(document[1:]) == "Здесь геологопоисковые работы."
    document[0] = "Вот зонально-климатические условия и планы."
    document[1] = "Здесь зонально\u00ad"
    assert LineJoiner(document).join(document[1:]) == "Здесь зонально-поисковые работы."


@given(st.lists(st.text(alphabet="аб -\u00ad1A.", min_size=1, max_size=12), max_size=6))
def test_joining_loses_no_letter(lines: list[str]) -> None:
    joined = LineJoiner(lines).join(lines)
    assert [c for c in joined if c.isalnum()] == [c for line in lines for c in line if c.isalnum()]
    assert "\u00ad" not in joined
