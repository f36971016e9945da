"""``rubrica chunk``: how files are cut, as a table, as JSON lines, or as a page to look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pipeline.cli.documents import FilesArgument, list_files
from pipeline.cli.options import named_as_options, option_of
from pipeline.cli.output import JsonOption, emit, progress_bar, show_failure, stderr, stdout
from pipeline.cli.quality import QualityReport
from pipeline.reading import read_documents
from rubrica.codec import chunk_to_dict
from rubrica.model import Chunk, Failure
from rubrica.settings import Settings

if TYPE_CHECKING:
    from chunking.explain import Explanation
    from pipeline.plots.target import PlotTarget
    from rubrica.protocols import TokenCounter

MaxTokensOption = Annotated[int | None, typer.Option(help="Most tokens of a chunk.")]
MinTokensOption = Annotated[int | None, typer.Option(help="Tokens that a chunk should have at least.")]
OverlapOption = Annotated[int | None, typer.Option(help="Tokens of preceding text carried along.")]

_WIDTH_OF_FIGURES = 50
_SHOWN_CLAUSES = 2


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        epilog="Look at the cuts in a browser: rubrica chunk norm.pdf --plot norm.html. Several files need a "
        "folder: rubrica chunk docs --plot pages/. Beside other strategies: rubrica compare norm.pdf."
    )(chunk)


def chunk(
    files: FilesArgument,
    *,
    as_json: JsonOption = False,
    strategy: Annotated[
        str | None,
        typer.Option(
            help="How to cut: smart, fixed, recursive, heading, code, semantic, cluster or agentic."
        ),
    ] = None,
    mode: Annotated[str | None, typer.Option(help="optimal, window or full.")] = None,
    max_tokens: MaxTokensOption = None,
    min_tokens: MinTokensOption = None,
    overlap: OverlapOption = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|FOLDER",
            help="Draw it: similarity curve, cuts, sizes and the text itself (.html), or the curve alone "
            "(.png, .svg). A folder gets one page per file.",
        ),
    ] = None,
    quality: Annotated[
        bool,
        typer.Option(
            "--quality",
            help="With --json, add an object of type quality after each file's chunks and one for all.",
        ),
    ] = False,
) -> None:
    """Show how files are cut into chunks.

    Values that are not given come from the settings (RUBRICA_MAX_TOKENS and so on).
    """
    given = {
        "strategy": strategy,
        "mode": mode,
        "max_tokens": max_tokens,
        "min_tokens": min_tokens,
        "overlap": overlap,
    }
    from indexing.embedders.factory import build_counter
    from pipeline.plots.target import PlotTarget

    chosen = {name: value for name, value in given.items() if value is not None}
    options = {name: option_of(name) for name in chosen}
    with named_as_options(options):
        settings = Settings(**chosen)
    if mode is not None and settings.chunking.strategy != "smart":
        raise typer.BadParameter(f"{settings.chunking.strategy} has no modes; smart has", param_hint="--mode")
    paths = list_files(files)
    target = PlotTarget(plot, several=len(paths) > 1, sources=paths) if plot else None
    counter = build_counter(settings.indexing)
    drawing = _Drawing(target, settings, counter) if target else None
    report = QualityReport(settings, as_json=as_json, wanted=quality)
    with named_as_options(options):
        failed = _show_all(paths, settings, counter, report, drawing, as_json=as_json)
    report.finish()
    raise typer.Exit(int(failed))


def _show_all(
    paths: list[Path],
    settings: Settings,
    counter: TokenCounter,
    report: QualityReport,
    drawing: _Drawing | None,
    *,
    as_json: bool,
) -> bool:
    """Cut and show one file after the other; whether any failed."""
    failed = False
    for result in _explanations(paths, settings, counter):
        if isinstance(result, Failure):
            failed = True
            show_failure(result, as_json=as_json)
            continue
        if as_json:
            for item in result.chunks:
                emit("chunk", {"path": result.document.path} | chunk_to_dict(item))
        else:
            _show_chunks(result)
        report.add(result.document, result.chunked)
        if drawing:
            # Standard output belongs to the chunks when a program reads it.
            drawing.add(result, stderr if as_json else stdout)
    return failed


def _explanations(
    paths: list[Path], settings: Settings, counter: TokenCounter
) -> Iterator[Explanation | Failure]:
    from chunking.factory import build_chunker
    from indexing.embedders.factory import build_embedder

    with progress_bar("Files", len(paths)) as bar:
        chunker = build_chunker(
            settings.chunking,
            counter,
            settings.services.redis_url.get_secret_value(),
            embedder=lambda: build_embedder(settings.indexing),
            llm=settings.llm,
            progress=bar.beside(scored(settings.chunking.strategy)),
        )
        for result in read_documents(paths, settings):
            yield result if isinstance(result, Failure) else chunker.explain(result)
            bar.advance()


def scored(strategy: str) -> str:
    """What a strategy has scored, as a bar beside the files names it."""
    return "Passages" if strategy in {"semantic", "cluster"} else "Pairs"


class _Drawing:
    """Draws one document after the other and says where."""

    def __init__(self, target: PlotTarget, settings: Settings, counter: TokenCounter) -> None:
        from chunking.quality_measure import QualityMeter
        from pipeline.plots.view import Limits

        self._target = target
        self._settings = settings.chunking.within(counter.limit)
        self._limits = Limits(self._settings.max_tokens, self._settings.min_tokens)
        self._meter = QualityMeter(self._settings, counter)

    def add(self, explanation: Explanation, console: Console) -> None:
        """Draw a document.

        Args:
            explanation: Its chunks and what led to them.
            console: Where to say so.
        """
        figures = [*self._quality(explanation), *self._cost(explanation)]
        file = self._target.write(explanation, self._limits, figures)
        console.print(f"drawn: {escape(str(file))}", soft_wrap=True, highlight=False)

    def _quality(self, explanation: Explanation) -> Iterator[tuple[str, str]]:
        from chunking.quality import figures

        known: dict[str, Any] = figures(self._meter.measure(explanation.document, explanation.chunked))
        if not known["chunks"]:
            return
        yield "under the minimum", f"{known['under_min_share']:.0%}"
        if known["tables"]:
            yield "torn tables", f"{known['tables_torn']} of {known['tables']}"
        if known["clauses"]:
            yield "torn clauses", f"{known['clauses_torn']} of {known['clauses']}"
        if known["sharpness"] is not None:
            yield "cuts below the median", f"{known['sharpness']:.2f} spreads".replace("-", "−")

    def _cost(self, explanation: Explanation) -> Iterator[tuple[str, str]]:
        strategy, stats = self._settings.strategy, explanation.chunked.stats
        yield "strategy", f"{strategy}, {self._settings.mode}" if strategy == "smart" else strategy
        if stats.pairs_scored or stats.pair_cache_hits:
            yield "pairs scored", f"{stats.pairs_scored:,}"
        if stats.pair_cache_hits:
            yield "pairs from the cache", f"{stats.pair_cache_hits:,}"


def _show_chunks(explanation: Explanation) -> None:
    tokens = [item.tokens for item in explanation.chunks]
    mean = sum(tokens) / len(tokens) if tokens else 0
    stdout.print(f"[bold]{escape(explanation.document.path)}[/]", soft_wrap=True, highlight=False)
    stdout.print(f"chunks: {len(tokens)}, tokens on average: {mean:.0f}")
    table = Table("#", "tokens", "page", "clause", "score", "begins with")
    room = max(20, stdout.width - _WIDTH_OF_FIGURES)
    for item in explanation.chunks:
        table.add_row(*_row(item, room))
    stdout.print(table)


def _row(item: Chunk, room: int) -> tuple[str, ...]:
    score = "" if item.boundary_score is None else f"{item.boundary_score:.2f}"
    beginning = escape(shorten(item.body[: 4 * room], room, placeholder=" …"))
    page = str(item.page_from or "")
    more = ", …" if len(item.clauses) > _SHOWN_CLAUSES else ""
    clauses = escape(", ".join(item.clauses[:_SHOWN_CLAUSES]) + more)
    return str(item.ordinal), str(item.tokens), page, clauses, score, beginning
