"""``rubrica sources``: what is watched, and what the file of sources declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape

from pipeline.cli.output import JsonOption, emit, folding_table, progress_bar, stderr, stdout
from pipeline.services import Services
from rubrica.settings import Settings
from sources.location import shown_location

if TYPE_CHECKING:
    from pipeline.declaring import Checked, Overview

_MINUTE, _HOUR = 60, 3600

_sources = typer.Typer(
    help="What is watched: without a command the sources are listed.", invoke_without_command=True
)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(_sources, name="sources")


@_sources.callback()
def list_sources(context: typer.Context, *, as_json: JsonOption = False) -> None:
    """List the sources, declared and known, and how far the index has followed each.

    Sources are declared in the file `sources.yaml` of RUBRICA_HOME (RUBRICA_SOURCES_FILE), or added by
    `rubrica ingest`. `check` tries the declared ones, `sync` registers them, `example` prints a file.
    """
    if context.invoked_subcommand:
        return
    from pipeline.declaring import overview

    with Services() as services:
        found = overview(services)
    if as_json:
        for item in found:
            emit("source", _values(item))
    elif not found:
        stdout.print("No source yet; `rubrica ingest <folder or git URL>` adds one.")
    else:
        _show(found)


@_sources.command()
def check(*, as_json: JsonOption = False) -> None:
    """Validate the file of sources and try each: can it be read, and how many documents are there?

    Nothing is changed, and no service is needed. Exit code 1: some sources cannot be read.
    """
    from pipeline.declaring import check as try_sources
    from sources.declared import declared_sources, sources_file

    settings = Settings()
    declared = [item.spec for item in declared_sources(settings)]
    failed = 0
    with progress_bar("Trying the sources", len(declared)) as bar:
        for result in try_sources(settings, declared):
            bar.advance()
            failed += result.error is not None
            _show_checked(result, as_json=as_json)
    if not declared and not as_json:
        stdout.print(f"{sources_file(settings)} declares no source; `rubrica sources example` shows how.")
    raise typer.Exit(int(bool(failed)))


@_sources.command()
def sync(*, as_json: JsonOption = False) -> None:
    """Register the declared sources, so that schedules and webhooks know them. Nothing is ever removed."""
    from pipeline.declaring import sync_declared

    with Services() as services:
        done = sync_declared(services)
    groups = (("added", done.added), ("changed", done.changed), ("unchanged", done.unchanged))
    if as_json:
        emit("sources", dict(groups) | {"undeclared": done.undeclared})
        return
    for word, names in groups:
        if names:
            stdout.print(f"{word}: {', '.join(names)}", highlight=False)
    if done.undeclared:
        stdout.print(f"not in the file, left as they are: {', '.join(done.undeclared)}", highlight=False)
    if not any(names for _, names in groups) and not done.undeclared:
        stdout.print("No source is declared; `rubrica sources example` shows how.")


@_sources.command()
def example() -> None:
    """Print a file of sources that shows everything, with comments."""
    from pipeline.declaring import EXAMPLE

    typer.echo(EXAMPLE, nl=False)


def _values(item: Overview) -> dict[str, Any]:
    spec, known, declared = item.spec, item.known, item.declared
    return {
        "name": spec.name,
        "kind": spec.kind,
        "location": shown_location(spec),
        "branch": spec.branch,
        "include": spec.include,
        "exclude": spec.exclude,
        "state": item.state,
        "poll_s": declared.poll_s if declared else None,
        "webhook": item.webhook,
        "indexed": item.indexed,
        "failed": item.failed,
        "last_revision": known.last_revision if known else "",
        "last_success_at": known.last_success_at if known else None,
    }


def _show(found: list[Overview]) -> None:
    table = folding_table(
        "source", "kind", "place", "branch", "poll", "webhook", "indexed", "failed", "last success", "file"
    )
    for item in found:
        values = _values(item)
        when = values["last_success_at"]
        cells = (
            *(values[key] for key in ("name", "kind", "location", "branch")),
            _duration(values["poll_s"]) if item.declared else "",
            "yes" if values["webhook"] else "no",
            values["indexed"],
            values["failed"],
            when.strftime("%Y-%m-%d %H:%M") if when else "never",
            item.state,
        )
        table.add_row(*(escape(str(cell)) for cell in cells))
    stdout.print(table)
    if any(item.state in ("declared", "changed") for item in found):
        stderr.print("`rubrica sources sync` registers what is declared.")


def _show_checked(result: Checked, *, as_json: bool) -> None:
    spec, error = result.spec, result.error
    if as_json:
        values = {
            "name": spec.name,
            "kind": spec.kind,
            "location": shown_location(spec),
            "ok": error is None,
            "documents": result.documents,
            "skipped": result.skipped,
            "reason": error.reason if error else "",
            "hint": error.hint if error else "",
        }
        emit("source", values)
    elif error is not None:
        text = f"[red]✗[/] [bold]{spec.name}[/] {escape(error.reason)} [dim]{escape(error.hint)}[/]"
        stdout.print(text, soft_wrap=True, highlight=False)
    else:
        text = f"[green]✓[/] [bold]{spec.name}[/] {result.documents} documents, {result.skipped} skipped"
        stdout.print(f"{text} [dim]{escape(shown_location(spec))}[/]", soft_wrap=True, highlight=False)


def _duration(seconds: int | None) -> str:
    if seconds is None:
        return "never"
    for unit, length in (("h", _HOUR), ("m", _MINUTE)):
        if seconds % length == 0:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"
