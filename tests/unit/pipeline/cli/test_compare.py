"""``rubrica compare``."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.cli import compare
from pipeline.comparison import DEFAULT
from tests.support.command_line import CommandLine
from tests.unit.pipeline.cli.test_chunk_plot import NORM

QUICK = "smart,smart:window,recursive,fixed,heading"


@pytest.fixture
def rubrica(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> CommandLine:
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path / "home"))
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def norm(tmp_path: Path) -> Path:
    path = tmp_path / "норма.md"
    path.write_text(NORM + "\n".join(f"Clause {i} says what the deck must carry. " for i in range(30)))
    return path


def test_each_strategy_is_one_object(rubrica: CommandLine, norm: Path) -> None:
    done = rubrica("compare", str(norm), "--json", "--strategies", QUICK, "--max-tokens", "48")
    assert done.code == 0
    found = {item["strategy"]: item for item in done.objects}
    assert list(found) == QUICK.split(",")
    assert {item["type"] for item in done.objects} == {"comparison"}
    keys = "chunks tokens_mean tokens_median tokens_max under_min_share at_max_share tables_torn clauses_torn"
    wanted = {*keys.split(), "sharpness", "cohesion", "seconds", "pairs_scored", "documents"}
    assert all(wanted <= set(item) for item in done.objects)
    assert all(0 < item["tokens_max"] <= 48 for item in done.objects)
    assert found["smart"]["pairs_scored"] == found["smart:window"]["pairs_scored"] > 0
    assert found["recursive"]["pairs_scored"] == 0


def test_a_strategy_s_chunks_are_those_of_the_plain_command(rubrica: CommandLine, norm: Path) -> None:
    sizes = ("--max-tokens", "48")
    compared = rubrica("compare", str(norm), "--json", "--strategies", "smart:window", *sizes).objects[0]
    chunks = rubrica("chunk", str(norm), "--json", "--mode", "window", *sizes).objects
    assert compared["chunks"] == len(chunks)
    assert compared["tokens_max"] == max(chunk["tokens"] for chunk in chunks)


def test_sharpness_of_all_comes_from_the_same_scores(rubrica: CommandLine, norm: Path) -> None:
    sizes = ("--max-tokens", "48")
    alone = rubrica("compare", str(norm), "--json", "--strategies", "recursive", *sizes).objects[0]
    assert alone["sharpness"] is None
    beside = rubrica("compare", str(norm), "--json", "--strategies", "recursive,smart", *sizes).objects
    recursive, smart = beside
    assert recursive["sharpness"] < smart["sharpness"]


@pytest.mark.parametrize(("columns", "median"), [("80", False), ("140", True)])
def test_people_see_a_table_that_fits(
    rubrica: CommandLine, norm: Path, monkeypatch: pytest.MonkeyPatch, columns: str, median: bool
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    done = rubrica("compare", str(norm), "--strategies", "smart:window,recursive", "--max-tokens", "48")
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= int(columns)
    assert "…" not in done.out
    assert ("median and cohesion" not in done.out) is median
    assert [line.split()[0] for line in lines if line.strip()][3 if not median else 2 :][:2]
    assert any(line.split()[:1] == ["smart:window"] for line in lines)


def test_pages_are_written(rubrica: CommandLine, norm: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = ("--strategies", "recursive,heading", "--html", str(page))
    assert rubrica("compare", str(norm), *options).code == 0
    html = page.read_text()
    assert "recursive" in html
    assert "Сходню ставят с причала." in html
    other = tmp_path / "other.txt"
    other.write_text("One sentence.")
    done = rubrica("compare", str(norm), str(other), *options)
    assert done.code == 2
    assert "Name a folder" in done.err
    folder = ("--strategies", "recursive,heading", "--html", str(tmp_path / "pages"))
    assert rubrica("compare", str(norm), str(other), *folder, "--json").code == 0
    assert len(list((tmp_path / "pages").iterdir())) == 2


def test_a_bad_file_costs_itself(rubrica: CommandLine, norm: Path, tmp_path: Path) -> None:
    (tmp_path / "пусто.md").write_text("")
    done = rubrica("compare", str(tmp_path), "--strategies", "recursive", "--json")
    assert done.code == 1
    assert [item["type"] for item in done.objects] == ["failure", "comparison"]
    assert done.objects[1]["documents"] == 1


@pytest.mark.parametrize(
    ("strategies", "said"),
    [
        ("smart,recursiv", "Did you mean recursive?"),
        ("smart,magic", "There are smart, fixed"),
        ("smart:fast", "There are optimal, window, full"),
        ("recursive:window", "recursive has no modes"),
        ("smart,smart", "smart is named twice"),
        (" , ", "No strategy is named"),
        ("agentic", "RUBRICA_LLM_URL"),
    ],
)
def test_wrong_strategies_are_named(rubrica: CommandLine, norm: Path, strategies: str, said: str) -> None:
    done = rubrica("compare", str(norm), "--strategies", strategies)
    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_the_default_is_what_needs_no_service() -> None:
    assert ",".join(DEFAULT) == compare._DEFAULT
    assert "agentic" not in compare._DEFAULT


def test_help_teaches(rubrica: CommandLine) -> None:
    said = " ".join(rubrica("compare", "--help").out.split())
    assert "--strategies smart,recursive,smart:window" in said
    assert "--json" in said
