"""Alarms: opened when answers are worse, with what is needed to see why, and closed when they are not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from indexing.catalog.alarms import Alarm, AlarmKind, NewAlarm
from indexing.recall.model import EvaluationRecord, GoldenSet, Origin
from indexing.recall.regressions import METRIC, Judgement, Rules, judge
from pipeline.alarm_details import command, named, recall_details
from pipeline.changes import changes_since
from pipeline.services import Services
from rubrica.errors import ConfigurationError
from rubrica.log import get_logger

_SHOWN_STALE = 20
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Review:
    """What an evaluation was found to be.

    Attributes:
        record: The evaluation.
        judgement: What is wrong with it.
        baseline: What it was compared with.
        opened: Alarms that are open because of it.
        closed: Causes of alarms that it closed.
        accepted: Whether later evaluations are compared with it.
    """

    record: EvaluationRecord
    judgement: Judgement
    baseline: EvaluationRecord | None
    opened: tuple[Alarm, ...]
    closed: tuple[str, ...]
    accepted: bool


def rules_for(services: Services, golden: GoldenSet) -> Rules:
    """The rules for a set: questions that Rubrica made itself are no measure, only their change is."""
    wanted = services.settings.recall
    return Rules(
        floor=None if golden.origin == Origin.BOOTSTRAP else wanted.recall_floor,
        alpha=wanted.recall_alpha,
        min_questions=wanted.recall_min_questions,
        labels_floor=wanted.recall_labels_floor,
    )


def review(services: Services, golden: GoldenSet, record: EvaluationRecord) -> Review:
    """Judge an evaluation of the live generation: open or close alarms, and accept it if it is good.

    Args:
        services: Open services.
        golden: The set that was asked.
        record: The evaluation, as it was stored.
    """
    alias = services.settings.indexing.alias
    baseline = services.catalog.evaluations.latest_accepted(golden.name, alias)
    judgement = judge(record, baseline, rules_for(services, golden))
    found = [_recall_alarm(services, golden, record, baseline, judgement)] if judgement.regressed else []
    found += [_labels_alarm(services, golden, record, baseline, judgement)] if judgement.stale else []
    opened = tuple(services.catalog.alarms.open(alarm) for alarm in found)
    closed = tuple(_close_passed(services, golden, judgement))
    if judgement.acceptable:
        services.catalog.evaluations.accept(record.id)
    for alarm in opened:
        _log.warning("alarm", id=alarm.id, kind=alarm.said.kind.value, summary=alarm.said.summary)
    return Review(record, judgement, baseline, opened, closed, judgement.acceptable)


def accept(services: Services, alarm_id: int, note: str = "") -> Alarm:
    """Take the evaluation of an alarm for the new measure, because it is meant to be so, and close the alarm.

    Args:
        services: Open services.
        alarm_id: The alarm.
        note: Why, in a sentence.

    Raises:
        ConfigurationError: There is no such open alarm, or it is none of recall.
    """
    alarm = services.catalog.alarms.get(alarm_id)
    if alarm is None or not alarm.is_open:
        raise ConfigurationError(f"There is no open alarm {alarm_id}.", hint="`rubrica alarms` lists them.")
    if alarm.said.kind is AlarmKind.LABELS:
        raise ConfigurationError(
            f"Alarm {alarm_id} is about labels, which cannot be accepted as they are.",
            hint=f"`rubrica golden check {alarm.said.set_name}` shows which to mend.",
        )
    if alarm.said.evaluation_id is not None and alarm.said.kind is AlarmKind.RECALL:
        services.catalog.evaluations.accept(alarm.said.evaluation_id)
    services.catalog.alarms.close(alarm.said.cause, note or "It was accepted as it is.")
    return services.catalog.alarms.get(alarm_id) or alarm


def floor_left(services: Services, alarm: Alarm) -> str:
    """Why the alarm of an evaluation that was accepted comes again; empty where it need not.

    Args:
        services: Open services.
        alarm: The alarm that was accepted.
    """
    golden = services.catalog.golden.get(alarm.said.set_name) if alarm.said.set_name else None
    recall = (alarm.said.details.get("now") or {}).get(METRIC)
    floor = rules_for(services, golden).floor if golden else None
    if alarm.said.kind is not AlarmKind.RECALL or recall is None or floor is None or recall >= floor:
        return ""
    return (
        f"{METRIC} is {recall:.3f}, still under RUBRICA_RECALL_FLOOR ({floor:.2f}): the next check opens the"
        " alarm again, unless recall rises or the floor is lowered."
    )


def cause(kind: AlarmKind, alias: str, name: str = "") -> str:
    """What an alarm is known by."""
    return "/".join(part for part in (kind.value, alias, name) if part)


# --- Recall ------------------------------------------------------------------------------------------


def _recall_alarm(
    services: Services,
    golden: GoldenSet,
    record: EvaluationRecord,
    baseline: EvaluationRecord | None,
    judgement: Judgement,
) -> NewAlarm:
    change = changes_since(services, baseline, record) if baseline else None
    return NewAlarm(
        cause(AlarmKind.RECALL, services.settings.indexing.alias, golden.name),
        AlarmKind.RECALL,
        f"{named(golden)}: {' '.join(judgement.reasons)}",
        recall_details(services, golden, record, baseline, judgement)
        | {"change": change, "commands": _recall_commands(golden, change)},
        set_name=golden.name,
        generation_id=record.generation_id,
        evaluation_id=record.id,
        baseline_id=baseline.id if baseline else None,
    )


def _recall_commands(golden: GoldenSet, change: Mapping[str, Any] | None) -> list[dict[str, str]]:
    commands = [command("rubrica alarms show ID", "shows the questions that broke, before and now")]
    if change and change["generation"]["before"] != change["generation"]["now"]:
        commands.append(command("rubrica rollback", "goes back to the generation that was live before"))
    if change and change["sources"]:
        commands.append(
            command("rubrica golden check", "shows which answers the new documents moved or removed")
        )
    return [
        *commands,
        command(f"rubrica tune --set {golden.name}", "looks for settings that answer these questions better"),
        command("rubrica alarms accept ID", "takes recall as it is now for the new measure"),
    ]


# --- Labels ------------------------------------------------------------------------------------------


def _labels_alarm(
    services: Services,
    golden: GoldenSet,
    record: EvaluationRecord,
    baseline: EvaluationRecord | None,
    judgement: Judgement,
) -> NewAlarm:
    known = {question.id: question for question in golden.questions}
    stale = [answer for answer in record.answers if answer.stale and answer.question_id in known]
    floor = services.settings.recall.recall_labels_floor
    return NewAlarm(
        cause(AlarmKind.LABELS, services.settings.indexing.alias, golden.name),
        AlarmKind.LABELS,
        f"{named(golden)}: only {judgement.labels:.0%} of its passages are found in the documents, under"
        f" {floor:.0%}; {len(stale)} questions have labels that are stale.",
        {
            "set": golden.name,
            "origin": str(golden.origin),
            "now": dict(record.metrics),
            "stale": [
                {
                    "id": answer.question_id,
                    "question": known[answer.question_id].question,
                    "document": known[answer.question_id].document,
                    "reason": answer.stale,
                }
                for answer in stale[:_SHOWN_STALE]
            ],
            "change": changes_since(services, baseline, record) if baseline else None,
            "commands": [
                command(f"rubrica golden check {golden.name}", "shows every label and where it stands now")
            ],
        },
        set_name=golden.name,
        generation_id=record.generation_id,
        evaluation_id=record.id,
    )


# --- Questions that cannot be read -------------------------------------------------------------------


def note_unreadable(services: Services, source: str, error: ConfigurationError) -> None:
    """Open an alarm because a source's golden questions cannot be read; those from before are still asked."""
    alarm = NewAlarm(
        cause(AlarmKind.QUESTIONS, services.settings.indexing.alias, source),
        AlarmKind.QUESTIONS,
        f"The golden questions of {source!r} cannot be read, those from before are asked: {error.reason}",
        {
            "source": source,
            "reasons": [error.reason],
            "commands": [command(f"rubrica golden sync {source}", "reads them again and says what is wrong")],
        },
    )
    _log.warning("alarm", id=services.catalog.alarms.open(alarm).id, summary=alarm.summary)


