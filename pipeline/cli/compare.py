"""``rubrica compare``: strategies side by side on the same documents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from pipeline.cli.chunking import MaxTokensOption, MinTokensOption, OverlapOption, scored
from pipeline.cli.documents import FilesArgument, list_files
from pipeline.cli.options import named_as_options, option_of
from pipeline.cli.output import JsonOption, emit, progress_bar, show_failure, stderr, stdout
from pipeline.reading import read_documents
from rubrica.model import Document, Failure
from rubrica.settings import Settings

if TYPE_CHECKING:
    from pipeline.comparison import Run, Spec
    from pipeline.plots.compare_page import Lane
    from pipeline.plots.target import Target

_ROOMY = 110
_NARROW_LEAVES_OUT = {"median", "cohesion"}
_NOTHING = "–"

_DEFAULT = "smart,smart:window,heading,recursive,fixed,semantic,cluster"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        epilog="For instance: rubrica compare norm.pdf --strategies smart,recursive,smart:window --html "
        "norm.html. On a long document start with the quick ones: smart,heading,recursive,fixed."
    )(compare)


def compare(
    files: FilesArgument,
    *,
    as_json: JsonOption = False,
    strategies: Annotated[
        str,
        typer.Option(
            metavar="A,B,C",
            help="What to compare: names of strategies; smart takes a mode, as in smart:window. The default "
            "is all that need no service (agentic asks a language model; code is for source code).",
        ),
    ] = _DEFAULT,
    max_tokens: MaxTokensOption = None,
    min_tokens: MinTokensOption = None,
    overlap: OverlapOption = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|FOLDER",
            help="Write a page with the text in columns, cut by each strategy. A folder gets one page "
            "per file.",
        ),
    ] = None,
) -> None:
    """Cut files by several strategies and lay them side by side.

    mean, median, max: tokens of what is embedded.
    under min, at max: shares of the chunks.
    torn: tables and clauses in several chunks that fit into one.
    sharp: how far the cuts lie below the median similarity, in spreads.
    cohesion: mean similarity where nothing was cut.
    pairs, seconds: the cost, models loaded, nothing from the cache.

    Sharp and cohesion are judged for all by the scores of smart, so they
    need smart among the strategies.
    """
    from pipeline.comparison import SERVED, parse_specs
    from pipeline.plots.target import PAGES, Target

    given = {"max_tokens": max_tokens, "min_tokens": min_tokens, "overlap": overlap}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    options = {name: option_of(name) for name in chosen}
    specs = parse_specs(strategies)
    if any(spec.strategy == SERVED for spec in specs):
        # Its service is checked before the others have worked for minutes.
        chosen["strategy"] = SERVED
        options["strategy"] = "--strategies"
    with named_as_options(options):
        settings = Settings(**chosen)
    paths = list_files(files)
    target = Target(html, PAGES, several=len(paths) > 1, sources=paths) if html else None
    documents, failed = _documents(paths, settings, as_json=as_json)
    if documents:
        with named_as_options(options):
            runs = _runs(documents, specs, settings)
        _show(runs, as_json=as_json)
        if target:
            _write_pages(documents, runs, settings, target, as_json=as_json)
    raise typer.Exit(int(failed))


def _documents(paths: list[Path], settings: Settings, *, as_json: bool) -> tuple[list[Document], bool]:
    documents: list[Document] = []
    failed = False
    with progress_bar("Reading", len(paths)) as bar:
        for result in read_documents(paths, settings):
            bar.advance()
            if isinstance(result, Failure):
                failed = True
                show_failure(result, as_json=as_json)
            else:
                documents.append(result)
    return documents, failed


def _runs(documents: Sequence[Document], specs: Sequence[Spec], settings: Settings) -> list[Run]:
    from indexing.embedders.factory import build_counter, build_embedder
    from pipeline.comparison import Comparison

    counter = build_counter(settings.indexing)
    comparison = Comparison(documents, settings, counter, lambda: build_embedder(settings.indexing))
    runs: list[Run] = []
    with progress_bar("", len(documents) * len(specs)) as bar:
        beside = {name: bar.beside(name) for name in dict.fromkeys(scored(spec.strategy) for spec in specs)}
        for number, spec in enumerate(specs):
            bar.update(number * len(documents), title=str(spec))
            runs.append(comparison.run(spec, bar, beside[scored(spec.strategy)]))
    return comparison.alike(runs)


# --- On the terminal -----------------------------------------------------------------------------


def _show(runs: Sequence[Run], *, as_json: bool) -> None:
    if as_json:
        for run in runs:
            cost = {"seconds": round(run.seconds, 3), "pairs_scored": run.stats.pairs_scored}
            emit("comparison", {"strategy": str(run.spec)} | run.figures() | cost)
        return
    stdout.print(_table(runs, roomy=stdout.width >= _ROOMY))
    if stdout.width < _ROOMY:
        stdout.print("[dim]median and cohesion: in a wider terminal, or with --json[/]")


def _table(runs: Sequence[Run], *, roomy: bool) -> Table:
    rows = [_row(run.figures(), run.stats.pairs_scored, run.seconds) for run in runs]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, int(roomy), 0, 0))
    table.add_column("strategy", no_wrap=True, vertical="bottom")
    shown = [name for name in rows[0] if roomy or name not in _NARROW_LEAVES_OUT]
    for name in shown:
        table.add_column(name.replace(" ", "\n"), justify="right", no_wrap=True)
    for run, row in zip(runs, rows, strict=True):
        table.add_row(str(run.spec), *(_marked(name, row[name]) for name in shown))
    return table


def _row(figures: dict[str, int | float | None], pairs: int, seconds: float) -> dict[str, str]:
    """A strategy's figures as people read them, by heading."""
    return {
        "chunks": _number(figures["chunks"], ",.0f"),
        "mean": _number(figures["tokens_mean"], ".0f"),
        "median": _number(figures["tokens_median"], ".0f"),
        "max": _number(figures["tokens_max"], ".0f"),
        "under min": _number(figures["under_min_share"], ".0%"),
        "at max": _number(figures["at_max_share"], ".0%"),
        "torn tables": _number(figures["tables_torn"], ".0f"),
        "torn clauses": _number(figures["clauses_torn"], ".0f"),
        "sharp": _number(figures["sharpness"], ".2f"),
        "cohesion": _number(figures["cohesion"], ".2f"),
        "pairs": f"{pairs:,}",
        "seconds": f"{seconds:.1f}",
    }


