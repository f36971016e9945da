"""``rubrica forget``: a document out of everything, with a proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.cli.output import JsonOption, emit, folding_table, progress_bar, stderr, stdout
from pipeline.services import Services
from rubrica.errors import ConfigurationError, FatalError

if TYPE_CHECKING:
    from indexing.catalog.erasure import ErasedDocument
    from pipeline.forgetting import Proof


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(forget)


def forget(
    names: Annotated[
        list[str],
        typer.Argument(metavar="PATH-OR-ID…", help="Documents, by path or id.", show_default=False),
    ],
    *,
    source: Annotated[str | None, typer.Option(help="The source that the paths are in.")] = None,
    exclude: Annotated[
        bool,
        typer.Option(
            "--exclude",
            help="Let the source leave these paths out from now on; where sources.yaml declares it, its"
            " `exclude` must do so already.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove documents everywhere at once, and prove it.

    Out of Milvus (every generation), PostgreSQL, the workspace and the caches in Redis. What stays and why is
    said below the proof. A document that is still in its source comes back with the next ingestion: remove it
    there first, or give --exclude. Exits 3 when anything is left.
    """
    from pipeline import forgetting

    with Services() as services:
        documents = forgetting.find_documents(services, names, source)
        if exclude:
            forgetting.exclusions(services, documents)
        _confirm(documents, exclude=exclude, yes=yes)
        proofs = []
        for document in documents:
            glob = forgetting.exclude(services, document) if exclude else ""
            with progress_bar(f"Forgetting {document.name}") as bar:
                proof = forgetting.forget(services, document, bar)
            _show(proof, glob, as_json=as_json)
            proofs.append(proof)
    if as_json:
        emit("forget", _summary(proofs))
    left = [proof.document.name for proof in proofs if not proof.holds]
    if left:
        raise FatalError(
            f"Something is left of {', '.join(map(repr, left))}; the proof says where.",
            hint="Look at those places by hand: the catalog no longer knows what to look for.",
        )


def _confirm(documents: list[ErasedDocument], *, exclude: bool, yes: bool) -> None:
    """Ask whether these are the ones.

    Raises:
        ConfigurationError: Nobody is there to be asked.
        Abort: The answer was no.
    """
    if yes:
        return
    if not stderr.is_terminal:
        raise ConfigurationError(
            "Forgetting cannot be undone, and nobody is there to be asked.", hint="Give --yes."
        )
    for document in documents:
        state = "" if document.path else " (gone from its source)"
        stderr.print(f"[bold]{escape(document.name)}[/]{state} of {document.source}, {document.id}")
    if not exclude and any(document.path for document in documents):
        stderr.print("What is still in its source comes back with the next ingestion; see --exclude.")
    typer.confirm("Remove everything that is stored of them?", abort=True, err=True)


def _show(proof: Proof, glob: str, *, as_json: bool) -> None:
    document = proof.document
    if as_json:
        for trace in proof.traces:
            values = {"where": trace.where, "before": trace.before, "after": trace.after, "note": trace.note}
            emit("proof", _named(document) | values)
        return
    table = folding_table("where", "before", "after", "")
    for trace in proof.traces:
        after = "?" if trace.after is None else str(trace.after)
        colour = "green" if trace.is_clean else "red"
        table.add_row(trace.where, str(trace.before), f"[{colour}]{after}[/]", escape(trace.note))
    table.title = f"{escape(document.name)} of {document.source}"
    stdout.print(table)
    for sentence in (*proof.kept, *_warnings(document, glob)):
        stdout.print(f"[dim]–[/] {escape(sentence)}", soft_wrap=True, highlight=False)


def _warnings(document: ErasedDocument, glob: str) -> list[str]:
    """What may bring the document back."""
    if glob:
        return [f"The source {document.source} leaves {glob} out from now on."]
    if document.path:
        back = f"If it still is in its source, the next ingestion of {document.source} brings it back:"
        return [f"{back} remove it there, or use --exclude."]
    return []


def _named(document: ErasedDocument) -> dict[str, Any]:
    return {"document_id": document.id, "source": document.source, "path": document.name}


def _summary(proofs: list[Proof]) -> dict[str, Any]:
    traces = [trace for proof in proofs for trace in proof.traces]
    return {
        "documents": [_named(proof.document) for proof in proofs],
        "removed": sum(trace.before for trace in traces),
        "left": sum(trace.after or 0 for trace in traces),
        "unknown": [trace.where for trace in traces if trace.after is None],
        "proven": all(proof.holds for proof in proofs),
        "kept": list(dict.fromkeys(sentence for proof in proofs for sentence in proof.kept)),
    }
