"""``rubrica sources`` before there is a stack, or a file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from indexing.catalog.sources import Source
from pipeline.cli import sources as module
from pipeline.declaring import Overview
from rubrica.model import SourceSpec
from sources.declared import DeclaredSource
from tests.support.command_line import CommandLine

DECLARED = (
    "sources:\n"
    "  norms: {git: https://git.example.org/norms.git, branch: main, poll: 5m}\n"
    "  letters: {folder: /srv/letters, poll: never}\n"
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path))
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", "")
    return tmp_path


@pytest.fixture
def rubrica(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)


def test_a_file_that_is_missing_is_called_missing(home: Path, rubrica: CommandLine) -> None:
    said = f"There is no file {home}/sources.yaml; `rubrica sources example` prints one."
    assert said in rubrica("sources", "check").out
    listed = rubrica("sources")
    assert said in listed.out
    assert "rubrica up" in listed.err
    (home / "sources.yaml").write_text("sources: {}\n")
    assert f"{home}/sources.yaml declares no source" in rubrica("sources", "check").out


@pytest.mark.parametrize("address", ["", "postgresql://me:word@127.0.0.1:1/none"])
def test_the_file_is_listed_before_the_stack_is_up(
    home: Path, rubrica: CommandLine, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", address)
    (home / "sources.yaml").write_text(DECLARED)
    listed = rubrica("sources")
    assert listed.code == 0
    assert listed.out.splitlines() == [
        "letters unknown",
        "  folder /srv/letters",
        "  poll never",
        "norms unknown",
        "  git https://git.example.org/norms.git",
        "  branch main, poll 5m, webhook no",
    ]
    note = " ".join(listed.err.split())
    assert "The catalog is not reachable" in note
    assert "rubrica up" in note
    assert "word" not in note
    states = [(item["name"], item["state"]) for item in rubrica("sources", "--json").objects]
    assert states == [("letters", "unknown"), ("norms", "unknown")]


def test_a_source_reads_in_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    spec = SourceSpec("harbour-norms", "git", f"https://git.example.org/{'norms/' * 20}all.git", "main")
    known = Source(spec, "a" * 40, datetime(2026, 5, 17, 9, 30, tzinfo=UTC))
    capsys.readouterr()
    module._show([Overview(spec, DeclaredSource(spec, 5400, ""), known, 12345, 678, webhook=True)])
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "harbour-norms in sync",
        f"  git {spec.location}",
        "  branch main, poll 90m, webhook yes",
        "  12345 indexed, 678 failed, last success 2026-05-17 09:30",
    ]