def note_readable(services: Services, source: str) -> None:
    """Close the alarm of ``note_unreadable``, if there is one."""
    known = cause(AlarmKind.QUESTIONS, services.settings.indexing.alias, source)
    services.catalog.alarms.release(known, "The golden questions can be read again.")


def note_empty(services: Services, name: str) -> None:
    """Close the alarms of a golden set that has lost its last question: nobody will ask it again."""
    for kind in (AlarmKind.RECALL, AlarmKind.LABELS):
        known = cause(kind, services.settings.indexing.alias, name)
        services.catalog.alarms.release(known, "The golden set has no questions any more.")


# --- Runs of DAGs ------------------------------------------------------------------------------------


def note_run_failed(
    services: Services, dag_id: str, run_id: str, reason: str, *, source: str = "", guarded: bool = False
) -> Alarm:
    """Open an alarm because a run ended red; the next green one closes it, see ``note_run_passed``.

    Args:
        services: Open services.
        dag_id: The DAG.
        run_id: The run.
        reason: Why, in a sentence.
        source: The source that it worked on; empty where it worked on no single one.
        guarded: Whether the removal guard stopped it, so that another try would end the same way.
    """
    again = ("--allow-removals", "removes them, if they are meant to go") if guarded else ("", "tries again")
    return _note_run(
        services,
        AlarmKind.RUN,
        f"failed: {reason}",
        dag_id=dag_id,
        run_id=run_id,
        source=source,
        again=again,
    )


