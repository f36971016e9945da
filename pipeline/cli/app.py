"""The application: its commands, and how errors become exit codes."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import Annotated, Protocol

import typer

from pipeline.cli import (
    alarms,
    chunking,
    compare,
    documents,
    evaluate,
    exporter,
    failures,
    forget,
    generations,
    golden,
    ingest,
    reconcile,
    search,
    sources,
    stack,
    training,
    tune,
)
from pipeline.cli.output import show_error, stderr
from rubrica import __version__
from rubrica.errors import ConfigurationError, RubricaError
from rubrica.log import configure_logging


class _Commands(Protocol):
    """A module of commands."""

    def register(self, app: typer.Typer, /) -> None:
        """Add its commands to the application."""
        ...


app = typer.Typer(
    name="rubrica",
    help="Turns a repository of documents into a search index that stays correct by itself.",
    epilog="Start with: rubrica up, then rubrica ingest <folder or git URL>, then rubrica search <question>. "
    "Exit codes: 0 success, 1 some documents failed or a check found something, 2 wrong usage or settings, "
    "3 the run failed, the new index was refused, or the stack is down.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_INTERRUPTED = 130
_BROKEN = re.compile("[\ud800-\udfff]")
"""Bytes of an argument that are not UTF-8, as Python hands them on."""

# Panels of `rubrica --help`, with the modules whose commands stand in each.
_PANELS: dict[str, tuple[_Commands, ...]] = {
    "The stack on this machine": (stack,),
    "Follow a repository": (ingest, sources, failures),
    "Search": (search,),
    "Are the answers right?": (golden, evaluate, alarms, exporter),
    "Change the index": (tune, generations),
    "Mend and remove": (reconcile, forget),
    "Look at files and how they are cut": (documents, chunking, compare, training),
}


def _register(panel: str, modules: tuple[_Commands, ...]) -> None:
    commands, groups = len(app.registered_commands), len(app.registered_groups)
    for module in modules:
        module.register(app)
    for command in app.registered_commands[commands:]:
        command.rich_help_panel = panel
    for group in app.registered_groups[groups:]:
        group.rich_help_panel = panel


for _panel, _modules in _PANELS.items():
    _register(_panel, _modules)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rubrica {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    log_level: Annotated[
        str, typer.Option(envvar="RUBRICA_LOG_LEVEL", help="DEBUG, INFO, WARNING or ERROR.")
    ] = "WARNING",
    log_json: Annotated[
        bool, typer.Option(envvar="RUBRICA_LOG_JSON", help="Log one JSON object a line.")
    ] = False,
) -> None:
    del version
    if log_level.upper() not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
        raise typer.BadParameter("choose DEBUG, INFO, WARNING or ERROR", param_hint="--log-level")
    configure_logging(json_lines=log_json, level=log_level.upper())


def _check_arguments(arguments: Sequence[str]) -> None:
    """Refuse words that no database, model or answer could carry; the name of a file may be of any bytes.

    Raises:
        ConfigurationError: An argument is not UTF-8 and names no file.
    """
    for argument in arguments:
        if _BROKEN.search(argument) and not os.path.lexists(argument):
            raise ConfigurationError(
                f"The argument {argument!r} is not valid UTF-8.",
                hint="Type it anew, in a terminal that uses UTF-8.",
            )


def main() -> None:
    """Run the command line; the process ends with its exit code."""
    # A closed terminal or `kill` must not leave a run's lock behind: they end like Ctrl-C.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    # The name of a file may hold bytes that no terminal and no JSON can show.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _check_arguments(sys.argv[1:])
        app()
    except RubricaError as error:
        show_error(error)
        sys.exit(error.exit_code)
    except SystemExit as end:
        # Typer makes this of Ctrl-C, and says nothing.
        if end.code == _INTERRUPTED:
            stderr.print("[yellow]Interrupted.[/] The same command goes on or begins anew.")
        raise
