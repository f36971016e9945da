"""``rubrica tune``: the settings of chunking that answer golden questions best."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape
from rich.table import Table

from pipeline.cli import tune_options
from pipeline.cli.output import JsonOption, emit, progress_bar, stderr, stdout
from pipeline.services import Services
from rubrica.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexing.recall.model import GoldenSet
    from pipeline.plots.tuning_page import Tried
    from pipeline.tuning.corpus import Corpus
    from pipeline.tuning.report import Findings
    from pipeline.tuning.space import Space
    from pipeline.tuning.study import Candidate, Study

_INTERRUPTED = 130
_NAME_DIGITS = 8


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        epilog="For instance: rubrica tune --set norms --trials 40 --plot tuning.html. Without an index: "
        "rubrica tune --golden norms/golden.yaml --documents norms. Then: rubrica tune --set norms --write, "
        "and rubrica reindex."
    )(tune)


def tune(
    *,
    set_name: tune_options.SetName = None,
    golden: tune_options.Golden = None,
    documents: tune_options.Documents = None,
    everything: tune_options.Everything = False,
    trials: tune_options.Trials = 40,
    minutes: tune_options.Minutes = 0.0,
    strategies: tune_options.Strategies = "smart,heading,recursive",
    name: tune_options.Name = None,
    resume: tune_options.Resume = True,
    seed: tune_options.Seed = 1,
    write: tune_options.Write = False,
    plot: tune_options.Plot = None,
    as_json: JsonOption = False,
) -> None:
    """Search the settings of chunking that answer golden questions best, and cheapest.

    Each trial cuts the documents with some strategy, mode, sizes, window, overlap and context line, embeds
    the chunks and asks every question; the search over them is exact and in memory, so that the index
    stays as it is. The settings in force are trial 0. Shown are the trials that no other beats in both
    recall@5 and cost, and a paired test of the best against what is in force.

    Trials are kept in PostgreSQL: after Ctrl-C, or a crash, the same command goes on with the next one.
    """
    from pipeline.plots.target import PAGES, PICTURES, Target
    from pipeline.tuning.space import Space, parse_strategies

    if golden is not None and set_name is not None:
        raise typer.BadParameter("give --golden or --set, not both", param_hint="--golden")
    sources = _files_read(golden, documents)
    target = Target(plot, PAGES + PICTURES, several=False, sources=sources) if plot else None
    chosen = parse_strategies(strategies)
    with Services() as services:
        questions = _questions(services, set_name, golden)
        corpus = _corpus(services, questions, documents, everything=everything)
        space = Space(chosen, services.embedder.counter.limit)
        subject = _subject(services, corpus)
        title = name or f"{questions.name}-{subject[:_NAME_DIGITS]}"
        with _study(services, subject, title, seed, fresh=not resume) as study:
            stopped = _search(services, corpus, study, space, trials=trials, minutes=minutes)
            found = _findings(services, study)
    report = _Report(title, corpus, found, as_json=as_json)
    report.show()
    if target:
        report.draw(target)
    _apply(services, found, write=write, as_json=as_json)
    raise typer.Exit(_INTERRUPTED if stopped else 0)


# --- What is tried on ----------------------------------------------------------------------------


def _files_read(golden: Path | None, documents: Path | None) -> list[Path]:
    """What the plot must not be written over."""
    return [*([golden] if golden else []), *(documents.rglob("*") if documents else [])]


def _corpus(services: Services, questions: GoldenSet, documents: Path | None, *, everything: bool) -> Corpus:
    from pipeline.tuning.corpus import corpus_of_folder, corpus_of_index

    if documents is not None:
        return corpus_of_folder(documents, questions.questions, services.settings, everything=everything)
    return corpus_of_index(services, questions, everything=everything)


def _questions(services: Services, set_name: str | None, golden: Path | None) -> GoldenSet:
    from indexing.recall.formats import read_golden
    from indexing.recall.model import GoldenSet
    from pipeline.recall import chosen_sets

    if golden is not None:
        return GoldenSet(golden.stem, read_golden(golden))
    sets = chosen_sets(services, [set_name] if set_name else [])
    if len(sets) > 1:
        raise ConfigurationError(
            "There are several golden sets.",
            hint="Choose one with --set: " + ", ".join(item.name for item in sets) + ".",
        )
    return sets[0]


# --- The search ----------------------------------------------------------------------------------


def _subject(services: Services, corpus: Corpus) -> str:
    """Identity of all that trials have in common."""
    from chunking.chunker import CHUNKER_VERSION
    from pipeline.tuning.space import common_values
    from rubrica.identity import config_sig

    embedder = services.embedder
    models = {"embedder": f"{embedder.name};{embedder.revision}", "chunker": CHUNKER_VERSION}
    return config_sig({"corpus": corpus.digest} | models | common_values(services.settings.chunking))


@contextmanager
def _study(services: Services, subject: str, name: str, seed: int, *, fresh: bool) -> Iterator[Study]:
    from pipeline.tuning.storage import open_storage
    from pipeline.tuning.study import Study, delete_study

    url = services.settings.services.postgres_url.get_secret_value()
    with open_storage(url) as storage, services.catalog.exclusive(f"tuning:{name}"):
        if fresh:
            delete_study(storage, name)
        yield Study(storage, name, subject, seed=seed)


def _search(
    services: Services, corpus: Corpus, study: Study, space: Space, *, trials: int, minutes: float
) -> bool:
    """Run trials; whether somebody stopped it."""
    from pipeline.tuning.space import current_values
    from pipeline.tuning.trial import Bars, TrialRunner

    until = time.monotonic() + 60 * minutes if minutes else float("inf")
    with progress_bar("Trials", trials) as bar:
        bars = Bars(bar.beside("Documents"), bar.beside("Pairs"), bar.beside("Passages"))
        runner = TrialRunner(corpus, services.settings, services.embedder, bars)

        def run(values: Any) -> Any:
            bar.update(study.done, trials)
            return runner.run(values)

        study.try_current(current_values(services.settings.chunking), run)
        try:
            study.search(space, run, trials=trials, until=until)
        except KeyboardInterrupt:
            stderr.print("[yellow]Interrupted; the same command goes on from here.[/]")
            return True
    return False


def _findings(services: Services, study: Study) -> Findings:
    from pipeline.tuning.report import findings
    from pipeline.tuning.space import current_values

    current = study.current(current_values(services.settings.chunking))
    assert current is not None, "it is tried first"
    return findings(study.candidates, current)


# --- What is shown -------------------------------------------------------------------------------


class _Report:
    """Shows what a study found."""

    def __init__(self, name: str, corpus: Corpus, found: Findings, *, as_json: bool) -> None:
        self._name = name
        self._found = found
        self._as_json = as_json
        stale = f", {corpus.stale} stale labels" if corpus.stale else ""
        self._about = f"{len(corpus.questions)} questions on {len(corpus.documents)} documents{stale}"
        self._questions = len(corpus.questions)

    def show(self) -> None:
        """Print the front and the verdict."""
        if self._as_json:
            self._emit()
            return
        stdout.print(f"[bold]{escape(self._name)}[/]: {self._about}", highlight=False, soft_wrap=True)
        stdout.print(f"{len(self._found.candidates)} settings tried; those that no other beats:")
        table = Table("trial", "recall@5", "MRR", "cost, k tokens", "chunks", "pairs", "settings")
        for item in self._shown():
            table.add_row(
                str(item.number),
                f"{item.recall:.3f}",
                f"{item.mrr:.3f}",
                f"{item.cost / 1000:,.1f}",
                f"{item.chunks:,}",
                f"{item.pairs:,}",
                item.settings + (f" [dim]({item.note})[/]" if item.note else ""),
                style="bold" if item.best else "",
            )
        stdout.print(table)
        stdout.print(self._verdict(), soft_wrap=True, highlight=False)

    def draw(self, target: Any) -> None:
        """Write the plot."""
        from pipeline.plots.tuning_page import StudyView, tuning_page

        view = StudyView(self._name, self._about, self._verdict(), self._tried())

        def save(file: Path) -> None:
            if file.suffix.lower() in {".png", ".svg"}:
                from pipeline.plots.tuning_picture import save_tuning_picture

                save_tuning_picture(view, file)
            else:
                file.write_text(tuning_page(view), "utf-8")

        file = target.save(self._name, save)
        console = stderr if self._as_json else stdout
        console.print(f"drawn: {escape(str(file))}", soft_wrap=True, highlight=False)

    def _verdict(self) -> str:
        from pipeline.tuning.trial import RECALL

        found, test = self._found, self._found.comparison
        if not found.improves:
            return "Nothing that was tried is better than the settings in force."
        now, best = found.current.outcome, found.best.outcome
        change = f"recall@5 {now.metrics[RECALL]:.3f} → {best.metrics[RECALL]:.3f}"
        cost = f"cost {best.cost / now.cost:.2f} times" if now.cost else "cost from nothing"
        sure = "not by chance" if test.significant() else "which may be chance"
        return (
            f"Best is trial {found.best.number}: {change}, {cost}; {len(test.better)} questions better,"
            f" {len(test.worse)} worse, p = {test.p:.3f} (the best of {len(found.candidates)}), {sure}."
        )

    def _tried(self) -> Sequence[Tried]:
        found = self._found
        front = {item.number for item in found.front}
        ordered = sorted(found.candidates, key=lambda item: (item.number not in front, -item.outcome.quality))
        return [_tried(item, found, front) for item in ordered]

    def _shown(self) -> list[Tried]:
        shown = [item for item in self._tried() if item.front or item.best or item.current]
        return sorted(shown, key=lambda item: item.cost)

    def _emit(self) -> None:
        found = self._found
        front = {item.number for item in found.front}
        for item in found.candidates:
            emit("trial", _as_json(item) | {"front": item.number in front, "in_force": item is found.current})
        test = found.comparison
        values = {
            "study": self._name,
            "questions": self._questions,
            "trials": len(found.candidates),
            "best": found.best.number,
            "settings": dict(found.best.outcome.values),
            "improves": found.improves,
            "recall@5_before": test.before,
            "recall@5_after": test.after,
            "better": len(test.better),
            "worse": len(test.worse),
            "p": test.p,
        }
        emit("tuning", values)


def _as_json(item: Candidate) -> dict[str, Any]:
    outcome = item.outcome
    return {
        "number": item.number,
        "settings": dict(outcome.values),
        **outcome.metrics,
        "cost": outcome.cost,
        "chunks": outcome.chunks,
        "tokens": outcome.tokens,
        "pairs": outcome.pairs,
        "seconds": round(outcome.seconds, 3),
    }


def _tried(item: Candidate, found: Findings, front: set[int]) -> Tried:
    from pipeline.plots.tuning_page import Tried
    from pipeline.tuning.space import described
    from pipeline.tuning.trial import MRR, RECALL

    outcome = item.outcome
    return Tried(
        number=item.number,
        settings=described(outcome.values),
        recall=outcome.metrics[RECALL],
        mrr=outcome.metrics[MRR],
        cost=outcome.cost,
        chunks=outcome.chunks,
        pairs=outcome.pairs,
        front=item.number in front,
        best=item.number == found.best.number,
        current=item.number == found.current.number,
    )


def _apply(services: Services, found: Findings, *, write: bool, as_json: bool) -> None:
    """Write the best settings, or say what they are."""
    from pipeline.tuning.applying import overruled, setting_lines, write_settings

    console = stderr if as_json else stdout
    values = found.best.outcome.values
    if not found.improves:
        if write:
            console.print("Nothing is written.")
        return
    if not write:
        if not as_json:
            stdout.print("Use it (or give --write):")
            for line in setting_lines(values):
                stdout.print(f"  {line}", highlight=False)
        return
    file = write_settings(services.settings.home, values)
    console.print(
        f"written: {escape(str(file))}; `rubrica reindex` builds the index with it.", soft_wrap=True
    )
    for name in overruled(values):
        console.print(f"[yellow]{name} is set in the environment, which is stronger.[/]", soft_wrap=True)
