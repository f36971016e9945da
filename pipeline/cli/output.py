"""What a command shows: JSON lines for programs, tables and progress for people.

Standard output carries results only; logs, progress and errors go to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from rubrica.errors import RubricaError
from rubrica.model import Failure

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]

stdout = Console()
stderr = Console(stderr=True)


def emit(kind: str, values: dict[str, Any]) -> None:
    """Print one JSON object with its type first."""
    try:
        sys.stdout.write(json.dumps({"type": kind} | values, ensure_ascii=False, default=str) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) has seen enough; Python must not complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None


def show_failure(failure: Failure, *, as_json: bool, console: Console = stderr) -> None:
    """Tell that a document failed, where, why and what to do."""
    if as_json:
        values = {
            "path": failure.path,
            "stage": failure.stage,
            "reason": failure.reason,
            "hint": failure.hint,
            "error": failure.error,
            "source": failure.source,
        }
        emit("failure", values)
        return
    console.print(f"[red]✗[/] [bold]{escape(failure.path)}[/] [dim]{failure.stage}[/]", soft_wrap=True)
    console.print(f"  {escape(failure.reason)} [dim]{escape(failure.hint)}[/]", soft_wrap=True)


def show_error(error: RubricaError) -> None:
    """Print an error as one clear sentence and its hint."""
    stderr.print(f"[red]Error:[/] {escape(str(error))}", soft_wrap=True)


def folding_table(*headings: str) -> Table:
    """A table that breaks long values over lines instead of cutting them: people copy them."""
    table = Table()
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


class Bar:
    """A progress bar that long work advances."""

    def __init__(self, progress: Progress, title: str, total: int | None, *, visible: bool = True) -> None:
        self._progress = progress
        self._task = progress.add_task(title, total=total, visible=visible)

    def advance(self, amount: int = 1) -> None:
        """Report that ``amount`` more units are done."""
        self._progress.update(self._task, advance=amount, visible=True)

    def beside(self, title: str, total: int | None = None) -> Bar:
        """A second bar under this one, seen from its first advance on."""
        return Bar(self._progress, title, total, visible=False)

    def update(self, done: int, total: int | None = None, title: str | None = None) -> None:
        """Set how far the work has come."""
        self._progress.update(self._task, completed=done, total=total, description=title)


@contextmanager
def progress_bar(title: str, total: int | None = None) -> Iterator[Bar]:
    """A bar on standard error while the block runs; invisible where that is no terminal."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=stderr, transient=True, disable=not stderr.is_terminal) as progress:
        yield Bar(progress, title, total)
