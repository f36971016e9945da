"""``rubrica search``: ask the index."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape
from rich.padding import Padding

from pipeline.cli.output import JsonOption, emit, stdout
from pipeline.services import Services
from rubrica.model import Hit

_SHOWN_CHARACTERS = 400


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(search)


def search(
    words: Annotated[
        list[str],
        typer.Argument(metavar="QUERY", help="What to look for; quotes are not needed.", show_default=False),
    ],
    *,
    k: Annotated[int, typer.Option("--k", "-k", min=1, max=1000, help="How many hits.")] = 5,
    source: Annotated[str | None, typer.Option(help="Only of this source.")] = None,
    path: Annotated[str | None, typer.Option(help="Only of paths that match this glob.")] = None,
    language: Annotated[str | None, typer.Option(help="Only of this language: ru, en.")] = None,
    condition: Annotated[
        str,
        typer.Option(
            "--filter",
            help="A condition on fields as Milvus writes it: "
            '\'page_from >= 3 and attributes["standard"] == "СП 1"\'.',
        ),
    ] = "",
    rerank: Annotated[
        bool, typer.Option("--rerank", help="Order the hits anew with the cross-encoder.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the chunks that answer a question, best first, with page and clause."""
    from pipeline.searching import find

    with Services() as services:
        hits = find(
            services,
            " ".join(words),
            k=k,
            source=source,
            path_glob=path,
            language=language,
            condition=condition,
            rerank=rerank,
        )
        alias = services.settings.indexing.alias
        indexed = services.catalog.generations.live(alias) is not None
    for hit in hits:
        if as_json:
            emit("hit", asdict(hit))
        else:
            show_hit(hit)
    if not hits and not as_json:
        stdout.print(_why_nothing(indexed=indexed))


def _why_nothing(*, indexed: bool) -> str:
    return "Nothing was found." if indexed else "The index is empty; `rubrica ingest` fills it."


def show_hit(hit: Hit) -> None:
    """Show one hit: where it stands, then what it says."""
    pages = f"p. {hit.page_from}" if hit.page_from else ""
    if hit.page_to and hit.page_to != hit.page_from:
        pages += f"–{hit.page_to}"
    clauses = f"cl. {', '.join(hit.clauses[:3])}" if hit.clauses else ""
    place = " · ".join(part for part in (hit.path, pages, clauses) if part)
    stdout.print(
        f"[red bold]{hit.rank}[/] [bold]{escape(place)}[/] [dim]{hit.score:.4f}[/]",
        highlight=False,
        soft_wrap=True,
    )
    if hit.heading_path:
        stdout.print(Padding(f"[dim]{escape(' › '.join(hit.heading_path))}[/]", (0, 0, 0, 2)))
    text = " ".join(hit.text.split())
    shown = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + " …"
    stdout.print(Padding(escape(shown), (0, 0, 1, 2)), highlight=False)
