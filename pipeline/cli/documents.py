"""``rubrica extract`` and ``rubrica chunk``: one file at a time, without any service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from pipeline.cli.output import JsonOption, emit, progress_bar, show_failure, stdout
from pipeline.reading import read_documents
from rubrica.codec import chunk_to_dict, document_to_dict, element_to_dict
from rubrica.errors import ConfigurationError
from rubrica.model import Chunk, ChunkedDocument, Document, ElementKind, Failure
from rubrica.settings import Settings

FilesArgument = Annotated[
    list[Path], typer.Argument(help="Files, or folders whose files are all taken.", show_default=False)
]


_WIDTH_OF_FIGURES = 50


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(extract)
    app.command()(chunk)


def extract(files: FilesArgument, *, as_json: JsonOption = False) -> None:
    """Show what is read from files: text, headings, tables, pages.

    With --json, each document comes first, then one element a line.
    """
    failed = False
    for result in _read(files, Settings()):
        if isinstance(result, Failure):
            failed = True
            show_failure(result, as_json=as_json)
        elif as_json:
            _emit_document(result)
        else:
            _show_document(result)
    raise typer.Exit(int(failed))


def chunk(
    files: FilesArgument,
    *,
    as_json: JsonOption = False,
    strategy: Annotated[str | None, typer.Option(help="How documents are cut: smart.")] = None,
    mode: Annotated[str | None, typer.Option(help="optimal, window or full.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Most tokens of a chunk.")] = None,
    min_tokens: Annotated[int | None, typer.Option(help="Tokens that a chunk should have at least.")] = None,
    overlap: Annotated[int | None, typer.Option(help="Tokens of preceding text carried along.")] = None,
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
    settings = _chunk_settings({name: value for name, value in given.items() if value is not None})
    failed = False
    for result in _chunk(files, settings):
        if isinstance(result, Failure):
            failed = True
            show_failure(result, as_json=as_json)
        elif as_json:
            for item in result[1].chunks:
                emit("chunk", {"path": result[0].path} | chunk_to_dict(item))
        else:
            _show_chunks(*result)
    raise typer.Exit(int(failed))


def _chunk_settings(given: dict[str, Any]) -> Settings:
    """Settings with the given values; a smaller maximum pulls the default minimum down with it."""
    most = given.get("max_tokens")
    if most is not None and "min_tokens" not in given:
        given["min_tokens"] = min(Settings().chunking.min_tokens, most // 4)
    return Settings(**given)


def _files(arguments: list[Path]) -> Iterator[Path]:
    for argument in arguments:
        if argument.is_dir():
            yield from (
                path
                for path in sorted(argument.rglob("*"))
                if path.is_file()
                and not path.is_symlink()
                and not any(part.startswith(".") for part in path.relative_to(argument).parts)
            )
        elif argument.exists():
            yield argument
        else:
            raise ConfigurationError(f"There is no file {str(argument)!r}.", hint="Check the path.")


def _read(arguments: list[Path], settings: Settings) -> Iterator[Document | Failure]:
    files = list(_files(arguments))
    if not files:
        raise ConfigurationError(
            f"There are no files in {', '.join(map(repr, map(str, arguments)))}.",
            hint="Hidden files and symbolic links in folders are passed over.",
        )
    with progress_bar("Reading", len(files)) as bar:
        for result in read_documents(files, settings):
            bar.advance()
            yield result


def _chunk(arguments: list[Path], settings: Settings) -> Iterator[tuple[Document, ChunkedDocument] | Failure]:
    from chunking.factory import build_chunker
    from indexing.embedders.factory import build_counter, build_embedder

    chunker = build_chunker(
        settings.chunking,
        build_counter(settings.indexing),
        settings.services.redis_url.get_secret_value(),
        embedder=lambda: build_embedder(settings.indexing),
        llm=settings.llm,
    )
    for result in _read(arguments, settings):
        yield result if isinstance(result, Failure) else (result, chunker.chunk_one(result))


def _emit_document(document: Document) -> None:
    emit("document", document_to_dict(document))
    for element in document.elements:
        emit("element", element_to_dict(element))


def _show_document(document: Document) -> None:
    kinds = Counter(element.kind for element in document.elements)
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    stdout.print(
        f"[bold]{escape(document.title)}[/] [dim]{escape(document.path)}[/]", highlight=False, soft_wrap=True
    )
    figures = f"  {document.media_type}, {document.language}, {len(document.text):,} characters; {counts}"
    stdout.print(figures, soft_wrap=True)
    for element in document.elements:
        if element.kind is ElementKind.HEADING:
            indent = "  " * (element.level or 1)
            page = f" [dim]p. {element.page_from}[/]" if element.page_from else ""
            text = escape(document.text[element.start : element.end])
            stdout.print(f"  {indent}[red]{text}[/]{page}", highlight=False, soft_wrap=True)


def _show_chunks(document: Document, chunked: ChunkedDocument) -> None:
    tokens = [item.tokens for item in chunked.chunks]
    mean = sum(tokens) / len(tokens) if tokens else 0
    stdout.print(f"[bold]{escape(document.path)}[/]", soft_wrap=True, highlight=False)
    stdout.print(f"chunks: {len(tokens)}, tokens on average: {mean:.0f}")
    table = Table("#", "tokens", "page", "clause", "score", "begins with")
    room = max(20, stdout.width - _WIDTH_OF_FIGURES)
    for item in chunked.chunks:
        table.add_row(*_row(item, room))
    stdout.print(table)


def _row(item: Chunk, room: int) -> tuple[str, ...]:
    score = "" if item.boundary_score is None else f"{item.boundary_score:.2f}"
    beginning = escape(shorten(item.body[: 4 * room], room, placeholder=" …"))
    page = str(item.page_from or "")
    return str(item.ordinal), str(item.tokens), page, escape(", ".join(item.clauses[:2])), score, beginning
