"""What the tests say about the requirements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.chunkers.comparisons import POOLED, Comparison, compare, verdicts
from benchmarks.chunkers.fit import Fitted
from benchmarks.chunkers.model import Cutting
from benchmarks.chunkers.ours import DEFAULT
from benchmarks.chunkers.page import verdict_lines
from benchmarks.chunkers.report import Findings, by_set, differences, overview
from benchmarks.chunkers.retrieval import Answers
from benchmarks.chunkers.run import Result


def result(
    name: str, recall: Sequence[float], *, set_name: str = "one", target: int = 128, mean: float = 128.0
) -> Result:
    values = np.array(recall, np.float64)
    answers = Answers(dict.fromkeys((1, 5, 10), values), values)
    ours = name == DEFAULT
    return Result(name, ours, set_name, target, Fitted(150, mean, Cutting(())), answers, (128,), 100.0)


def by_test(comparisons: Sequence[Comparison]) -> dict[tuple[str, int], Comparison]:
    return {(item.set_name, item.depth): item for item in comparisons}


def test_every_peer_is_compared_by_set_and_over_all_questions() -> None:
    good, bad = [1.0] * 40, [0.0] * 40
    results = [
        result(DEFAULT, good),
        result("peer", bad),
        result(DEFAULT, bad, set_name="two"),
        result("peer", bad, set_name="two"),
    ]
    found = by_test(compare(results))
    assert set(found) == {(name, depth) for name in ("one", "two", POOLED) for depth in (1, 5)}
    assert found["one", 1].verdict == "better"
    assert found["two", 1].verdict == "even"
    assert found[POOLED, 1].difference.mean == pytest.approx(0.5)


def test_the_correction_runs_over_all_comparisons() -> None:
    results = [result(DEFAULT, [1.0] * 30), result("peer", [0.0] * 30), result("other", [0.0] * 30)]
    found = compare(results)
    assert len(found) == 4
    assert all(item.p == pytest.approx(4 * item.difference.p) for item in found)


def test_a_worse_default_breaks_the_requirements_and_says_where() -> None:
    results = [result(DEFAULT, [0.0] * 40), result("peer", [1.0] * 40)]
    results += [result(r.name, r.answers.recall[1].tolist(), set_name="two") for r in results]
    told = verdicts(compare(results))
    assert [verdict.met for verdict in told] == [False, False, False]
    assert "peer, 128 tokens, one, recall@1: -100.0 points" in told[0].against[0]
    assert verdict_lines(told).count("NOT met") == 3


def test_an_even_default_breaks_only_what_asks_for_better() -> None:
    results = [
        result(name, [0.0, 1.0] * 20, set_name=s) for name in (DEFAULT, "peer") for s in ("one", "two")
    ]
    assert [verdict.met for verdict in verdicts(compare(results))] == [True, False, True]


def test_nothing_compared_is_nothing_met() -> None:
    assert not any(verdict.met for verdict in verdicts([]))


def test_sides_off_their_target_are_marked() -> None:
    comparisons = compare([result(DEFAULT, [1.0] * 9), result("peer", [1.0] * 9, mean=90.0)])
    assert not any(item.on_target for item in comparisons)
    assert differences(comparisons).rows[0][1] == "128*"


def test_tables_name_every_chunker_and_leave_empty_what_was_not_measured() -> None:
    results = [result(DEFAULT, [1.0, 0.0]), result("peer", [1.0, 1.0])]
    sheet = overview(Findings(results), 128)
    assert [row[0] for row in sheet.rows] == [DEFAULT, "peer"]
    assert sheet.rows[0][1:7] == ["", "", "50.0", "50.0", "50.0", "50.00"]
    assert sheet.rows[0][-4:] == ["", "", "", ""]
    assert by_set(results, 128).markdown().splitlines()[2:4] == ["| chunker | one |", "| --- | ---: |"]
