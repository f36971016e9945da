from __future__ import annotations

import pytest

from extraction.plain import heading_level
from tests.support.outline import outline
from tests.unit.extraction.conftest import Read


def test_plain_text(read: Read) -> None:
    document = read(
        "СВОД ПРАВИЛ\n\nГлава 1. Общие положения\n\nПервая строка\nвторая строка.\n\nТребования:\n"
        "- одно\n  продолжение\n  - вложенное\n- другое\n\n1) раз\n2) два\n\n"
        "5.2.1 Класс бетона не ниже В25.\n",
        "norm.txt",
    )
    assert outline(document) == [
        ("title", "СВОД ПРАВИЛ"),
        ("heading2", "Глава 1. Общие положения"),
        ("paragraph", "Первая строка\nвторая строка."),
        ("paragraph", "Требования:"),
        ("list_item1", "одно\nпродолжение"),
        ("list_item2", "вложенное"),
        ("list_item1", "другое"),
        ("list_item1", "1) раз"),
        ("list_item1", "2) два"),
        ("paragraph", "5.2.1 Класс бетона не ниже В25."),
    ]
    assert document.elements[-1].clause == "5.2.1"
    assert document.title == "СВОД ПРАВИЛ"


def test_unwrapped_lines_are_paragraphs(read: Read) -> None:
    long = "слово " * 50
    assert len(read(f"{long}\nкороткая\n{long}", "a.txt").elements) == 3


def test_restructured_text(read: Read) -> None:
    document = read(
        ".. _top:\n\n=====\nTitle\n=====\n\nIntro::\n\n    >>> x\n\n    >>> y\n\nFirst\n-----\nText\n\n"
        ".. code-block:: python\n\n    a = 1\n\nSecond\n------\n\nMore.\n",
        "a.rst",
    )
    assert outline(document) == [
        ("heading1", "Title"),
        ("paragraph", "Intro::"),
        ("code", ">>> x"),
        ("code", ">>> y"),
        ("heading2", "First"),
        ("paragraph", "Text"),
        ("code", "a = 1"),
        ("heading2", "Second"),
        ("paragraph", "More."),
    ]


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("1 ОБЩИЕ ПОЛОЖЕНИЯ", 1),
        ("1.1 Область применения", 2),
        ("5.2.1 Бетон", 3),
        ("Глава 2", 2),
        ("Раздел II. Право собственности", 1),
        ("Приложение А", 1),
        ("Статья 15. Объекты", 3),
        ("Section 4.3 Scope", 1),
        ("12.05.2020", None),
        ("12.05.2020 Москва", None),
        ("2,5 м", None),
        ("5.2 мм", None),
        ("5.2 Введение ........ 7", None),
        ("1 Область применения 5", None),
        ("С. 15–20", None),
        ("5.2.1 Класс бетона должен быть не ниже В25.", None),
        ("3 балки по краю", None),
        ("Глава государства подписал закон", None),
        ("1 " + "Я" * 200, None),
    ],
)
def test_heading_level(line: str, level: int | None) -> None:
    assert heading_level(line) == level
