"""Every real document at hand, read or refused: a table per folder and a verdict per refused file.

Run it with ``python -m benchmarks.extraction_sweep``. It reads the files through the worker processes of
``rubrica extract``, with the default limits. ``--write`` puts the table into
``benchmarks/results/extraction_sweep.md``. The verdicts stand in ``benchmarks/extraction_verdicts.tsv``,
written by a person: whether a reader could make sense of the file, and why. The exit status is 1 when a file
is refused without a verdict, or when more than 3 % of what a person could read is refused.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from extraction.worker import ExtractionJob, ExtractionOutcome, extract_isolated
from rubrica.errors import PoisonDocumentError
from rubrica.identity import content_hash
from rubrica.log import configure_logging
from rubrica.model import Document, ElementKind
from rubrica.settings import ExtractionSettings

_HERE = Path(__file__).resolve().parent
_DATA = _HERE.parents[1] / "shared" / "data" / "docs"
_VERDICTS = _HERE / "extraction_verdicts.tsv"
_RESULT = _HERE / "results" / "extraction_sweep.md"
_HASH_LENGTH = 16
_ALLOWED = 0.03
_COUNTS = ("files", "read", "refused", "though readable", "no verdict")
_CONTENT = ("pages", "headings", "clauses", "tables", "code")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person says of a file that is refused.

    Attributes:
        readable: Whether a reader who opens the file can make sense of it.
        reason: One line.
    """

    readable: bool
    reason: str


@dataclass(slots=True)
class Folder:
    """What became of the files of one folder."""

    counts: Counter[str] = field(default_factory=Counter)
    refused: list[tuple[str, str, str]] = field(default_factory=list)  # digest, path, reason

    def add(self, outcome: ExtractionOutcome, digest: str, verdicts: dict[str, Verdict]) -> None:
        """Count one file."""
        self.counts["files"] += 1
        if outcome.document is not None:
            self.counts["read"] += 1
            self.counts.update(_contents(outcome.document))
        elif outcome.error is not None:
            self.counts["refused"] += 1
            self.counts[_judge(verdicts.get(digest))] += 1
            self.refused.append((digest, outcome.path, _told(outcome.error)))


def read_verdicts(path: Path = _VERDICTS) -> dict[str, Verdict]:
    """The committed verdicts by the first digits of the file's SHA-256."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["sha256"]: Verdict(row["readable"] == "yes", row["verdict"]) for row in rows}


def _judge(verdict: Verdict | None) -> str:
    if verdict is None:
        return "no verdict"
    return "though readable" if verdict.readable else "by right"


def _told(error: PoisonDocumentError) -> str:
    return f"{type(error).__name__}: {error.reason}"


def _contents(document: Document) -> Counter[str]:
    kinds = Counter(item.kind for item in document.elements)
    return Counter(
        pages=max((item.page_to or 0 for item in document.elements), default=0),
        headings=kinds[ElementKind.HEADING],
        clauses=sum(item.clause is not None for item in document.elements),
        tables=kinds[ElementKind.TABLE],
        code=kinds[ElementKind.CODE],
    )


def sweep(data: Path, settings: ExtractionSettings, workers: int) -> dict[str, Folder]:
    """Read every file below ``data``, folder by folder.

    Args:
        data: A folder with a folder for each kind of documents.
        settings: Limits.
        workers: How many processes read.
    """
    paths = [path for path in sorted(data.rglob("*")) if path.is_file() and path.parent != data]
    digests: dict[str, str] = {}
    outcomes = extract_isolated(_jobs(paths, data, digests), settings, workers=workers)
    folders: dict[str, Folder] = defaultdict(Folder)
    verdicts = read_verdicts()
    console = Console(stderr=True)
    for outcome in track(outcomes, "reading", total=len(paths), console=console):
        folders[outcome.path.split("/")[0]].add(outcome, digests[outcome.path], verdicts)
    return dict(folders)


def _jobs(paths: Iterable[Path], data: Path, digests: dict[str, str]) -> Iterator[ExtractionJob]:
    for path in paths:
        name, content = path.relative_to(data).as_posix(), path.read_bytes()
        digests[name] = content_hash(content)[:_HASH_LENGTH]
        yield ExtractionJob(name, content)


def _total(folders: Iterable[Folder]) -> Counter[str]:
    total: Counter[str] = Counter()
    for folder in folders:
        total.update(folder.counts)
    return total


def _rows(folders: dict[str, Folder]) -> Iterator[Sequence[str]]:
    rows = {**{name: folder.counts for name, folder in folders.items()}, "all": _total(folders.values())}
    for name, counts in rows.items():
        yield (name, *(f"{counts[key]:,}".replace(",", " ") for key in (*_COUNTS, *_CONTENT)))


def readable_but_refused(folders: Iterable[Folder]) -> float:
    """Share of the files a person could read that are refused; a file without a verdict counts as one."""
    total = _total(folders)
    lost = total["though readable"] + total["no verdict"]
    return lost / max(1, total["read"] + lost)


def as_markdown(folders: dict[str, Folder]) -> str:
    """The table for the repository."""
    head = ("folder", *_COUNTS, *_CONTENT)
    lines = [
        "# Every real document, read or refused",
        "",
        "Printed by `python -m benchmarks.extraction_sweep --write`; the verdict of each refused file",
        "stands in [`extraction_verdicts.tsv`](../extraction_verdicts.tsv). Text recognition is off.",
        "",
        "| " + " | ".join(head) + " |",
        "|---" * len(head) + "|",
        *("| " + " | ".join(row) + " |" for row in _rows(folders)),
        "",
        f"Refused of what a person could read: {readable_but_refused(folders.values()):.1%} (at most 3 %).",
        "",
    ]
    return "\n".join(lines)


def _print(folders: dict[str, Folder]) -> None:
    console = Console()
    table = Table("folder", *_COUNTS, *_CONTENT)
    for row in _rows(folders):
        table.add_row(*row)
    console.print(table)
    for folder in folders.values():
        for digest, path, reason in folder.refused:
            console.print(f"{digest}\t{path}\t{reason}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"refused of what a person could read: {readable_but_refused(folders.values()):.1%}")


def main() -> int:
    """Run, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=_DATA, help="a folder of folders of documents")
    parser.add_argument("--workers", type=int, default=2, help="processes that read")
    parser.add_argument("--write", action="store_true", help=f"write {_RESULT.name} too")
    arguments = parser.parse_args()
    configure_logging()
    folders = sweep(arguments.data, ExtractionSettings(), arguments.workers)
    _print(folders)
    if arguments.write:
        _RESULT.parent.mkdir(exist_ok=True)
        _RESULT.write_text(as_markdown(folders), encoding="utf-8")
    judged = not _total(folders.values())["no verdict"]
    return int(not judged or readable_but_refused(folders.values()) > _ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
