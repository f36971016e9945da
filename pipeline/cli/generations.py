"""``rubrica reindex``, ``generations``, ``switch`` and ``rollback``: builds of the index, side by side."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.cli.output import JsonOption, emit, folding_table, progress_bar, show_failure, stderr, stdout
from pipeline.services import Services
from rubrica.model import Failure

if TYPE_CHECKING:
    from indexing.catalog.generations import Generation
    from pipeline.reindexing import ReindexRequest

_COLORS = {"live": "green", "building": "yellow", "refused": "red", "dropped": "dim"}
_SAID = {
    "up to date": "The index is up to date with the settings; --force builds it anew all the same.",
    "nothing is indexed yet": "Nothing is indexed yet; `rubrica ingest` fills the index.",
}


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(reindex)
    app.command()(generations)
    app.command()(switch)
    app.command()(rollback)


def reindex(
    *,
    here: Annotated[
        bool, typer.Option("--here", help="Build in this process instead of in Airflow.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Build although no setting changed, or the same was refused before."),
    ] = False,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Give up the index that is being built, and delete it.")
    ] = False,
    wait: Annotated[bool, typer.Option(help="Wait for the end and report it.")] = True,
    gate: Annotated[
        bool, typer.Option(help="Ask the golden questions before readers move; --no-gate does not.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Build the index anew, with the settings as they are now, beside the one that is searched.

    Readers move to it when it holds the same documents and answers the golden questions as well; the old
    one stays for a rollback. Texts that were extracted before are not read again, scores and vectors come
    from the caches. One that was interrupted goes on where it was. It exits 3 when the new one is refused.
    """
    with Services() as services:
        if cancel:
            _cancel(services, as_json=as_json)
            return
        from pipeline.reindexing import ReindexRequest

        run_id, result = _run(services, ReindexRequest(force, gate), here=here, wait=wait)
        if result is None:
            _show_started(services, run_id, as_json=as_json)
        else:
            _show_result(result, as_json=as_json)


def _cancel(services: Services, *, as_json: bool) -> None:
    from pipeline.reindexing.dropping import cancel

    dropped = cancel(services)
    if as_json:
        emit("reindex", {"generation": dropped.number, "state": "dropped"})
    else:
        stdout.print(f"Generation {dropped.number} was given up and deleted.")


def _run(
    services: Services, request: ReindexRequest, *, here: bool, wait: bool
) -> tuple[str, dict[str, Any] | None]:
    from pipeline.cli.ingest import warn_of_unseen_settings
    from pipeline.reindexing import starting

    with progress_bar("Rebuilding the index") as bar:

        def report(state: str, done: int, total: int) -> None:
            bar.update(done, total or None, f"Rebuilding the index: {state}")

        if here:
            run_id = starting.new_run_id()
            return run_id, starting.run_here(services, request, run_id, report)
        warn_of_unseen_settings(services.settings)
        with services.airflow() as client:
            run_id = starting.start(client, services, request)
            return run_id, starting.follow(client, services, run_id, report) if wait else None


def _show_started(services: Services, run_id: str, *, as_json: bool) -> None:
    url = f"{services.settings.services.airflow_url}/dags/reindex/runs/{run_id}"
    if as_json:
        emit("reindex", {"run_id": run_id, "state": "queued", "url": url})
    else:
        stdout.print(f"Started [bold]{run_id}[/]; follow it at {url}")


def _show_result(result: dict[str, Any], *, as_json: bool) -> None:
    for failure in result.pop("failures"):
        show_failure(Failure(**failure), as_json=as_json)
    if as_json:
        emit("reindex", result)
        return
    number, outcome = result["generation"], result["outcome"]
    if outcome in _SAID:
        stdout.print(_SAID[outcome])
        return
    for change in result["drift"]:
        stdout.print(f"  {escape(change)}", soft_wrap=True, highlight=False)
    if outcome == "tried before":
        stdout.print(
            f"Generation {number} was built with these settings before; it is {result['state']}."
            f" {escape(result['note'])} `rubrica switch {number}` judges it again, `rubrica reindex --force`"
            " builds it anew.",
            soft_wrap=True,
        )
        return
    counts = f"{result['documents']} documents, {result['chunks']} chunks, {result['failed']} failed"
    stdout.print(f"Generation {number} is [bold]{result['state']}[/]: {counts}.")


