"""Quotes in delimited text: those that open a cell, and those that are a sign of their own."""

from __future__ import annotations

import csv
import io
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.sheets.delimited import find_delimiter
from extraction.sheets.quoting import _Quoting, read_rows
from tests.unit.extraction.conftest import Read

Rows = list[list[str]]
DELIMITERS = st.sampled_from(",;\t|")
BREAKS = st.sampled_from(["\n", "\r\n", "\r"])


def tables(cells: st.SearchStrategy[str], least: int = 1) -> st.SearchStrategy[Rows]:
    """Tables of at least some columns, all rows of one width."""
    return st.integers(least, 5).flatmap(
        lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=8)
    )


def written(rows: Rows, delimiter: str, line_break: str, *, quote_all: bool = False) -> str:
    stream = io.StringIO(newline="")
    writer = csv.writer(
        stream,
        delimiter=delimiter,
        lineterminator=line_break,
        quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL,
    )
    writer.writerows(rows)
    return stream.getvalue()


@given(tables(st.text('аб",;\t|\r\n ', max_size=8)), DELIMITERS, BREAKS, st.booleans())
def test_sound_quoting_is_read_as_it_was_written(
    rows: Rows, delimiter: str, line_break: str, quote_all: bool
) -> None:
    # The writer quotes no line breaks but those that end its own lines.
    text = written(rows, delimiter, line_break, quote_all=quote_all or line_break != "\r\n")
    assert read_rows(text, delimiter) == rows
    assert _Quoting(text, delimiter).rows(None) == rows


# After a stray quote, one before blanks and a delimiter would close the cell, so no word begins with a blank.
WORD = st.from_regex(r"[абв5][абв5 ]{0,5}", fullmatch=True)
CELL = st.one_of(
    WORD,
    WORD.map(lambda word: f'{word}" {word}'),
    st.tuples(WORD, st.sampled_from(['"да"', ",", ";", "\n", "\n\n"]), WORD).map("".join),
)


@given(tables(CELL, least=2), DELIMITERS, st.data())
def test_a_stray_quote_swallows_no_row(rows: Rows, delimiter: str, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, len(rows[0]) - 1))
    sound = [written([row], delimiter, "\n", quote_all=data.draw(st.booleans())) for row in rows]
    plain = [data.draw(WORD) for _ in rows[0]]
    stray = [f'"{cell}' if i == column else cell for i, cell in enumerate(plain)]
    lines = [*sound[:number], delimiter.join(stray) + "\n", *sound[number:]]
    assert read_rows("".join(lines), delimiter) == [*rows[:number], stray, *rows[number:]]


@given(st.text('аб1",\n\r ', max_size=60), st.sampled_from(",;"))
def test_no_letter_is_lost_and_none_comes_twice(text: str, delimiter: str) -> None:
    cells = "".join(chain.from_iterable(read_rows(text, delimiter)))
    assert [char for char in cells if char.isalnum()] == [char for char in text if char.isalnum()]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('а,б\n"2 труба,5\nx,1\n', [["а", "б"], ['"2 труба', "5"], ["x", "1"]]),
        ('а,б\n"2 труба,5\n"3 труба,6\nx,1', [["а", "б"], ['"2 труба', "5"], ['"3 труба', "6"], ["x", "1"]]),
        ('а,б\n5" труба,1\nx,2', [["а", "б"], ['5" труба', "1"], ["x", "2"]]),
        ('а,б\n"5" труба",1\nx,2', [["а", "б"], ['"5" труба"', "1"], ["x", "2"]]),
        ('а,б\n"5"" труба",1\n', [["а", "б"], ['5" труба', "1"]]),
        ('а,б\n1,"конец', [["а", "б"], ["1", '"конец']]),
        ('а,б\r\n1,"x\r\n2,y\r\n', [["а", "б"], ["1", '"x'], ["2", "y"]]),
        ('"2 труба,5\nx,1\n', [['"2 труба', "5"], ["x", "1"]]),
        ('а,б\n"Рога, копыта" ООО,5\n', [["а", "б"], ['"Рога, копыта" ООО', "5"]]),
        ('а,б\n"x, y" ,"z" \n', [["а", "б"], ["x, y", "z"]]),
        ('а,б,в\n"5 тр,3" уг,7\n1,2,3\n', [["а", "б", "в"], ['"5 тр', '3" уг', "7"], ["1", "2", "3"]]),
        ('а,б\n\n"2 труба,5\n\nx,1\n', [["а", "б"], [], ['"2 труба', "5"], [], ["x", "1"]]),
        (
            'а,б,в\n"2 труба,5,x\n1,"два\nряда, да",2\n',
            [["а", "б", "в"], ['"2 труба', "5", "x"], ["1", "два\nряда, да", "2"]],
        ),
    ],
)  # fmt: skip
def test_stray_quotes(text: str, rows: Rows) -> None:
    assert read_rows(text, ",") == rows


def test_two_strays_that_close_each_other_are_told_by_the_width() -> None:
    text = 'а,б,в\n1,"2 труба,5\n2,3,труба 3"\n1,2,3\n4,5,6\n'
    assert read_rows(text, ",")[1:3] == [["1", '"2 труба', "5"], ["2", "3", 'труба 3"']]
    honest = 'а,б,в\n1,"труба\nугол"\n1,2,3\n4,5,6\n'
    assert read_rows(honest, ",")[1] == ["1", "труба\nугол"]


def test_two_strays_far_apart_are_told_by_the_lines_between() -> None:
    between = "".join(f"труба {i},{i}\n" for i in range(40))
    assert len(read_rows(f'а,б\n"2 труба,1\n{between}труба 3",1\n', ",")) == 43
    code = "".join(f'  ""k{i}"": {i},\n' for i in range(40))
    assert len(read_rows(f'а,б\n1,"{{\n{code}}}"\n2,x\n', ",")) == 3


def test_a_file_that_breaks_off_in_a_cell_of_several_lines() -> None:
    text = 'н,текст\n1,x\n2,"долгий, текст\nраз\nдва\nтри'
    assert read_rows(text, ",") == [["н", "текст"], ["1", "x"], ["2", "долгий, текст\nраз\nдва\nтри"]]


@pytest.mark.parametrize("delimiter", ["\t", ";", "|", ","])
def test_the_delimiter_is_found_beside_a_stray_quote(read: Read, delimiter: str) -> None:
    rows = (("марка", "размер, мм", "вес"), ('"2 труба', "5", "1"), ("плита; x", "7", "2"))
    quoted = [
        [f'"{cell}"' if not cell.startswith('"') and set(cell) & set(",;") else cell for cell in row]
        for row in rows
    ]
    text = "\n".join(map(delimiter.join, quoted))
    assert find_delimiter(text) == delimiter
    (table,) = read(text, "a.tsv" if delimiter == "\t" else "a.csv").elements
    assert table.rows == rows


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "part", ['"a,', '"x\n', '"a\nb",', '"a"b,', '""y\n""""z\n', '"a" ', '"x\n\n', ',"', '"\r']
)
def test_hostile_quotes_cost_their_length(part: str) -> None:
    for text in (part * 100_000, "а,б\n" * 10 + part * 100_000):
        assert read_rows(text, ",")
