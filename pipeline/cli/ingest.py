"""``rubrica ingest``: bring the index up to date with a source."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from pipeline.cli.output import JsonOption, emit, progress_bar, show_failure, stderr, stdout
from pipeline.cli.quality import quality_lines
from pipeline.services import Services
from rubrica.model import Failure
from rubrica.settings import TASK_SECTIONS, Settings, setting_variables

PlaceArgument = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A folder, a git repository (path or URL), a sitemap, an object storage (s3://…), or the name "
        "of a source that is declared or known.",
        show_default=False,
    ),
]
_Include = Annotated[
    list[str] | None,
    typer.Option(
        help="Glob of paths to take; may be given more than once. For a known source they replace those that"
        " it had; '' takes all.",
    ),
]
_Exclude = Annotated[
    list[str] | None,
    typer.Option(
        help="Glob of paths to leave out; may be given more than once. For a known source they replace those"
        " that it had, but for single documents (/path, as `rubrica forget --exclude` adds them): '!/path'"
        " takes one back.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(ingest)


def ingest(
    place: PlaceArgument,
    *,
    as_json: JsonOption = False,
    wait: Annotated[bool, typer.Option(help="Wait for the end of the run and report it.")] = True,
    name: Annotated[str, typer.Option(help="Name of the source; made from its address by default.")] = "",
    branch: Annotated[str, typer.Option(help="Branch to follow; the repository's default otherwise.")] = "",
    include: _Include = None,
    exclude: _Exclude = None,
    kind: Annotated[
        str,
        typer.Option(help="git, folder, http or storage; told from the address by default."),
    ] = "",
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Go on where the removal guard would stop.")
    ] = False,
    here: Annotated[
        bool, typer.Option("--here", help="Run the steps in this process instead of in Airflow.")
    ] = False,
) -> None:
    """Bring the index up to date with a git repository, folder, web site or object storage.

    Only what changed since the last run is read, scored and embedded. Documents that fail are listed
    by `rubrica failures`; the others go on. Of a known source, options that are not given stay as they were.
    """
    from pipeline.ingestion import SourceOptions, declare_source
    from pipeline.steps import IngestRequest

    with Services() as services:
        options = SourceOptions(name, branch, include or (), exclude or (), kind)
        source = declare_source(services, place, options, _tell)
        request = IngestRequest(source.name, allow_removals, trigger="command")
        finish(services, request, wait=wait, here=here, as_json=as_json)


def _tell(sentence: str) -> None:
    stderr.print(f"[yellow]–[/] {escape(sentence)}", soft_wrap=True, highlight=False)


def finish(services: Services, request: Any, *, wait: bool, here: bool, as_json: bool) -> None:
    """Run a request to its end, show the outcome and leave with its exit code."""
    from pipeline.steps.verdict_step import skipped_key

    run_id, result = _run(services, request, wait=wait, here=here)
    if result is None:
        _show_started(services, run_id, as_json=as_json)
        return
    records = services.catalog.failures.find(request.source)
    failures = [record.failure for record in records if record.run_id == run_id]
    result["failed_before"] = len(records) - len(failures)
    key = skipped_key(request.source)
    for skipped in services.workspace.read_json(key) if services.workspace.exists(key) else ():
        show_skipped(skipped, as_json=as_json)
    show_run(result, failures, as_json=as_json)
    raise typer.Exit(int(bool(failures)))


def warn_of_unseen_settings(settings: Settings) -> None:
    """Tell that the local Airflow, started by another command, does not see this shell's variables."""
    if not (settings.home / "stack.env").exists():
        return
    unseen = [name for name in setting_variables(TASK_SECTIONS) if name in os.environ]
    if unseen:
        stderr.print(
            f"[yellow]{', '.join(unseen)} is set in this shell, where Airflow's tasks do not see it;[/]"
            f" put it into {settings.home / 'settings.env'}, or use --here.",
            soft_wrap=True,
        )


def _run(services: Services, request: Any, *, wait: bool, here: bool) -> tuple[str, dict[str, Any] | None]:
    from pipeline import ingestion

    with progress_bar(f"Ingesting {request.source}") as bar:

        def report(state: str, done: int, total: int) -> None:
            bar.update(done, total or None, f"Ingesting {request.source}: {state}")

        if here:
            run_id = ingestion.new_run_id(request.source)
            return run_id, ingestion.run_here(services, request, run_id, report)
        warn_of_unseen_settings(services.settings)
        with services.airflow() as client:
            run_id = ingestion.start(client, services, request)
            return run_id, ingestion.follow(client, services, run_id, report) if wait else None


def _show_started(services: Services, run_id: str, *, as_json: bool) -> None:
    url = f"{services.settings.services.airflow_url}/dags/ingest/runs/{run_id}"
    if as_json:
        emit("run", {"run_id": run_id, "state": "queued", "url": url})
    else:
        stdout.print(f"Started [bold]{run_id}[/]; follow it at {url}")


def show_skipped(skipped: dict[str, str], *, as_json: bool) -> None:
    """Tell that a path is no document, and why."""
    if as_json:
        emit("skipped", skipped)
    else:
        text = f"[yellow]–[/] {escape(skipped['path'])} [dim]{escape(skipped['reason'])}[/]"
        stderr.print(text, soft_wrap=True, highlight=False)


def show_run(result: dict[str, Any], failures: list[Failure], *, as_json: bool) -> None:
    """Show how a run ended: its failures, then its counters."""
    for failure in failures:
        show_failure(failure, as_json=as_json)
    if as_json:
        emit("run", result)
        return
    table = Table(title=f"{result['source']} at {result['to_revision'][:12]}", title_justify="left")
    for heading in ("documents", "", "chunks", "", "pairs", "", "vectors", ""):
        table.add_column(heading, justify="right" if not heading else "left")
    columns = (
        ("added", "changed", "moved", "removed", "failed", "skipped"),
        ("chunks_written", "chunks_kept", "chunks_removed"),
        ("pairs_scored", "pair_cache_hits", "pair_cache_misses", "pair_cache_errors"),
        ("chunks_embedded", "embed_cache_hits", "embed_cache_misses", "embed_cache_errors"),
    )
    for row in range(6):
        cells = []
        for names in columns:
            known = row < len(names)
            cells += (
                [names[row].split("_", 1)[-1].replace("_", " "), str(result[names[row]])]
                if known
                else ["", ""]
            )
        table.add_row(*cells)
    stdout.print(table)
    for line in quality_lines(result["quality"]) if result.get("quality") else ():
        stdout.print(line, soft_wrap=True, highlight=False)
    stdout.print(f"{result['state']} in {result['seconds']:.1f} s")
    _show_notes(result)


def _show_notes(result: dict[str, Any]) -> None:
    """Show what else should be known of a run."""
    from pipeline.drifting import drift_line

    if result["failed_before"]:
        count = result["failed_before"]
        stdout.print(f"{count} documents failed in earlier runs and did not change: `rubrica failures`.")
    if result["drift"]:
        stderr.print(f"[yellow]{escape(drift_line(result['drift']))}[/]", soft_wrap=True, highlight=False)
    for name, kind, what in (("pair", "pair", "scores"), ("embed", "vector", "vectors")):
        errors = result[f"{name}_cache_errors"]
        if errors:
            stderr.print(f"[yellow]The {kind} cache failed {errors} times;[/] {what} were computed.")
