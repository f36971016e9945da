"""Ctrl-C ends every command with a word instead of a traceback or silence."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from pipeline.cli import app as application


def test_ctrl_c_in_a_command_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted = typer.Typer(pretty_exceptions_enable=False)

    @interrupted.command()
    def work() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(application, "app", interrupted)
    monkeypatch.setattr(sys, "argv", ["rubrica"])
    with pytest.raises(SystemExit) as end:
        application.main()
    assert end.value.code == 130
    said = capsys.readouterr()
    assert said.out == ""
    assert "Interrupted" in said.err


_WHILE_LOADING = """
import sys


class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "pipeline.cli.alarms":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Interrupting())
from pipeline.cli import main

main()
"""


def test_ctrl_c_while_the_program_loads_is_no_traceback() -> None:
    command = [sys.executable, "-c", _WHILE_LOADING]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
