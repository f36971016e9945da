"""``rubrica evaluate --answers``: what a language model makes of what the search finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.padding import Padding

from pipeline.cli.output import emit, progress_bar, stderr, stdout
from pipeline.services import Services
from rubrica.errors import ConfigurationError

if TYPE_CHECKING:
    from indexing.catalog.generations import Generation
    from indexing.recall.answers import AnswerOptions, JudgedAnswer
    from indexing.recall.model import GoldenSet
    from pipeline.answering import AnswersOutcome
    from pipeline.recall import RecallRequest

_SHOWN = 10
_NAMES = {
    "answers_correct": "correct",
    "answers_incomplete_context": "incomplete context",
    "answers_wrong_answer": "wrong answer",
    "answers_no_answer": "no answer",
}


def check_answerable(services: Services, chosen: Sequence[GoldenSet]) -> None:
    """Make sure that there is a model to ask, and something to compare its answers with.

    Raises:
        ConfigurationError: There is not.
    """
    from pipeline.answering import check_model

    check_model(services)
    if not any(question.answer.strip() for golden in chosen for question in golden.questions):
        raise ConfigurationError(
            "None of the questions has an expert's answer.", hint="Give them an `answer` in the golden set."
        )


def show_answers(
    services: Services,
    golden: GoldenSet,
    request: RecallRequest,
    generation: Generation,
    options: AnswerOptions,
    *,
    as_json: bool,
) -> None:
    """Ask the model, and show what it made of the questions beside their recall."""
    from pipeline.answering import ask_for_answers

    answerable = sum(bool(question.answer.strip()) for question in golden.questions)
    if not answerable:
        stderr.print(f"No question of {escape(golden.name)} has an expert's answer.", style="yellow")
        return
    with progress_bar(f"answering {golden.name}", answerable) as bar:
        outcome = ask_for_answers(services, golden, request, generation, options, progress=bar)
    if as_json:
        _emit(golden, outcome)
    else:
        _show(golden, outcome)


def _emit(golden: GoldenSet, outcome: AnswersOutcome) -> None:
    report = outcome.report
    for answer in report.answers:
        emit("answer", {"set": golden.name} | asdict(answer))
    values: dict[str, Any] = {"set": golden.name, "model": outcome.model} | report.metrics()
    cost = {"calls": report.calls} | asdict(outcome.spent)
    emit("answers", values | {"skipped": report.skipped, "stopped": report.stopped} | cost)


def _show(golden: GoldenSet, outcome: AnswersOutcome) -> None:
    report, metrics = outcome.report, outcome.report.metrics()
    shares = ", ".join(f"{name} {metrics[key]:.0%}" for key, name in _NAMES.items())
    failed = f", failed {metrics['answers_failed']:.0f}" if metrics["answers_failed"] else ""
    stdout.print(
        f"[bold]{escape(golden.name)}[/], {len(report.answers)} answers of {escape(outcome.model)}:"
        f" {shares}{failed}; F1 of words {metrics['answers_f1']:.3f}",
        soft_wrap=True,
        highlight=False,
    )
    bad = [answer for answer in report.answers if answer.verdict.value != "correct"]
    asked = {question.id: question.question for question in golden.questions}
    for answer in bad[:_SHOWN]:
        _show_bad(asked[answer.question_id], answer)
    if report.stopped:
        stderr.print(f"Not all were asked: {escape(report.stopped)}", style="yellow")
    spent = outcome.spent
    stderr.print(
        f"{report.calls} calls, {spent.prompt_tokens} tokens sent, {spent.completion_tokens} got.",
        style="dim",
    )


def _show_bad(question: str, answer: JudgedAnswer) -> None:
    verdict = answer.verdict.value.replace("_", " ")
    stdout.print(f"[red]{verdict}[/] {escape(question)}", soft_wrap=True, highlight=False)
    given = answer.given or answer.reason or "nothing"
    told = f"[dim]expected:[/] {escape(answer.expected)}\n[dim]given:[/] {escape(given)}"
    stdout.print(Padding(told, (0, 0, 0, 2)), highlight=False)
