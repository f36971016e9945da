from __future__ import annotations

import pytest

from extraction.clauses import find_clause


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("5.2.1 Бетон класса В25", "5.2.1"),
        ("5.1.10 Настил кладут вдоль", "5.1.10"),
        ("4.12.15 Ограждение", "4.12.15"),
        ("А.3 Нагрузки", "А.3"),
        ("Приложение А (обязательное)", "Приложение А"),
        ("ПРИЛОЖЕНИЕ Б", "ПРИЛОЖЕНИЕ Б"),
        ("Приложение N 1 к постановлению", "Приложение N 1"),
        ("Приложение № 2", "Приложение № 2"),
        ("Статья 15. Права", "Статья 15"),
        ("Section 4.3 applies", "Section 4.3"),
        ("Статья 123.20-1. Вклад", "Статья 123.20-1"),
        ("Статья 5-я", "Статья 5"),
        ("Раздел IV", "Раздел IV"),
        ("Раздел XV(1). Отходы", "Раздел XV(1)"),
        ("§ 3.1 Общее", "3.1"),
        ("12.05.2020 вступил в силу", None),
        ("12.05.20 вступил в силу", None),
        ("01.7.20 вступил в силу", None),
        ("2.5 м от оси", None),
        ("5.2 мм", None),
        ("5 Общие положения", None),
        ("Приложение к договору", None),
        ("Приложение Авторы", None),
        ("Статья в журнале", None),
        ("section 871(a), you will be taxed", None),
        ("I. Общие положения", None),
        ("", None),
    ],
)
def test_the_number_that_a_paragraph_opens_with(text: str, clause: str | None) -> None:
    assert find_clause(text) == clause


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("5 Общие положения", "5"),
        ("I. Общие положения", "I"),
        ("XV(1). Отходы", "XV(1)"),
        ("2.5 м от оси", None),
        ("Введение", None),
    ],
)
def test_the_number_of_a_heading(text: str, clause: str | None) -> None:
    assert find_clause(text, heading=True) == clause
