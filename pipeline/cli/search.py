"""``rubrica search``: ask the index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape
from rich.padding import Padding

from pipeline.cli import search_options
from pipeline.cli.output import JsonOption, emit, stdout
from pipeline.services import Services
from rubrica.model import Hit

if TYPE_CHECKING:
    from indexing.search import Explanation, Neighbour, Page, Result

_SHOWN_CHARACTERS = 400


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(epilog=_EXAMPLES)(search)


_EXAMPLES = (
    'Examples: rubrica search толщина стены --standard "СП 70" --section кладка --clause 9.2 · '
    "rubrica search slope of a roof --language en --rerank --explain · "
    "rubrica search огнестойкость --from 2015 --to 2020-06 --attribute standard_kind=СП --page 2 --json"
)


def search(
    words: search_options.Query,
    *,
    source: search_options.Source = None,
    path: search_options.PathGlob = None,
    language: search_options.Language = None,
    standard: search_options.Standard = None,
    section: search_options.Section = None,
    clause: search_options.Clause = None,
    subclauses: search_options.Subclauses = True,
    since: search_options.Since = None,
    until: search_options.Until = None,
    date_attribute: search_options.DateAttribute = None,
    attribute: search_options.Attribute = None,
    condition: search_options.Condition = "",
    mode: search_options.Mode = "hybrid",
    rerank: search_options.Rerank = False,
    candidates: search_options.Candidates = None,
    k: search_options.K = 5,
    page: search_options.Page = 1,
    neighbours: search_options.Neighbours = 0,
    explain: search_options.Explain = False,
    as_json: JsonOption = False,
) -> None:
    """Find the chunks that answer a question, best first, with page and clause."""
    from indexing.search import Filters, SearchMode, SearchOptions
    from pipeline.searching import find_page, with_attributes

    filters = Filters(
        source=source,
        path=path,
        language=language,
        standard=standard,
        section=section,
        clause=clause,
        subclauses=subclauses,
        since=since,
        until=until,
        expression=condition,
    )
    if date_attribute:
        filters = replace(filters, date_attributes=(date_attribute,))
    options = SearchOptions(
        k=k,
        offset=(page - 1) * k,
        mode=SearchMode(mode),
        filters=with_attributes(filters, attribute or []),
        candidates=candidates,
        neighbours=neighbours,
    )
    with Services() as services:
        found = find_page(services, " ".join(words), options, rerank=rerank)
    if as_json:
        for result in found.results:
            emit("hit", _values(result, explain=explain, neighbours=neighbours > 0))
    else:
        _show_page(found, k, explain=explain)


def _values(result: Result, *, explain: bool, neighbours: bool) -> dict[str, Any]:
    values = asdict(result.hit)
    if explain:
        values["explain"] = asdict(result.explanation)
    if neighbours:
        values["neighbours"] = [asdict(item) for item in result.neighbours]
    return values


def _show_page(page: Page, k: int, *, explain: bool) -> None:
    for result in page.results:
        before = [item for item in result.neighbours if item.distance < 0]
        _show_neighbours(before)
        show_hit(result.hit, how=_explained(result.explanation) if explain else "")
        _show_neighbours(result.neighbours[len(before) :])
    if not page.results:
        stdout.print(_why_nothing(page))
    elif page.next_offset is not None or page.offset:
        stdout.print(f"[dim]{_where(page, k)}[/]", highlight=False)


def _why_nothing(page: Page) -> str:
    if page.generation is None:
        return "The index is empty; `rubrica ingest` fills it."
    if page.total:
        return f"There is no such page: {page.total} hits were found; --candidates looks deeper."
    return "Nothing was found."


def _where(page: Page, k: int) -> str:
    last = page.offset + len(page.results)
    shown = f"Hits {page.offset + 1} to {last} of {page.total}"
    return shown if page.next_offset is None else f"{shown}; --page {page.offset // k + 2} shows the next."


def show_hit(hit: Hit, *, how: str = "") -> None:
    """Show one hit: where it stands, then what it says.

    Args:
        hit: The hit.
        how: Where its score comes from.
    """
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
    if how:
        stdout.print(Padding(f"[cyan]{how}[/]", (0, 0, 0, 2)), highlight=False)
    if hit.heading_path:
        stdout.print(Padding(f"[dim]{escape(' › '.join(hit.heading_path))}[/]", (0, 0, 0, 2)))
    stdout.print(Padding(escape(_shortened(hit.text)), (0, 0, 1, 2)), highlight=False)


def _show_neighbours(neighbours: Sequence[Neighbour]) -> None:
    for item in neighbours:
        line = f"[dim]{item.distance:+d} {escape(_shortened(item.text))}[/]"
        stdout.print(Padding(line, (0, 0, 1, 4)), highlight=False)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else line[:_SHOWN_CHARACTERS] + " …"


def _explained(explanation: Explanation) -> str:
    return " · ".join(_parts(explanation))


def _parts(explanation: Explanation) -> Iterator[str]:
    if explanation.dense_rank is not None:
        yield f"meaning: {explanation.dense_score:.4f}, place {explanation.dense_rank}"
    if explanation.bm25_rank is not None:
        yield f"words: {explanation.bm25_score:.4f}, place {explanation.bm25_rank}"
    if explanation.fused_score is not None:
        yield f"fused: {explanation.fused_score:.4f}"
    if explanation.rerank_score is not None:
        yield f"cross-encoder: {explanation.rerank_score:.4f}"
