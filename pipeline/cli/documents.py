"""``rubrica extract``: what is read from files, without any service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from pipeline.cli.output import JsonOption, emit, progress_bar, show_failure, stdout
from pipeline.reading import read_documents
from rubrica.codec import document_to_dict, element_to_dict
from rubrica.errors import ConfigurationError
from rubrica.model import Document, ElementKind, Failure
from rubrica.settings import Settings

FilesArgument = Annotated[
    list[Path], typer.Argument(help="Files, or folders whose files are all taken.", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(extract)


def extract(files: FilesArgument, *, as_json: JsonOption = False) -> None:
    """Show what is read from files: text, headings, tables, pages.

    With --json, each document comes first, then one element a line.
    """
    failed = False
    paths = list_files(files)
    with progress_bar("Reading", len(paths)) as bar:
        for result in read_documents(paths, Settings()):
            bar.advance()
            if isinstance(result, Failure):
                failed = True
                show_failure(result, as_json=as_json)
            elif as_json:
                _emit_document(result)
            else:
                _show_document(result)
    raise typer.Exit(int(failed))


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


def list_files(arguments: list[Path]) -> list[Path]:
    """The files that the arguments name, folders followed, each once.

    Raises:
        ConfigurationError: A path does not exist, or there is no file at all.
    """
    by_place: dict[Path, Path] = {}
    for path in _files(arguments):
        by_place.setdefault(path.resolve(), path)
    if not by_place:
        raise ConfigurationError(
            f"There are no files in {', '.join(map(repr, map(str, arguments)))}.",
            hint="Hidden files and symbolic links in folders are passed over.",
        )
    return list(by_place.values())


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
