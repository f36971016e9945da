from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.scorer import filled_windows, main, measure, open_scorer, read_sets, sentence_windows
from rubrica.protocols import NoProgress

TURNS = ["red red red", "red red blue", "green green", "green green", "sky sky", "sky sky sky"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "segmentation").mkdir()
    records = [
        {"sentences": TURNS, "boundaries": [2, 4]},
        {"sentences": ["one segment", "and no boundary"], "boundaries": []},
    ]
    lines = "\n".join(json.dumps(record) for record in records)
    (tmp_path / "segmentation" / "made.up.jsonl").write_text(lines)
    return tmp_path


def test_clear_turns_are_all_found(data: Path) -> None:
    sets = read_sets(data / "segmentation")
    assert [text.ends for text in sets["made.up"]] == [(False, True, False, True, False)]
    lone = [sets["made.up"][0].__class__(("a b", "a b", "c d"), (False, True))]
    result = measure("lexical", "filled", lone, "made.up", NoProgress())
    assert (result.pk, result.precision, result.pairs) == (0.0, 100.0, 2)


def test_one_table_for_all_scorers_sets_and_windows(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = main(["lexical", "boundary-ru-en", "--data", str(data), "--windows", "filled", "sentences"])
    assert capsys.readouterr().out.strip() == shown
    rows = [line.split(" | ") for line in shown.splitlines()[2:]]
    assert [row[1:3] for row in rows] == [
        ["filled", "lexical"],
        ["filled", "boundary-ru-en"],
        ["sentences", "lexical"],
        ["sentences", "boundary-ru-en"],
    ]
    assert all(0 <= float(row[3]) <= 100 and 0 < float(row[4]) <= 100 for row in rows)


def test_windows_that_are_filled_and_of_whole_sentences() -> None:
    units = [np.arange(10 * i, 10 * i + size, dtype=np.int32) for i, size in enumerate((4, 3, 2, 9))]
    filled = [(left.tolist(), right.tolist()) for left, right in filled_windows(units, 6)]
    whole = [(left.tolist(), right.tolist()) for left, right in sentence_windows(units, 6)]
    assert filled[1] == ([1, 2, 3, 10, 11, 12], [20, 21, 30, 31, 32, 33])
    assert whole[1] == ([10, 11, 12], [20, 21])
    assert whole[2] == ([10, 11, 12, 20, 21], [30, 31, 32, 33, 34, 35])


def test_the_embedder_can_be_compared() -> None:
    scorer = open_scorer("embedder")
    left, right, other = scorer.encode(["Стены кирпичные.", "Кирпич кладут на раствор.", "Dogs bark."])
    same, turn = scorer.score([(left, right), (left, other)], NoProgress())
    assert same > turn
