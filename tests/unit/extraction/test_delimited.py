from __future__ import annotations

import pytest

from rubrica.model import ElementKind
from tests.support.outline import outline
from tests.unit.extraction.conftest import Read

ROWS = (("имя", "вес, кг", "класс"), ("балка; Б1", "1,5", "В25"), ("плита", "2,0", "В30"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "cp1251", "utf-16"])
def test_delimiters_and_encodings(read: Read, delimiter: str, codec: str) -> None:
    text = "\r\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in ROWS)
    (table,) = read(text.encode(codec), "a.csv").elements
    assert table.rows == ROWS
    assert table.header_rows == 1


def test_unquoted_commas_do_not_win_over_semicolons(read: Read) -> None:
    (table,) = read("имя;вес\nбалка, тип 1;1,5\nплита;2,0\n", "a.csv").elements
    assert table.rows == (("имя", "вес"), ("балка, тип 1", "1,5"), ("плита", "2,0"))


def test_line_breaks_in_cells_and_ragged_rows(read: Read) -> None:
    (table,) = read('а,б\n"раз\nдва",2\n3\n4,5,6\n', "a.csv").elements
    assert table.rows == (("а", "б", ""), ("раз два", "2", ""), ("3", "", ""), ("4", "5", "6"))


def test_titles_single_columns_and_long_fields(read: Read) -> None:
    assert outline(read("Смета,,\nа,б,в\n1,2,3\n", "a.csv"))[0] == ("paragraph", "Смета")
    assert outline(read("один\nдва\n", "a.csv")) == [("paragraph", "один"), ("paragraph", "два")]
    long = "слово " * 50_000
    document = read(f'а,б\n"{long}",2\n', "a.csv")
    assert document.elements[0].kind is ElementKind.TABLE
    assert document.text.count("слово") == 50_000


def test_nul_bytes(read: Read) -> None:
    rows = read(b"name,b\nx\0y,2\n" + b"value,3\n" * 10, "a.csv").elements[0].rows
    assert rows[:2] == (("name", "b"), ("x y", "2"))


def test_excels_own_first_line(read: Read) -> None:
    (table,) = read("sep=;\r\nа;б\r\n1,5;2,5\r\n", "a.csv").elements
    assert table.rows == (("а", "б"), ("1,5", "2,5"))


def test_commas_in_numbers_are_no_delimiters(read: Read) -> None:
    text = "марка;вес;объём\nБ1;1,5;2,5\nБ2;2,0;3,1\n"
    (table,) = read(text.encode("cp1251"), "a.csv").elements
    assert table.rows == (("марка", "вес", "объём"), ("Б1", "1,5", "2,5"), ("Б2", "2,0", "3,1"))
    (table,) = read("a,b,c\n1,2,3\n4,5,6\n", "a.csv").elements
    assert table.rows[1] == ("1", "2", "3")


def test_lines_above_and_below_and_several_tables(read: Read) -> None:
    text = (
        "Отчёт;;\nЗа год;;\n\nмарка;вес;\nБ1;1;\nБ2;2;\n\n"
        "цех;смена;выпуск\nА;1;10\nБ;2;20\nПримечание: без брака;;\n"
    )
    assert outline(read(text, "a.csv")) == [
        ("paragraph", "Отчёт"),
        ("paragraph", "За год"),
        ("table", "марка | вес\nБ1 | 1\nБ2 | 2"),
        ("table", "цех | смена | выпуск\nА | 1 | 10\nБ | 2 | 20"),
        ("paragraph", "Примечание: без брака"),
    ]


def test_an_inch_sign_does_not_swallow_the_file(read: Read) -> None:
    text = 'марка,размер\nтруба,5\n"2 труба,5\n' + "".join(f"труба {i},{i}\n" for i in range(40))
    assert len(read(text, "a.csv").elements[0].rows) == 43


def test_columns_that_only_end_lines_are_dropped(read: Read) -> None:
    assert read("а,б,\n1,2,\n", "a.csv").elements[0].rows == (("а", "б"), ("1", "2"))


@pytest.mark.timeout(120)
def test_one_long_row_and_one_long_column_make_no_grid(read: Read) -> None:
    text = "а,б\n" + "," * 100_000 + "край\n" + "в,г\n" * 100_000
    assert read(text, "a.csv").text.count("в") == 100_000
