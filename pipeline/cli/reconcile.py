"""``rubrica reconcile``: PostgreSQL against Milvus."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.cli.output import JsonOption, emit, folding_table, progress_bar, stderr, stdout
from pipeline.services import Services

if TYPE_CHECKING:
    from indexing.reconcile import Repair
    from pipeline.reconciling import Reconciled

_SHOWN = 200
_MEANING = {
    "missing": ("Milvus had lost a chunk", "embedded and written again"),
    "different": ("its fields were not those of the catalog", "corrected in place"),
    "orphan": ("the catalog does not know it", "deleted"),
    "without_path": ("its document is gone", "deleted"),
    "chunk_count": ("the catalog had another number of chunks", "read again by the next ingestion"),
    "alias": ("the alias pointed elsewhere", "pointed back"),
    "collection": ("Milvus had lost the collection", "made anew"),
}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(reconcile)


def reconcile(
    *,
    source: Annotated[str, typer.Option(help="Only rows of this source.")] = "",
    generation: Annotated[
        int, typer.Option(min=0, help="Only this generation; by default all that are in use.")
    ] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Change nothing; exit 1 when something is wrong.")
    ] = False,
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Go on where the removal guard would stop.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare PostgreSQL with Milvus, and mend Milvus where it differs.

    Chunks that Milvus has lost are embedded again from the text that PostgreSQL keeps: no document is read.
    Rows that PostgreSQL does not know are deleted; fields that differ are corrected. A run that works on a
    source is waited for. It exits 0 when all is well or was mended, 1 when --dry-run found something.
    """
    from pipeline.reconciling import ReconcileRequest, check_busy
    from pipeline.reconciling import reconcile as run

    request = ReconcileRequest(source, generation, dry_run, allow_removals)
    shown = _Shown(as_json=as_json, dry_run=dry_run)
    with Services() as services, progress_bar("Comparing") as bar:
        done = run(services, request, shown.add, bar)
    shown.close(done)
    check_busy(done)
    raise typer.Exit(int(dry_run and not done.clean))


class _Shown:
    """What is shown of the repairs: all of them as JSON, the first ones and sums in a table."""

    def __init__(self, *, as_json: bool, dry_run: bool) -> None:
        self._as_json = as_json
        self._dry_run = dry_run
        self._rows: Counter[tuple[int, str, str, str]] = Counter()
        self._more = 0

    def add(self, repair: Repair, number: int) -> None:
        """Hear of a repair."""
        if self._as_json:
            emit("repair", asdict(repair) | {"generation": number, "repaired": not self._dry_run})
            return
        key = (number, repair.kind.value, repair.source, repair.path)
        if key in self._rows or len(self._rows) < _SHOWN:
            self._rows[key] += repair.count
        else:
            self._more += repair.count

    def close(self, done: Reconciled) -> None:
        """Show the end of the report."""
        if self._as_json:
            emit("reconcile", done.as_dict())
            return
        if self._rows:
            stdout.print(self._table())
        if self._more:
            stdout.print(f"… and {self._more} more rows.")
        for name in done.guarded:
            stderr.print(f"[yellow]The removal guard would stop at the source {name}.[/]", soft_wrap=True)
        stdout.print(_sentence(done), soft_wrap=True)

    def _table(self) -> object:
        table = folding_table("generation", "source", "document", "rows", "what was wrong", "what was done")
        for (number, kind, source, path), count in sorted(self._rows.items()):
            wrong, mended = _MEANING[kind]
            action = "nothing (--dry-run)" if self._dry_run else mended
            table.add_row(str(number), escape(source), escape(path), str(count), wrong, action)
        return table


def _sentence(done: Reconciled) -> str:
    """The report in a sentence."""
    if not done.generations:
        return "The index is empty; there is nothing to compare."
    numbers = ", ".join(map(str, done.generations))
    compared = f"{done.chunks} chunks of generation {numbers}"
    if done.clean:
        return f"PostgreSQL and Milvus agree on {compared}."
    wrong = sum(done.found.values())
    return f"{wrong} rows were wrong beside {compared}; " + (
        "nothing was changed." if done.dry_run else "they are mended."
    )
