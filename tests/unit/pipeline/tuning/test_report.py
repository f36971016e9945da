from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.tuning.applying import overruled, setting_lines, write_settings
from pipeline.tuning.report import findings, pareto_front
from pipeline.tuning.study import Candidate
from rubrica.settings import Settings
from tests.support.tuning import outcome


def candidates(*points: tuple[int, float]) -> list[Candidate]:
    return [Candidate(i, outcome(*point), current=i == 0) for i, point in enumerate(points)]


def test_the_front_holds_what_no_other_beats() -> None:
    tried = candidates((100, 0.8), (50, 0.6), (60, 0.5), (100, 0.7), (200, 0.9), (300, 0.9))
    assert [item.number for item in pareto_front(tried)] == [1, 0, 4]


def test_the_best_has_the_most_recall_then_the_least_cost() -> None:
    tried = candidates((100, 0.5), (300, 0.9), (200, 0.9), (50, 0.2))
    found = findings(tried, tried[0])
    assert found.best.number == 2
    assert found.improves
    assert (found.comparison.before, found.comparison.after) == (0.5, 0.9)
    assert found.comparison.significant()
    assert len(found.comparison.better) == 8


def test_the_best_of_many_is_judged_as_one_of_many() -> None:
    tried = candidates((100, 0.5), (300, 0.9), *((200 + i, 0.1) for i in range(20)))
    assert findings(tried[:2], tried[0]).comparison.significant()
    found = findings(tried, tried[0])
    assert found.best.number == 1
    assert found.comparison.p == pytest.approx(21 * findings(tried[:2], tried[0]).comparison.p)
    assert not found.comparison.significant()


def test_nothing_better_is_said_so() -> None:
    tried = candidates((100, 0.9), (200, 0.9), (50, 0.2))
    found = findings(tried, tried[0])
    assert found.best.number == 0
    assert not found.improves
    assert found.comparison.p == 1.0


def test_as_much_for_less_is_better() -> None:
    tried = candidates((100, 0.9), (50, 0.9))
    assert findings(tried, tried[0]).improves


def test_equal_settings_count_once() -> None:
    first, again = (
        Candidate(0, outcome(100, 0.5), current=True),
        Candidate(3, outcome(100, 0.5), current=False),
    )
    assert findings([first, again], first).candidates == (first,)


def test_writing_keeps_what_else_the_file_says(tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    file.write_text("# mine\nRUBRICA_ALIAS=docs\nRUBRICA_MAX_TOKENS=128\n\nOTHER='a b'\n")
    values = {"strategy": "heading", "max_tokens": 320, "min_tokens": 80, "context_line": False}
    assert write_settings(tmp_path, values) == file
    assert file.read_text() == (
        "# mine\nRUBRICA_ALIAS=docs\nRUBRICA_MAX_TOKENS=320\n\nOTHER='a b'\n"
        "RUBRICA_STRATEGY=heading\nRUBRICA_MIN_TOKENS=80\nRUBRICA_CONTEXT_LINE=false\n"
    )
    read = Settings(home=tmp_path).chunking
    assert (read.strategy, read.max_tokens, read.min_tokens, read.context_line) == ("heading", 320, 80, False)
    assert "RUBRICA_CONTEXT_LINE=false" in setting_lines(values)


def test_a_variable_of_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_OVERLAP", "8")
    assert overruled({"overlap": 0, "max_tokens": 96}) == ["RUBRICA_OVERLAP"]