def _number(value: float | None, form: str) -> str:
    return _NOTHING if value is None else format(value, form).replace("-", "−")


def _marked(name: str, value: str) -> str:
    return f"[red]{value}[/]" if name.startswith("torn") and value not in {"0", _NOTHING} else value


# --- As pages ------------------------------------------------------------------------------------


def _write_pages(
    documents: Sequence[Document], runs: Sequence[Run], settings: Settings, target: Target, *, as_json: bool
) -> None:
    from indexing.embedders.factory import build_counter
    from pipeline.plots.compare_page import compare_page
    from pipeline.plots.view import Limits

    sizes = settings.chunking.within(build_counter(settings.indexing).limit)
    limits = Limits(sizes.max_tokens, sizes.min_tokens)
    console = stderr if as_json else stdout
    for number, document in enumerate(documents):
        page = compare_page(document, [_lane(run, number) for run in runs], limits)
        file = target.save(document.path, partial(_write, page))
        console.print(f"drawn: {escape(str(file))}", soft_wrap=True, highlight=False)


def _write(page: str, file: Path) -> None:
    file.write_text(page, "utf-8")


def _lane(run: Run, number: int) -> Lane:
    from chunking.quality import figures
    from pipeline.plots.compare_page import Lane

    result = run.results[number]
    # The time is known for all documents together only.
    row = _row(figures(run.qualities[number]), result.stats.pairs_scored, 0.0)
    return Lane(str(run.spec), result.chunks, {name: row[name] for name in row if name != "seconds"})
