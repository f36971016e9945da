"""``rubrica evaluate``: how well the search answers golden questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from pipeline.cli import evaluate_options
from pipeline.cli.answers import check_answerable, show_answers
from pipeline.cli.output import JsonOption, emit, progress_bar, stderr, stdout
from pipeline.services import Services
from rubrica.errors import ConfigurationError

if TYPE_CHECKING:
    from indexing.recall.model import AnswerHit, EvaluationRecord, GoldenQuestion, GoldenSet, QuestionOutcome
    from indexing.recall.significance import Comparison

_ALWAYS = (1, 5, 10)
_SHOWN = ("recall@1", "recall@5", "recall@10", "mrr", "ndcg@10", "precision@5", "iou", "labels_resolved")
_MISSED_AT = "recall@5"
_MISSED_SHOWN = 10
_HITS_SHOWN = 3
_CHARACTERS = 160


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(evaluate)


def evaluate(
    *,
    golden: evaluate_options.Golden = None,
    sets: evaluate_options.SetNames = None,
    k: evaluate_options.K = None,
    mode: evaluate_options.Mode = evaluate_options.SearchedBy.HYBRID,
    rerank: evaluate_options.Rerank = False,
    generation: evaluate_options.Generation = None,
    compare: evaluate_options.Compare = None,
    covered: evaluate_options.Covered = 0.5,
    missed: evaluate_options.Missed = None,
    answers: evaluate_options.Answers = False,
    judge: evaluate_options.Judge = evaluate_options.JudgedBy.WORDS,
    max_calls: evaluate_options.MaxCalls = 200,
    as_json: JsonOption = False,
) -> None:
    """Ask golden questions and report recall, MRR, nDCG, precision and token IoU.

    A golden question names a document and a passage. It is answered at k when one of the first k hits holds
    at least half of the passage. A passage that no longer stands in the documents makes the label stale: it
    counts in "labels_resolved", not as a miss.

    Examples: rubrica evaluate --golden golden.yaml; rubrica evaluate --set norms --mode dense;
    rubrica evaluate --set norms --compare 12.
    """
    from indexing.recall.answers import AnswerOptions
    from pipeline.recall import RecallRequest, searched_generation

    if golden is not None and sets:
        raise typer.BadParameter("give --golden or --set, not both", param_hint="--golden")
    depths = tuple(sorted({*_ALWAYS, *(k or ())}))
    request = RecallRequest(mode.value, rerank, depths, covered)
    with Services() as services:
        chosen = _chosen(services, golden, sets or [])
        if answers:
            check_answerable(services, chosen)
        searched = searched_generation(services, generation)
        baseline = _baseline(services, compare, chosen)
        for golden_set in chosen:
            record = _evaluated(services, golden_set, request, searched, save=golden is None)
            _Report(golden_set, record, searched.number, as_json=as_json).show(missed)
            if baseline is not None:
                _show_comparisons(baseline, record, as_json=as_json)
            if answers:
                options = AnswerOptions(judge=judge.value, max_calls=max_calls)
                show_answers(services, golden_set, request, searched, options, as_json=as_json)


def _chosen(services: Services, path: Path | None, names: list[str]) -> list[GoldenSet]:
    from indexing.recall.formats import read_golden
    from indexing.recall.model import GoldenSet
    from pipeline.recall import chosen_sets

    if path is None:
        return chosen_sets(services, names)
    return [GoldenSet(path.stem, read_golden(path))]


def _baseline(services: Services, id_: int | None, chosen: list[GoldenSet]) -> EvaluationRecord | None:
    if id_ is None:
        return None
    record = services.catalog.evaluations.get(id_)
    if record is None:
        raise ConfigurationError(
            f"There is no evaluation {id_}.", hint="`rubrica golden list` shows the last."
        )
    if len(chosen) != 1:
        raise ConfigurationError(
            "Only one set can be compared with an evaluation.", hint=f"Add --set {record.set_name}."
        )
    return record


def _evaluated(
    services: Services, golden: GoldenSet, request: Any, generation: Any, *, save: bool
) -> EvaluationRecord:
    from pipeline.recall import evaluate_set

    with progress_bar(f"asking {golden.name}", len(golden.questions)) as bar:
        return evaluate_set(services, golden, request, generation=generation, save=save, progress=bar)


class _Report:
    """Shows one evaluation."""

    def __init__(
        self, golden: GoldenSet, record: EvaluationRecord, generation: int, *, as_json: bool
    ) -> None:
        self._golden = golden
        self._record = record
        self._generation = generation
        self._as_json = as_json
        self._questions = {question.id: question for question in golden.questions}

    def show(self, missed: int | None) -> None:
        """Show the means, and the questions that were missed.

        Args:
            missed: Most of these to show; by default ten to people and none to programs.
        """
        most = missed if missed is not None else 0 if self._as_json else _MISSED_SHOWN
        bad = [answer for answer in self._record.answers if _is_missed(answer)]
        if self._as_json:
            for answer in bad[:most]:
                self._emit_missed(answer)
            emit("recall", self._values())
            return
        stdout.print(self._table())
        if self._golden.origin == "bootstrap":
            stderr.print(
                "These questions were made from headings and first sentences; write real ones into a"
                " golden.yaml.",
                style="yellow",
            )
        for answer in bad[:most]:
            self._show_missed(answer)
        if len(bad) > most:
            stdout.print(f"… and {len(bad) - most} more; --missed {len(bad)} shows them.", style="dim")

    def _values(self) -> dict[str, Any]:
        metrics = self._record.metrics
        extra = [name for name in metrics if name not in {*_SHOWN, "questions"}]
        return {
            "set": self._golden.name,
            "questions": len(self._golden.questions),
            **{name: _rounded(metrics.get(name)) for name in (*_SHOWN, *extra)},
            "origin": str(self._golden.origin),
            "generation": self._generation,
            "mode": self._record.search["mode"],
            "rerank": self._record.search["rerank"],
            "evaluation": self._record.id or None,
            "seconds": round(self._record.seconds, 3),
        }

    def _table(self) -> Table:
        metrics = self._record.metrics
        how = f"{self._record.search['mode']}{', reranked' if self._record.search['rerank'] else ''}"
        number = f", evaluation {self._record.id}" if self._record.id else ""
        title = f"{self._golden.name}: {len(self._golden.questions)} questions, {how}{number}"
        table = Table(title=escape(title), title_justify="left")
        names = [name for name in metrics if name.startswith("recall@")]
        names += [name for name in _SHOWN if not name.startswith("recall@")]
        for name in names:
            table.add_column(name.replace("labels_resolved", "labels"), justify="right")
        table.add_row(*(_shown(metrics.get(name)) for name in names))
        return table

    def _emit_missed(self, answer: QuestionOutcome) -> None:
        question = self._questions[answer.question_id]
        values = {
            "set": self._golden.name,
            "id": question.id,
            "question": question.question,
            "document": question.document,
            "quotes": [span.quote for span in question.spans],
            "stale": answer.stale,
            **answer.outcome,
            "hits": [_hit_values(hit) for hit in answer.hits],
        }
        emit("missed", values)

    def _show_missed(self, answer: QuestionOutcome) -> None:
        question = self._questions[answer.question_id]
        colour, why = ("red", "missed") if answer.resolved else ("yellow", "stale")
        stdout.print(
            f"[{colour}]{why}[/] [bold]{escape(question.question)}[/] [dim]{escape(question.id)}[/]",
            soft_wrap=True,
        )
        stdout.print(Padding(f"wanted [cyan]{escape(_wanted(question))}[/]", (0, 0, 0, 2)), highlight=False)
        if answer.stale:
            stdout.print(Padding(escape(answer.stale), (0, 0, 0, 2)), highlight=False)
        for hit in answer.hits[:_HITS_SHOWN]:
            page = f", p. {hit.page}" if hit.page else ""
            text = f"{hit.rank}. {hit.document}{page}: {_cut(hit.text)}"
            stdout.print(Padding(f"[dim]{escape(text)}[/]", (0, 0, 0, 4)), highlight=False)


def _is_missed(answer: QuestionOutcome) -> bool:
    return not answer.resolved or answer.outcome[_MISSED_AT] < 1 or bool(answer.stale)


def _wanted(question: GoldenQuestion) -> str:
    span = question.spans[0]
    page = f", p. {span.page}" if span.page else ""
    return f"{question.document}{page}: {_cut(' '.join(span.quote.split()) or 'the document')}"


def _cut(text: str) -> str:
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]} …"


def _hit_values(hit: AnswerHit) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(hit)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _show_comparisons(before: EvaluationRecord, after: EvaluationRecord, *, as_json: bool) -> None:
    """What changed since another evaluation, and whether it is more than chance."""
    from indexing.recall.significance import compare

    names = [name for name in _SHOWN[:-1] if name in before.metrics and name in after.metrics]
    found = [compare(before.answers, after.answers, name) for name in names]
    if as_json:
        for item in found:
            emit("comparison", _comparison_values(item, before))
        return
    title = f"Against evaluation {before.id}, over {found[0].questions if found else 0} questions in both"
    table = Table(
        "metric", "before", "now", "change", "p", "better", "worse", title=title, title_justify="left"
    )
    for item in found:
        change = f"{item.difference:+.3f}"
        style = ("red" if item.difference < 0 else "green") if item.significant() else ""
        counts = (str(len(item.better)), str(len(item.worse)))
        table.add_row(
            item.metric,
            f"{item.before:.3f}",
            f"{item.after:.3f}",
            change,
            f"{item.p:.3f}",
            *counts,
            style=style,
        )
    stdout.print(table)


def _comparison_values(item: Comparison, before: EvaluationRecord) -> dict[str, Any]:
    return {
        "baseline": before.id,
        "metric": item.metric,
        "questions": item.questions,
        "before": _rounded(item.before),
        "after": _rounded(item.after),
        "difference": _rounded(item.difference),
        "p": _rounded(item.p),
        "significant": item.significant(),
        "better": item.better,
        "worse": item.worse,
    }
