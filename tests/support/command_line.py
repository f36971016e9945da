"""The command line, called in this process."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

import pytest

# Imported here, for a console that is made while a test sets COLUMNS keeps that width in the tests after it.
import pipeline.cli.output  # noqa: F401
from pipeline.cli import main


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """What it printed with ``--json``."""
        return [json.loads(line) for line in self.out.splitlines()]


class CommandLine:
    """Calls ``rubrica`` and catches its exit code and output."""

    def __init__(self, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]) -> None:
        self._patch = patch
        self._capture = capture

    def __call__(self, *arguments: str) -> Outcome:
        self._patch.setattr(sys, "argv", ["rubrica", *arguments])
        self._capture.readouterr()
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        printed = self._capture.readouterr()
        return Outcome(code, printed.out, printed.err)
