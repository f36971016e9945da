"""``rubrica failures`` and ``rubrica retry``: the dead-letter list."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.cli.output import JsonOption, emit, show_failure, stdout
from pipeline.searching import check_source
from pipeline.services import Services
from rubrica.errors import ConfigurationError

_SourceOption = Annotated[str | None, typer.Option("--source", help="Only of this source.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(failures)
    app.command()(retry)


def failures(*, source: _SourceOption = None, as_json: JsonOption = False) -> None:
    """List the documents that failed: which, in which stage, why, and what to do."""
    with Services() as services:
        check_source(services, source)
        records = services.catalog.failures.find(source)
    for record in records:
        show_failure(record.failure, as_json=as_json, console=stdout)
    if not records and not as_json:
        stdout.print("No document has failed.")


def retry(
    paths: Annotated[
        list[str] | None, typer.Argument(help="Paths to retry; all that failed by default.")
    ] = None,
    *,
    source: _SourceOption = None,
    here: Annotated[bool, typer.Option("--here", help="Run in this process instead of in Airflow.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Try failed documents again, although they did not change."""
    from pipeline.cli.ingest import finish
    from pipeline.steps import IngestRequest

    with Services() as services:
        check_source(services, source)
        records = services.catalog.failures.retry(source, paths or None)
        known = {record.failure.path for record in records}
        unknown = sorted(set(paths or ()) - known)
        if unknown:
            raise ConfigurationError(
                f"No failure is known of {', '.join(map(repr, unknown))}.", hint="See `rubrica failures`."
            )
        if not records and as_json:
            emit("run", {"state": "success", "failed": 0})
        elif not records:
            stdout.print("No document has failed.")
        code = 0
        for name in sorted({record.failure.source for record in records}):
            try:
                finish(services, IngestRequest(name, trigger="retry"), wait=True, here=here, as_json=as_json)
            except typer.Exit as ended:
                code = max(code, ended.exit_code)
    raise typer.Exit(code)
