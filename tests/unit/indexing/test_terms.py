from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.store.terms import search_terms, stems


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Нагрузки на перекрытия", "НАГРУЗКА НА ПЕРЕКРЫТИЕ"),
        ("бетонной стены", "Бетонная стена"),
        ("отчёт", "отчеты"),
        ("foundations", "Foundation"),
        ("concrete load", "CONCRETE LOADS"),
    ],
)
def test_forms_of_a_word_are_one_term(text: str, other: str) -> None:
    assert stems(text) == stems(other)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("п. 5.2.1", "п 5n2n1 5 2 1"),
        ("ГОСТ 7.32-2017", "гост 7n32n2017 7 32 2017"),
        ("СП 47.13330", "сп 47n13330 47 13330"),
        ("В25 и W6", "в25 и w6"),
        ("snake_case", "snake case"),
        ("— … !", ""),
        ("", ""),
    ],
)
def test_numbers_and_marks(text: str, terms: str) -> None:
    assert " ".join(stems(text)) == terms


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("водонепроницаемость", "проницаемость"),
        ("транспортирование", "транспорт"),
        ("waterproofing", "proof"),
    ],
)
def test_related_words_share_pieces(text: str, other: str) -> None:
    shared = set(search_terms(text).split()) & set(search_terms(other).split())
    assert len(shared) >= 2
    assert set(stems(text)).isdisjoint(stems(other))


def test_pieces_tell_where_a_word_begins_and_ends() -> None:
    assert search_terms("Бетон М300 и 4 м") == "бетон м300 и 4 м бетон м300 и 4 м 0бет бето етон тон0"


@given(st.text())
def test_terms_survive_any_analyzer(text: str) -> None:
    terms = search_terms(text)
    assert terms == " ".join(terms.split())
    assert all(character.isalnum() or character == " " for character in terms)
    assert terms == terms.lower()
