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
