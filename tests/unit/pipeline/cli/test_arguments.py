"""Arguments that are not UTF-8 end in a sentence, whatever the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine


@pytest.fixture
def rubrica(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> CommandLine:
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path))
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", "")
    return CommandLine(monkeypatch, capsys)


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "водо\udcff"),
        ("search", "водолаз", "--source", "a\udcff"),
        ("search", "водолаз", "--source=\ud800"),
        ("forget", "a\udcff.md", "--yes"),
        ("failures", "--source", "\udcff"),
    ],
)
def test_what_is_not_utf_8_is_refused(rubrica: CommandLine, arguments: tuple[str, ...]) -> None:
    ended = rubrica(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert "is not valid UTF-8" in ended.err
    assert "\\ud" in ended.err


def test_bytes_of_a_terminal_are_refused_in_a_sentence() -> None:
    command = [os.fsencode(sys.executable), b"-m", b"pipeline.cli", b"search", b"\xd0\xb2\xff"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "'в\\udcff' is not valid UTF-8" in ended.stderr


def test_a_file_may_have_any_name(rubrica: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "a\udcff.md"
    path.write_text("# Круги\n")
    [document, *_] = rubrica("extract", str(path), "--json").objects
    assert (document["title"], document["path"]) == ("Круги", str(path))
    assert "a\\udcff.md" in rubrica("extract", str(path)).out
