from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extraction.sheets.model import Area, Cells, cut_out
from extraction.sheets.regions import find_bands, find_regions


def drawn(*lines: str) -> Cells:
    """Cells out of a drawing: one character a cell, "." is blank."""
    return {
        row: cells
        for row, line in enumerate(lines, start=1)
        if (cells := {column: sign for column, sign in enumerate(line, start=1) if sign != "."})
    }


def shapes(parts: list[Cells]) -> list[tuple[int, int]]:
    return [(len(part), len({column for row in part.values() for column in row})) for part in parts]


def test_blank_rows_part_what_does_not_go_on() -> None:
    assert shapes(find_regions(drawn("a", ".", "bcd", "123"), [])) == [(1, 1), (2, 3)]
    assert shapes(find_regions(drawn("ab", "12", "..", "cd", "34"), [])) == [(2, 2), (2, 2)]


def test_a_table_goes_on_after_a_blank_row_without_a_new_header() -> None:
    assert shapes(find_regions(drawn("ab", "12", "..", "c4", "d5"), [])) == [(4, 2)]
    assert shapes(find_regions(drawn("ab", "12", "..", "..", "..", "c4", "d5"), [])) == [(2, 2), (2, 2)]


def test_tables_side_by_side() -> None:
    assert shapes(find_regions(drawn("ab.ab", "12.34", "56.78"), [])) == [(3, 2), (3, 2)]
    assert shapes(find_regions(drawn("ab..", "12.cd", "34.56"[:5]), [])) == [(3, 2), (2, 2)]
    assert shapes(find_regions(drawn("ab.c", "12.3", "45.6"), [])) == [(3, 3)]


def test_a_merged_title_keeps_columns_together() -> None:
    cells = drawn("t....", "ab.ab", "12.34")
    assert shapes(find_regions(cells, [Area(1, 1, 1, 5)])) == [(3, 5 - 1)]


def test_a_merged_cell_keeps_rows_together() -> None:
    cells = drawn("ab", "1.", "..", "2c")
    assert shapes(find_regions(cells, [Area(2, 1, 3, 1)])) == [(3, 2)]


def test_delimited_text_is_parted_at_rows_only() -> None:
    assert shapes(find_bands(drawn("ab.ab", "12.34", ".....", "cd", "56"))) == [(2, 4), (2, 2)]


def test_cutting_out() -> None:
    inside, rest = cut_out(drawn("abc", "def"), [Area(1, 2, 2, 3)])
    assert inside == [{1: {2: "b", 3: "c"}, 2: {2: "e", 3: "f"}}]
    assert rest == {1: {1: "a"}, 2: {1: "d"}}


CELLS = st.dictionaries(
    st.integers(1, 12), st.dictionaries(st.integers(1, 12), st.sampled_from("ab12"), min_size=1), min_size=1
)
AREAS = st.builds(
    lambda top, left, height, width: Area(top, left, top + height, left + width),
    *(st.integers(1, 12), st.integers(1, 12), st.integers(0, 5), st.integers(0, 5)),
)


@given(cells=CELLS, merges=st.lists(AREAS, max_size=5))
def test_every_cell_is_in_exactly_one_part(cells: Cells, merges: list[Area]) -> None:
    parts = find_regions(cells, merges)
    found = [(row, column) for part in parts for row, columns in part.items() for column in columns]
    assert sorted(found) == sorted((row, column) for row, columns in cells.items() for column in columns)
    assert all(part and all(part.values()) for part in parts)
