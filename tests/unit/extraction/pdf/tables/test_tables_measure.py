"""The measure by which tables are compared with their ground truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.adjacency import Cell, Score, compare, normalize, read_truth, relations
from benchmarks.table_peers import place


def table(*rows: str) -> list[Cell]:
    """Cells of a table written as "a|b" rows."""
    return [Cell(text, r, c, r, c) for r, row in enumerate(rows) for c, text in enumerate(row.split("|"))]


def test_relations_are_those_of_nearest_neighbours_with_text() -> None:
    assert relations(table("a|b", "c|d")) == {
        ("a", "b", True): 1,
        ("c", "d", True): 1,
        ("a", "c", False): 1,
        ("b", "d", False): 1,
    }


def test_blank_cells_are_passed_over() -> None:
    assert relations(table("a||b", " || ", "c||d"))[("a", "b", True)] == 1
    assert relations(table("a||b", " || ", "c||d"))[("a", "c", False)] == 1
    assert relations(table("a|", "|d")).total() == 0


def test_a_spanning_cell_has_a_relation_with_each_neighbour_once() -> None:
    cells = [Cell("head", 0, 0, 0, 1), Cell("a", 1, 0, 1, 0), Cell("b", 1, 1, 1, 1), Cell("side", 0, 2, 1, 2)]
    assert relations(cells) == {
        ("head", "a", False): 1,
        ("head", "b", False): 1,
        ("head", "side", True): 1,
        ("a", "b", True): 1,
        ("b", "side", True): 1,
    }


def test_equal_pairs_are_counted_as_often_as_they_occur() -> None:
    assert relations(table("1|1", "1|1")) == {("1", "1", True): 2, ("1", "1", False): 2}


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Margin of\nerror (±)", "marginoferror___"),
        ("10 000", "10000"),
        ("All ages . . . .", "allages"),
        ("–", "_"),
    ],
)
def test_texts_are_compared_by_letters_and_digits(text: str, normal: str) -> None:
    assert normalize(text) == normal


def test_a_table_that_was_not_found_costs_recall_and_one_that_is_none_costs_precision() -> None:
    truth = {1: [table("a|b")], 2: [table("c|d")]}
    score = compare({1: [table("a|b")], 3: [table("e|f")]}, truth)
    assert score == Score(right=1, found=2, true=2)
    assert (score.precision, score.recall, score.f1) == (0.5, 0.5, 0.5)


def test_each_table_found_counts_for_one_true_table() -> None:
    merged = {1: [table("a|b", "c|d")]}
    assert compare(merged, {1: [table("a|b"), table("c|d")]}) == Score(right=1, found=4, true=2)


def test_nothing_found_where_nothing_is_is_perfect() -> None:
    assert compare({}, {}).f1 == 1.0
    assert compare({}, {1: [table("a|b")]}).recall == 0.0


def test_ground_truth_is_read_with_its_spans(tmp_path: Path) -> None:
    path = tmp_path / "x-str.xml"
    path.write_text(
        "<document><table id='1'><region id='1' page='2'>"
        "<cell id='1' start-row='0' start-col='0' end-col='1'><content>Head</content></cell>"
        "<cell id='2' start-row='1' start-col='0'><content>a</content></cell>"
        "</region></table></document>",
        encoding="utf-8",
    )
    assert read_truth(path) == {2: [[Cell("Head", 0, 0, 0, 1), Cell("a", 1, 0, 1, 0)]]}


def test_boxes_are_placed_on_rows_and_columns() -> None:
    boxes = [
        ((0.0, 0.0, 100.0, 10.0), "head"),
        ((0.0, 10.2, 50.0, 20.0), "a"),
        ((50.3, 10.0, 100.0, 20.0), "b"),
    ]
    assert place(boxes) == [Cell("head", 0, 0, 0, 1), Cell("a", 1, 0, 1, 0), Cell("b", 1, 1, 1, 1)]
