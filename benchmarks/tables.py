"""Cells of tables in PDFs: precision and recall of ours and of other readers, on ICDAR-2013 ground truth.

Run it with ``python -m benchmarks.tables [--data FOLDER]``. The measure is that of the competition (see
``benchmarks.adjacency``); nobody is told where the tables are. ``all`` adds up the relations of all
documents, ``mean`` gives every document the same weight. A second table lists what goes on over page
breaks in ``docs/pdf_ru``, for which there is no ground truth: look at the pages beside it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

from rich.console import Console
from rich.table import Table

from benchmarks.adjacency import Score, compare, read_truth
from benchmarks.table_peers import PEERS, Peer
from extraction.pdf import extract_pdf
from rubrica.errors import RubricaError
from rubrica.settings import ExtractionSettings

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass(slots=True)
class Result:
    """What one reader made of the documents.

    Attributes:
        scores: Its score in each document, by the document's name.
        seconds: How long it took.
    """

    scores: dict[str, Score] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def total(self) -> Score:
        """All relations of all documents."""
        return sum(self.scores.values(), start=Score())


def measure(peer: Peer, files: Sequence[Path]) -> Result:
    """Let a reader read all files and compare with their ground truth."""
    result = Result()
    for file in files:
        truth = read_truth(file.with_name(f"{file.stem}-str.xml"))
        begun = time.perf_counter()
        found = peer.read(file)
        result.seconds += time.perf_counter() - begun
        result.scores[file.stem] = compare(found, truth)
    return result


def show(results: dict[str, Result]) -> Table:
    """Precision, recall and F1 of every reader, document by document."""
    table = Table("document", *results, title="cell adjacency: precision / recall / F1, in %")
    for name in next(iter(results.values())).scores:
        table.add_row(name, *(_figures(result.scores[name]) for result in results.values()))
    table.add_section()
    table.add_row("all", *(_figures(result.total) for result in results.values()))
    table.add_row("mean", *(_means(result.scores.values()) for result in results.values()))
    table.add_row("seconds", *(f"{result.seconds:.1f}" for result in results.values()))
    return table


def _figures(score: Score) -> str:
    return f"{100 * score.precision:.1f} / {100 * score.recall:.1f} / {100 * score.f1:.1f}"


def _means(scores: Iterable[Score]) -> str:
    every = list(scores)
    return " / ".join(
        f"{100 * mean(getattr(s, key) for s in every):.1f}" for key in ("precision", "recall", "f1")
    )


def show_joined(files: Sequence[Path]) -> Table:
    """Our tables that go on over page breaks, whole."""
    table = Table("document", "pages", "rows", "columns", "header rows", "first cells", "last cells")
    for file in files:
        try:
            document = extract_pdf(file.read_bytes(), file.name, ExtractionSettings())
        except RubricaError:
            continue
        for each in document.elements:
            if each.rows and each.page_from != each.page_to:
                size = (len(each.rows), len(each.rows[0]), each.header_rows)
                ends = (" | ".join(cell[:12] for cell in row[:4]) for row in (each.rows[0], each.rows[-1]))
                table.add_row(file.stem, f"{each.page_from}-{each.page_to}", *map(str, size), *ends)
    return table


def main() -> None:
    """Run and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=_DATA, help="folder that holds docs/pdf_tables_gt")
    folder = parser.parse_args().data / "docs" / "pdf_tables_gt"
    files = sorted(folder.glob("*.pdf"))
    if not files:
        parser.error(f"no PDFs in {folder}")
    results = {peer.name: measure(peer, files) for peer in PEERS if peer.installed}
    console = Console(width=40 + 25 * len(results))
    console.print(show(results))
    console.print(show_joined(sorted(folder.with_name("pdf_ru").glob("*.pdf"))))
    for peer in PEERS:
        if not peer.installed:
            console.print(f"absent: {peer.name} ({peer.module} is not installed)")


if __name__ == "__main__":
    main()
