"""Clause numbers of norms and laws: how many of those that stand there are found, and how many are false.

Run it with ``python -m benchmarks.clauses [--data FOLDER] [--show]``. The truth lists under
``clause_truth/`` were made by reading the documents: ``clauses`` holds every number that opens a clause, in
order, ``either`` those that a reader may count or not. Numbers are compared as multisets, without regard
to letter case, so a law's twenty parts «1» are twenty numbers. ``--show`` prints what is missing or false.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from extraction.extract import extract
from rubrica.settings import ExtractionSettings

_HERE = Path(__file__).resolve().parent
_DATA = _HERE.parents[1] / "shared" / "data"
_TRUTH = _HERE / "clause_truth"
_SPELLINGS = str.maketrans({"№": "n"})


@dataclass(frozen=True, slots=True)
class Truth:
    """What a reader found in one document.

    Attributes:
        path: Its path under ``docs/`` of the data.
        digest: SHA-256 of the file that was read.
        clauses: The numbers that open clauses.
        either: Numbers that count neither as found nor as false.
    """

    path: str
    digest: str
    clauses: Counter[str]
    either: Counter[str]


@dataclass(frozen=True, slots=True)
class Score:
    """How the numbers found in one document compare with its truth.

    Attributes:
        found: Numbers that extraction found and that are there.
        missing: Numbers that are there and were not found.
        false: Numbers that were found and are not there.
    """

    found: Counter[str]
    missing: Counter[str]
    false: Counter[str]

    @property
    def recall(self) -> float:
        """Share of the document's numbers that were found."""
        return self.found.total() / max(self.found.total() + self.missing.total(), 1)

    @property
    def false_share(self) -> float:
        """Share of the numbers found that are none."""
        return self.false.total() / max(self.found.total() + self.false.total(), 1)


def read_truth(path: Path) -> Truth:
    """Read one truth list."""
    data = json.loads(path.read_text(encoding="utf-8"))
    either = Counter(map(spelled, data.get("either", ())))
    return Truth(data["file"], data["sha256"], Counter(map(spelled, data["clauses"])), either)


def spelled(number: str) -> str:
    """A clause number without what may be written one way or another."""
    return " ".join(number.casefold().translate(_SPELLINGS).split()).rstrip(".")


def compare(found: Counter[str], truth: Truth) -> Score:
    """Compare numbers with those of a truth list, as multisets."""
    false = found - truth.clauses - truth.either
    return Score(found & truth.clauses, truth.clauses - found, false)


def measure(data: Path) -> Iterator[tuple[str, Score]]:
    """Extract every document that has a truth list; those that are not at hand are left out."""
    settings = ExtractionSettings()
    for path in sorted(_TRUTH.glob("*.json")):
        truth = read_truth(path)
        file = data / "docs" / truth.path
        content = file.read_bytes() if file.is_file() else b""
        if hashlib.sha256(content).hexdigest() != truth.digest:
            continue
        document = extract(content, file.name, settings)
        numbers = Counter(spelled(e.clause) for e in document.elements if e.clause)
        yield path.stem, compare(numbers, truth)


def show(scores: dict[str, Score], *, details: bool) -> Table:
    """Recall and false numbers of every document, and of all."""
    table = Table("document", "clauses", "found", "recall, %", "false", "false, %")
    for name, score in {**scores, "all": _total(scores)}.items():
        clauses, found = score.found.total() + score.missing.total(), score.found.total()
        shares = f"{100 * score.recall:.1f}", f"{100 * score.false_share:.1f}"
        table.add_row(name, str(clauses), str(found), shares[0], str(score.false.total()), shares[1])
        if details and name != "all":
            for label, numbers in (("missing", score.missing), ("false", score.false)):
                table.add_row("", "", f"{label}:", ", ".join(numbers.elements()))
    return table


def _total(scores: dict[str, Score]) -> Score:
    parts = [Counter[str](), Counter[str](), Counter[str]()]
    for score in scores.values():
        for total, part in zip(parts, (score.found, score.missing, score.false), strict=True):
            total.update(part)
    return Score(*parts)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=_DATA)
    parser.add_argument("--show", action="store_true", help="print the numbers that are missing or false")
    arguments = parser.parse_args()
    scores = dict(measure(arguments.data))
    Console().print(show(scores, details=arguments.show))


if __name__ == "__main__":
    main()