def generations(*, as_json: JsonOption = False) -> None:
    """List the builds of the index: which one is searched, which can be gone back to, why others ended."""
    with Services() as services:
        known = services.catalog.generations.all(services.settings.indexing.alias)
        sizes = services.catalog.generations.sizes(services.settings.indexing.alias)
    live = next((generation for generation in known if generation.state == "live"), None)
    table = folding_table(
        "number", "state", "when", "documents", "chunks", "embedder", "settings unlike the live one", "note"
    )
    for generation in known:
        documents, chunks = sizes.get(generation.id, (0, 0))
        values = _values(generation, live) | {"documents": documents, "chunks": chunks}
        if as_json:
            emit("generation", values)
        else:
            table.add_row(*_row(values))
    if not as_json:
        stdout.print(table if known else _SAID["nothing is indexed yet"])


def _values(generation: Generation, live: Generation | None) -> dict[str, Any]:
    ours, theirs = generation.settings, live.settings if live else {}
    return {
        "number": generation.number,
        "state": generation.state,
        "collection": generation.collection,
        "created_at": generation.created_at,
        "live_at": generation.live_at,
        "ended_at": generation.ended_at,
        "embedder": generation.embedder,
        "dimension": generation.dimension,
        "unlike_live": {
            name: ours[name] for name in sorted(ours) if name in theirs and ours[name] != theirs[name]
        },
        "note": generation.note,
    }


def _row(values: dict[str, Any]) -> list[str]:
    state = values["state"]
    when: datetime = values["ended_at"] or values["live_at"] or values["created_at"]
    shown = f"[{_COLORS[state]}]{state}[/]" if state in _COLORS else state
    unlike = ", ".join(f"{name.upper()}={value}" for name, value in values["unlike_live"].items())
    return [
        str(values["number"]),
        shown,
        f"{when:%Y-%m-%d %H:%M}",
        str(values["documents"]),
        str(values["chunks"]),
        escape(values["embedder"]),
        escape(unlike),
        escape(values["note"]),
    ]


def switch(
    number: Annotated[
        int, typer.Argument(help="Number of the generation, as `rubrica generations` shows it.")
    ],
    *,
    force: Annotated[bool, typer.Option("--force", help="Do not ask the golden questions first.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Let readers move to a generation that soaks or that was refused.

    It catches up with the live one first, and answers the golden questions; ingestions wait meanwhile.
    """
    from pipeline.reindexing.starting import new_run_id
    from pipeline.reindexing.switching import switch_by_hand

    with Services() as services, progress_bar(f"Switching to generation {number}"):
        made = switch_by_hand(services, number, new_run_id(), force=force)
    _show_live(made, as_json=as_json)


def rollback(*, as_json: JsonOption = False) -> None:
    """Go back to the index that was live before; it catches up first.

    No golden question is asked. The settings stay as they are: until they are put back, the index keeps
    those that it was built with, and `rubrica reindex` does not build the same again unless it is forced.
    """
    from pipeline.reindexing.starting import new_run_id
    from pipeline.reindexing.switching import roll_back

    with Services() as services, progress_bar("Rolling back"):
        made = roll_back(services, new_run_id())
    _show_live(made, as_json=as_json)


def _show_live(made: Generation, *, as_json: bool) -> None:
    if as_json:
        emit("generation", {"number": made.number, "state": "live", "collection": made.collection})
    else:
        stdout.print(f"Generation {made.number} is [bold green]live[/].")
    if made.note:
        stderr.print(f"[dim]It was noted: {escape(made.note)}[/]", soft_wrap=True)