def note_deadline(services: Services, dag_id: str, run_id: str, reason: str, *, source: str = "") -> Alarm:
    """Open an alarm because a run takes longer than it may; the next green one closes it.

    Args:
        services: Open services.
        dag_id: The DAG.
        run_id: The run.
        reason: Since when, and what the limit is, in a sentence.
        source: The source that it works on; empty where it works on no single one.
    """
    return _note_run(
        services, AlarmKind.DEADLINE, f"is late: {reason}", dag_id=dag_id, run_id=run_id, source=source
    )


def note_run_passed(services: Services, dag_id: str, run_id: str, *, source: str = "") -> None:
    """Close the alarms about runs of a DAG, and of a source, because one of them ended green."""
    for kind in (AlarmKind.RUN, AlarmKind.DEADLINE):
        services.catalog.alarms.release(run_cause(kind, dag_id, source), f"The run {run_id} ended well.")


def run_cause(kind: AlarmKind, dag_id: str, source: str = "") -> str:
    """What an alarm about runs is known by: ``run/<dag>/<source>``, ``deadline/<dag>/<source>``."""
    return "/".join(part for part in (kind.value, dag_id, source) if part)


def _note_run(
    services: Services,
    kind: AlarmKind,
    what: str,
    *,
    dag_id: str,
    run_id: str,
    source: str,
    again: tuple[str, str] = ("", "tries again"),
) -> Alarm:
    of = f"{dag_id} of {source!r}" if source else dag_id
    commands = [command("rubrica alarms show ID", "shows the whole reason")]
    if dag_id == "ingest" and source:
        option, does = again
        commands.append(command(f"rubrica ingest {source} {option}".rstrip(), does))
    alarm = NewAlarm(
        run_cause(kind, dag_id, source),
        kind,
        f"{of} {what}",
        {"dag": dag_id, "run": run_id, "source": source, "reasons": [what], "commands": commands},
    )
    opened = services.catalog.alarms.open(alarm)
    _log.warning("alarm", id=opened.id, kind=kind.value, summary=alarm.summary)
    return opened


# --- What has passed ---------------------------------------------------------------------------------


def _close_passed(services: Services, golden: GoldenSet, judgement: Judgement) -> Iterable[str]:
    alias, alarms = services.settings.indexing.alias, services.catalog.alarms
    recall = cause(AlarmKind.RECALL, alias, golden.name)
    if judgement.recall is not None and not judgement.regressed:
        then = f", as in the accepted evaluation{_figures(judgement)}" if judgement.comparison else ""
        if alarms.release(recall, f"{METRIC} is {judgement.recall:.3f} again{then}."):
            yield recall
    labels = cause(AlarmKind.LABELS, alias, golden.name)
    if not judgement.stale and alarms.release(
        labels, f"{judgement.labels:.0%} of its passages are found again."
    ):
        yield labels


def _figures(judgement: Judgement) -> str:
    compared = judgement.comparison
    return f" ({compared.before:.3f} before, {compared.after:.3f} now)" if compared else ""
