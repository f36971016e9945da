"""``rubrica sources``: what is watched."""

from __future__ import annotations

import typer
from rich.markup import escape

from pipeline.cli.output import JsonOption, emit, folding_table, stdout
from pipeline.services import Services
from sources.location import shown_location


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(sources)


def sources(*, as_json: JsonOption = False) -> None:
    """List the sources and how far the index has followed each."""
    with Services() as services:
        generation = services.catalog.generations.live(services.settings.indexing.alias)
        known = services.catalog.sources.all(generation.id if generation else None)
        counts = services.catalog.indexed.counts(generation.id) if generation else {}
    table = folding_table("source", "place", "branch", "indexed", "failed", "revision", "last success")
    for item in known:
        spec = item.spec
        values = {
            "name": spec.name,
            "kind": spec.kind,
            "location": shown_location(spec),
            "branch": spec.branch,
            "include": spec.include,
            "exclude": spec.exclude,
            "indexed": counts.get((spec.name, "indexed"), 0),
            "failed": counts.get((spec.name, "failed"), 0),
            "last_revision": item.last_revision,
            "last_success_at": item.last_success_at,
        }
        if as_json:
            emit("source", values)
        shown = ("name", "location", "branch", "indexed", "failed")
        when = item.last_success_at.strftime("%Y-%m-%d %H:%M") if item.last_success_at else "never"
        table.add_row(*(escape(str(values[key])) for key in shown), item.last_revision[:12], when)
    if not as_json:
        stdout.print(table if known else "No source yet; `rubrica ingest <folder or git URL>` adds one.")
