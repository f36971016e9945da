"""``rubrica golden``: the questions that the search is measured by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.cli.output import JsonOption, emit, folding_table, progress_bar, stdout
from pipeline.searching import check_source
from pipeline.services import Services
from rubrica.errors import ConfigurationError

if TYPE_CHECKING:
    from indexing.recall.evaluate import Located
    from indexing.recall.model import GoldenQuestion, GoldenSet

_QUOTE_SHOWN = 120

golden = typer.Typer(
    name="golden",
    help="Golden questions: what users ask, and the passage of a document that answers it. "
    "`rubrica evaluate` asks them. A source keeps its own in a golden.yaml of its repository; "
    "others are imported or added here.",
    short_help="Golden questions, which recall is measured with: add, import, list, check.",
    no_args_is_help=True,
)

_Set = Annotated[str, typer.Argument(metavar="SET", help="Name of the set.", show_default=False)]
_Sets = Annotated[list[str] | None, typer.Argument(metavar="SET…", help="Names of sets; all by default.")]
_Source = Annotated[str | None, typer.Option("--source", help="Name of the source that is asked about.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(golden)


@golden.command("add")
def add(
    name: _Set,
    *,
    question: Annotated[str, typer.Option("--question", "-q", help="As a user would ask it.")],
    document: Annotated[
        str,
        typer.Option("--document", "-d", help="Its path in the source; a unique file name or title will do."),
    ],
    quotes: Annotated[
        list[str], typer.Option("--quote", help="The passage that answers, word for word; may repeat.")
    ],
    page: Annotated[
        int | None, typer.Option(min=1, help="Its page: decides between places that read alike.")
    ] = None,
    language: Annotated[str, typer.Option(help="Language of the question: ru, en.")] = "",
    source: _Source = None,
    id_: Annotated[str, typer.Option("--id", help="A name for it; made from the question by default.")] = "",
    answer: Annotated[str, typer.Option(help="What an expert answers, for `evaluate --answers`.")] = "",
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Add it although the passage is not found in the index.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Add a question to a set; the set is made when it is new.

    The passage is looked for in the index at once, so that a slip of the pen does not become a stale label.

    Example: rubrica golden add mine -q "How wide is the gap between planks?" -d "СП 901.pdf"
    --quote "Зазор между досками настила принимают равным 8 мм"
    """
    from indexing.recall.entries import Entry, read_question

    fields = {
        "question": question,
        "document": document,
        "spans": [{"quote": quote, "page": page} for quote in quotes],
        "language": language,
        "source": source,
        "id": id_,
        "answer": answer,
    }
    made = read_question(Entry("The question", fields))
    with Services() as services:
        check_source(services, source)
        if not unchecked:
            _check_passages(services, made)
        services.catalog.golden.add(name, made)
    if as_json:
        emit("golden_question", {"set": name, **asdict(made)})
    else:
        stdout.print(f"Added to {name}: {escape(made.id)}", highlight=False)


def _check_passages(services: Services, question: GoldenQuestion) -> None:
    from indexing.recall.evaluate import locate
    from pipeline.golden import live_texts

    texts = live_texts(services)
    stale = locate(question, texts).stale if texts is not None else ("the index is empty",)
    if stale:
        raise ConfigurationError(
            f"The passage is not found: {'; '.join(stale)}.",
            hint="Copy the quote from `rubrica search` or `rubrica extract`, or add --unchecked.",
        )


