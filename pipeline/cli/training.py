"""``rubrica train-scorer``: a boundary scorer tuned on one's own headings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from pipeline.cli.output import JsonOption, emit, progress_bar, show_failure, stdout
from rubrica.errors import ConfigurationError
from rubrica.model import Failure
from rubrica.settings import Settings

if TYPE_CHECKING:
    from training.documents import StructuredDocument
    from training.tuning import Tuned

_BUNDLED = "boundary-ru-en"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("train-scorer")(train_scorer)


def train_scorer(
    source: Annotated[
        list[str],
        typer.Option(
            "--from",
            help="Folder or git repository to learn from; may be given more than once.",
            show_default=False,
        ),
    ],
    *,
    out: Annotated[Path, typer.Option(help="Folder of the new scorer.")] = Path("scorer"),
    start: Annotated[
        str, typer.Option(help="Scorer to go on from: the bundled one, or a folder that this command wrote.")
    ] = _BUNDLED,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of text to learn from.")] = 6000,
    minutes: Annotated[float, typer.Option(min=0, help="Time to take at most; 0: no limit.")] = 0.0,
    learning_rate: Annotated[float, typer.Option(min=0, help="Peak of the learning rate.")] = 1.5e-5,
    seed: Annotated[int, typer.Option(help="Seed of the pairs that are drawn.")] = 1,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    as_json: JsonOption = False,
) -> None:
    """Tune the boundary scorer on headings and paragraphs of your own documents.

    It writes a folder that RUBRICA_SCORER names. One document in 25
    is held out to stop in time and to say what it gained. A run that was cut short goes on from where
    it was when the same command is given again.
    """
    _require("torch", "transformers", "onnx")
    from chunking.scorers import scorer_folder
    from training.loop import TrainOptions
    from training.tuning import Start, tune

    options = TrainOptions(
        pairs=pairs, minutes=minutes, learning_rate=learning_rate, seed=seed, device=device
    )
    folder = scorer_folder(start)
    _check_start(start, folder)
    failures: list[Failure] = []
    documents = _documents(source, failures)
    tuned = tune(documents, Start(folder), out, options, progress_bar)
    for failure in failures:
        show_failure(failure, as_json=as_json)
    if as_json:
        emit("scorer", {"path": str(out), "pairs": tuned.state.pairs} | _precisions(tuned))
    else:
        _show(out, tuned)
    raise typer.Exit(int(bool(failures)))


def _require(*packages: str) -> None:
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise ConfigurationError(
            f"Training needs what is not installed: {', '.join(missing)}.",
            hint=f"Install it: pip install {' '.join(missing)}.",
        )


def _check_start(name: str, folder: Path) -> None:
    missing = [file for file in ("model_int8.onnx", "tokenizer.json") if not (folder / file).is_file()]
    if missing:
        reason = f"it has no {missing[0]}" if folder.is_dir() else "there is no such folder"
        raise ConfigurationError(
            f"--start {name}: {reason}.",
            hint=f"Name {_BUNDLED}, or a folder that this command wrote.",
        )


def _documents(sources: list[str], failures: list[Failure]) -> Iterator[StructuredDocument]:
    from training.corpus import read_source

    settings = Settings()
    for source in sources:
        for result in read_source(source, settings):
            if isinstance(result, Failure):
                failures.append(result)
            else:
                yield result


def _precisions(tuned: Tuned) -> dict[str, dict[str, float]]:
    return {"before": asdict(tuned.before), "after": asdict(tuned.after)}


def _show(out: Path, tuned: Tuned) -> None:
    table = Table("", "before", "after", title="Average precision of boundaries in held-out documents, %")
    table.add_row("sections", f"{tuned.before.sections:.1f}", f"{tuned.after.sections:.1f}")
    table.add_row("paragraphs", f"{tuned.before.paragraphs:.1f}", f"{tuned.after.paragraphs:.1f}")
    stdout.print(table)
    stdout.print(f"Use it: [bold]RUBRICA_SCORER={escape(str(out.resolve()))}[/]", soft_wrap=True)
