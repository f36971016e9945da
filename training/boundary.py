"""Trains the bundled boundary scorer again, or goes on from it, and measures old and new.

Run from the repository: ``python -m training.boundary --data ../shared/data --out DIR``. Without
``--weights`` or ``--from-base`` it goes on from the bundled scorer; ``--from-base`` starts from
multilingual-e5-small. A run that was cut short is taken up again by the same command.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress

from chunking.scorers import scorer_folder
from rubrica.protocols import Progress
from training.documents import read_sections
from training.loop import TrainOptions
from training.tuning import Start, tune

_SECTIONS = Path("training") / "sections.jsonl.gz"
_BUNDLED = "boundary-ru-en"


def main() -> None:
    """Train, export, and measure on the segmentation sets."""
    arguments = _parser().parse_args()
    options = TrainOptions(**{item.name: getattr(arguments, item.name) for item in fields(TrainOptions)})
    start = Start(scorer_folder(_BUNDLED), arguments.weights, arguments.from_base)
    documents = read_sections(arguments.data / _SECTIONS)
    tuned = tune(documents, start, arguments.out, options, _bars)
    print(f"Held out: {tuned.before} before, {tuned.after} after {tuned.state.pairs} pairs.")
    if not arguments.no_table:
        from benchmarks.scorer import main as measure  # noqa: PLC0415 - only a checkout has it

        table = measure([_BUNDLED, str(arguments.out), "--data", str(arguments.data)])
        with (arguments.out / "README.md").open("a", encoding="utf-8") as card:
            card.write(f"\n## Segmentation sets\n\n{table}\n")


class _Bar:
    """One bar of a terminal."""

    def __init__(self, shown: RichProgress, title: str, total: int | None) -> None:
        self._shown = shown
        self._task = shown.add_task(title, total=total)

    def advance(self, amount: int = 1) -> None:
        self._shown.advance(self._task, amount)


@contextmanager
def _bars(title: str, total: int | None = None) -> Iterator[Progress]:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    console = Console(stderr=True)
    with RichProgress(*columns, console=console, disable=not console.is_terminal) as shown:
        yield _Bar(shown, title, total)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="Folder with training/ and segmentation/.")
    parser.add_argument("--out", type=Path, required=True, help="Folder of the new scorer.")
    parser.add_argument("--weights", type=Path, help="Half-precision weights of the network to go on from.")
    parser.add_argument("--from-base", action="store_true", help="Start from multilingual-e5-small.")
    parser.add_argument("--no-table", action="store_true", help="Do not measure on the segmentation sets.")
    for item in fields(TrainOptions):
        name = f"--{item.name.replace('_', '-')}"
        parser.add_argument(name, type=type(item.default), default=item.default)
    return parser


if __name__ == "__main__":
    main()
