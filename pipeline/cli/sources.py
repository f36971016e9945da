"""``rubrica sources``: what is watched, and what the file of sources declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape

from pipeline.cli.output import JsonOption, emit, progress_bar, stderr, stdout
from pipeline.services import Services
from rubrica.errors import ServiceUnavailableError, StackDownError
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
    settings = Settings()
    try:
        found = _overview(settings)
    except (StackDownError, ServiceUnavailableError):
        if not as_json:
            _tell_none(settings)
        raise
    if as_json:
        for item in found:
            emit("source", _values(item))
    elif not found:
        _tell_none(settings)
        stdout.print("`rubrica ingest <folder or git URL>` adds a source without it.")
    else:
        _show(found)


@_sources.command()
def check(*, as_json: JsonOption = False) -> None:
    """Validate the file of sources and try each: can it be read, and how many documents are there?

    Nothing is changed, and no service is needed. Exit code 1: some sources cannot be read.
    """
    from pipeline.declaring import check as try_sources
    from sources.declared import declared_sources

    settings = Settings()
    declared = [item.spec for item in declared_sources(settings)]
    failed = 0
    with progress_bar("Trying the sources", len(declared)) as bar:
        for result in try_sources(settings, declared):
            bar.advance()
            failed += result.error is not None
            _show_checked(result, as_json=as_json)
    if not declared and not as_json:
        _tell_none(settings)
    raise typer.Exit(int(bool(failed)))


@_sources.command()
def sync(*, as_json: JsonOption = False) -> None:
    """Register the declared sources, so that schedules and webhooks know them. Nothing is ever removed."""
    from pipeline.declaring import sync_declared

    with Services() as services:
        done, settings = sync_declared(services), services.settings
    groups = (("added", done.added), ("changed", done.changed), ("unchanged", done.unchanged))
    if as_json:
        emit("sources", dict(groups) | {"undeclared": done.undeclared})
        return
    for word, names in groups:
        if names:
            stdout.print(f"{word}: {', '.join(names)}", highlight=False)
    if done.undeclared:
        stdout.print(f"not in the file, left as they are: {', '.join(done.undeclared)}", highlight=False)
    if any(names for _, names in groups):
        stdout.print("Registering reads nothing; `rubrica sources check` tries whether each can be read.")
    else:
        _tell_none(settings)


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


def _overview(settings: Settings) -> list[Overview]:
    """All sources; where there is no catalog those of the file, with a word about it.

    Raises:
        StackDownError: There is no catalog, and the file declares nothing either.
        ServiceUnavailableError: The same.
    """
    from pipeline.declaring import declared_overview, overview

    try:
        with Services(settings) as services:
            return overview(services)
    except (StackDownError, ServiceUnavailableError) as error:
        found = declared_overview(settings)
        if not found:
            raise
        stderr.print(f"The catalog is not reachable, this is the file alone: {escape(str(error))}")
        return found


def _tell_none(settings: Settings) -> None:
    from sources.declared import sources_file

    path = sources_file(settings)
    said = (
        f"{path} declares no source; `rubrica sources example` shows how."
        if path.exists()
        else f"There is no file {path}; `rubrica sources example` prints one."
    )
    stdout.print(escape(said), soft_wrap=True, highlight=False)


def _show(found: list[Overview]) -> None:
    """One source a block: its lines fit 80 columns, and an address stays whole to be copied."""
    for item in found:
        spec = item.spec
        lines = (
            f"[bold]{escape(spec.name)}[/] [dim]{item.state}[/]",
            f"  {spec.kind} {escape(shown_location(spec))}",
            f"  {escape(', '.join(_followed(item)))}",
            f"  {_reached(item)}" if item.asked else "",
        )
        for line in filter(None, lines):
            stdout.print(line, soft_wrap=True, highlight=False)
    if any(item.state in ("declared", "changed") for item in found):
        stderr.print("`rubrica sources sync` registers what is declared.")


def _followed(item: Overview) -> Iterator[str]:
    """How changes of a source are heard of."""
    if item.spec.kind == "git":
        yield f"branch {item.spec.branch or 'of the repository'}"
    yield f"poll {_duration(item.declared.poll_s)}" if item.declared else "poll never"
    if item.spec.kind == "git":
        yield f"webhook {'yes' if item.webhook else 'no'}"


def _reached(item: Overview) -> str:
    when = item.known.last_success_at if item.known else None
    shown = when.strftime("%Y-%m-%d %H:%M") if when else "never"
    return f"{item.indexed} indexed, {item.failed} failed, last success {shown}"


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