@golden.command("import")
def import_questions(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="golden.yaml, SQuAD .json, .csv, .jsonl, or a BEIR folder.",
            show_default=False,
        ),
    ],
    *,
    name: Annotated[str, typer.Option("--set", help="Name of the set; that of the file by default.")] = "",
    source: _Source = None,
    pages: Annotated[
        Path | None,
        typer.Option(help="Folder of <document>.json or .txt, where start and end count in a page."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Store the questions of a file as a set, replacing the set of that name.

    Formats: golden.yaml (id, question, document, quote, page); JSON lines and CSV with the same fields, or
    start and end in place of the quote; SQuAD; BEIR, whose documents are called by their ids.
    """
    from slugify import slugify

    from pipeline.golden import import_file

    chosen = name or slugify(file.stem, regex_pattern=r"[^a-z0-9._-]+") or "imported"
    with Services() as services:
        check_source(services, source)
        stored = import_file(services, file, chosen, source=source, pages=pages)
    if as_json:
        emit("golden_set", _set_values(stored))
    else:
        stdout.print(
            f"{len(stored.questions)} questions in the set {stored.name};"
            f" `rubrica golden check {stored.name}` tells which passages the index holds.",
            highlight=False,
        )


@golden.command("sync")
def sync(
    sources: Annotated[list[str] | None, typer.Argument(metavar="SOURCE…", help="All by default.")] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Read golden.yaml of the sources again; where a source has none, make questions from its headings.

    The DAG `recall_check` does the same after every change of the index.
    """
    from pipeline.golden import sync_golden

    with Services() as services:
        for name in sources or [item.spec.name for item in services.catalog.sources.all()]:
            done = sync_golden(services, name)
            if as_json:
                emit("golden_sync", {"source": name, **asdict(done)})
            else:
                what = f"{done.questions} questions in {done.name} ({done.origin})" if done.name else "none"
                stdout.print(f"{name}: {what}{'' if done.changed else ', unchanged'}", highlight=False)


@golden.command("list")
def list_sets(*, as_json: JsonOption = False) -> None:
    """List the sets, with the last evaluation of each."""
    table = folding_table("set", "origin", "source", "questions", "recall@5", "evaluation", "when")
    with Services() as services:
        found = services.catalog.golden.summaries()
        last = {item.name: services.catalog.evaluations.history(item.name, limit=1) for item in found}
    for item in found:
        record = last[item.name][0] if last[item.name] else None
        recall = record.metrics.get("recall@5") if record else None
        if as_json:
            values = asdict(item) | {"evaluation": record.id if record else None, "recall@5": recall}
            emit("golden_set", values)
        table.add_row(
            item.name,
            item.origin,
            item.source or "any",
            str(item.questions),
            "–" if recall is None else f"{recall:.3f}",
            str(record.id) if record else "–",
            f"{record.started_at:%Y-%m-%d %H:%M}" if record and record.started_at else "never",
        )
    if not as_json:
        stdout.print(
            table if found else "No golden questions yet; `rubrica golden --help` tells how to add some."
        )


@golden.command("show")
def show(name: _Set, *, as_json: JsonOption = False) -> None:
    """Show the questions of a set, with their documents and passages."""
    with Services() as services:
        stored = _stored(services, name)
    table = folding_table("id", "question", "document", "passage")
    for question in stored.questions:
        if as_json:
            emit("golden_question", {"set": name, **asdict(question)})
        table.add_row(*map(escape, (question.id, question.question, question.document, _passages(question))))
    if not as_json:
        stdout.print(table)


@golden.command("remove")
def remove(
    name: _Set,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID…", help="Questions to remove; the whole set without.")
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Remove questions from a set, or a whole set together with its evaluations."""
    with Services() as services:
        stored = _stored(services, name)
        known = {question.id for question in stored.questions}
        unknown = [id_ for id_ in ids or () if id_ not in known]
        if unknown:
            raise ConfigurationError(
                f"The set {name!r} has no question {unknown[0]!r}.", hint=f"See `rubrica golden show {name}`."
            )
        if ids:
            for id_ in ids:
                services.catalog.golden.remove(name, id_)
        else:
            services.catalog.golden.delete(name)
    removed = len(set(ids)) if ids else len(known)
    if as_json:
        emit("golden_removed", {"set": name, "questions": removed})
    else:
        stdout.print(f"Removed {removed} questions of {name}.", highlight=False)


@golden.command("check")
def check(names: _Sets = None, *, as_json: JsonOption = False) -> None:
    """Tell which passages the documents still hold; exit code 1 when some are gone.

    A passage is found by its letters and digits, also when a few letters differ. One that is gone is stale:
    evaluations leave it out until its quote is mended. One that stands in several places alike is named too:
    the first of them counts.
    """
    from pipeline.golden import check_labels
    from pipeline.recall import chosen_sets

    stale = 0
    with Services() as services:
        for stored in chosen_sets(services, names or ()):
            with progress_bar(f"looking for the passages of {stored.name}"):
                located = check_labels(services, stored)
            stale += _show_check(stored, located, as_json=as_json)
    raise typer.Exit(1 if stale else 0)


def _show_check(stored: GoldenSet, located: Sequence[Located], *, as_json: bool) -> int:
    """Show the labels of a set; returns how many are stale."""
    stale = sum(len(item.stale) for item in located)
    labels = sum(len(item.question.spans) for item in located)
    for item in located:
        if as_json:
            emit("label", _label_values(stored, item))
            continue
        for reason in item.stale:
            stdout.print(
                f"[yellow]stale[/] [bold]{escape(item.question.id)}[/] {escape(reason)}", soft_wrap=True
            )
        for remark in item.ambiguous:
            stdout.print(f"ambiguous [bold]{escape(item.question.id)}[/] {escape(remark)}", soft_wrap=True)
    if not as_json:
        _show_summary(stored, located, labels - stale, labels)
    return stale


def _show_summary(stored: GoldenSet, located: Sequence[Located], found: int, labels: int) -> None:
    stdout.print(f"{stored.name}: {found} of {labels} passages stand in the index.", highlight=False)
    if any(item.ambiguous for item in located):
        stdout.print("A longer quote, or a page, tells places that read alike apart.")


def _label_values(stored: GoldenSet, item: Located) -> dict[str, Any]:
    places = [
        {"document": place.document.path, "start": place.span[0], "end": place.span[1]}
        for place in item.places
    ]
    return {
        "set": stored.name,
        "id": item.question.id,
        "places": places,
        "stale": item.stale,
        "ambiguous": item.ambiguous,
    }


def _stored(services: Services, name: str) -> GoldenSet:
    stored = services.catalog.golden.get(name)
    if stored is None:
        raise ConfigurationError(
            f"There is no golden set {name!r}.", hint="`rubrica golden list` shows those that are."
        )
    return stored


def _set_values(stored: GoldenSet) -> dict[str, Any]:
    return {
        "name": stored.name,
        "source": stored.source,
        "origin": str(stored.origin),
        "questions": len(stored.questions),
    }


def _passages(question: GoldenQuestion) -> str:
    shown = (" ".join(span.quote.split()) or "the document" for span in question.spans)
    return " … ".join(text if len(text) <= _QUOTE_SHOWN else text[:_QUOTE_SHOWN] + " …" for text in shown)
