from __future__ import annotations

import pytest

from extraction.tables import Cell, count_title_rows, guess_header_rows, lay_out


def test_spans() -> None:
    rows = [
        [Cell("Марка", rowspan=2), Cell("Нагрузка", colspan=2)],
        [Cell("норм."), Cell("расч.")],
        [Cell("Б1"), Cell("1"), Cell("2")],
    ]
    assert lay_out(rows) == [["Марка", "Нагрузка", ""], ["Марка", "норм.", "расч."], ["Б1", "1", "2"]]


def test_cells_between_equal_texts_stay() -> None:
    assert lay_out([[Cell("а"), Cell("Класс"), Cell("а")]]) == [["а", "Класс", "а"]]


def test_unused_columns_go_and_short_rows_are_filled() -> None:
    assert lay_out([[Cell("а", colspan=3), Cell("б")], [Cell("в")]]) == [["а", "б"], ["в", ""]]


def test_long_texts_are_not_repeated_down() -> None:
    long = "я" * 1000
    assert lay_out([[Cell(long, rowspan=3), Cell("1")], [Cell("2")], [Cell("3")]]) == [
        [long, "1"], ["", "2"], ["", "3"],
    ]  # fmt: skip


def test_hostile_spans_are_cheap() -> None:
    assert lay_out([[Cell("а", colspan=10**9, rowspan=10**9)], [Cell("б")]]) == [["а", ""], ["а", "б"]]


@pytest.mark.parametrize(
    ("rows", "headers"),
    [
        ([["Марка", "Класс", "Масса"], ["Б1", "В25", "1,5"]], 1),
        ([["Марка", "Нагрузка", ""], ["", "норм.", "расч."], ["Б1", "1", "2"]], 2),
        ([["Марка", "Нагрузка", ""], ["Марка", "норм.", "расч."], ["1", "2", "3"], ["Б1", "1", "2"]], 3),
        ([["1", "2", "3"], ["4", "5", "6"]], 0),
        ([["Масса", "12 кг"], ["Класс", "В25"]], 0),
        ([["Марка", "Класс"]], 0),
        ([["я" * 300, "Класс"], ["а", "б"]], 0),
        ([], 0),
    ],
)
def test_guess_header_rows(rows: list[list[str]], headers: int) -> None:
    assert guess_header_rows(rows) == headers


def test_titles_above_a_table() -> None:
    assert count_title_rows([["Смета", ""], ["", ""], ["а", "б"]]) == 2
    assert count_title_rows([["а"], ["б"]]) == 2


def test_years_and_numbers_of_columns() -> None:
    assert guess_header_rows([["Выпуск", "2021", "2022"], ["Блоки", "1", "2"]]) == 1
    assert guess_header_rows([["Иванов", "1985", "2003"], ["Петров", "1990", "2004"]]) == 0
    assert guess_header_rows([["а", "б", "в"], ["1", "2", "3"], ["Б1", "5", "6"]]) == 2
    assert guess_header_rows([["а", "б", "в"], ["1", "2", "3"], ["2", "4", "6"]]) == 1


def test_grids_that_do_not_fit_are_one_column() -> None:
    rows = [[Cell("ш")] * 3000, *([Cell("я")] for _ in range(3000))]
    grid = lay_out(rows)
    assert {len(row) for row in grid} == {1}
    assert sum(row[0].count("ш") for row in grid) == 3000
    assert len(grid) == 3001
