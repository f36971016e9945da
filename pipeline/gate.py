"""The recall gate: a new generation must answer the golden questions as well as the live one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from indexing.catalog.alarms import AlarmKind, NewAlarm
from indexing.catalog.generations import Generation
from indexing.recall.model import EvaluationRecord, GoldenSet
from indexing.recall.regressions import METRIC, Judgement, broken, in_words, lost_labels
from indexing.recall.regressions import judge as judge_evaluation
from pipeline.alarm_details import command, named, recall_details
from pipeline.alarms import cause, rules_for
from pipeline.changes import between_generations
from pipeline.golden import sync_golden
from pipeline.recall import HYBRID, RecallRequest, evaluate_set
from pipeline.services import Services
from rubrica.errors import RubricaError
from rubrica.log import get_logger
from rubrica.protocols import Progress

_TRIGGER = "reindex"
_DENSE = "dense"
_BROKEN = 0.5
"""A half of the search that finds less than this share of what it found is broken, not merely weaker."""
_WORST = 3
_UNASKED = (
    "No golden question was asked: nothing shows that the new index answers as well as the live one. Put a"
    " golden.yaml into the source and run `rubrica golden sync`, or import questions with"
    " `rubrica golden import`."
)

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Compared:
    """One way of searching, in both generations.

    Attributes:
        live: How the live generation answers.
        candidate: How the new one does.
        judgement: The new one against the live one.
    """

    live: EvaluationRecord
    candidate: EvaluationRecord
    judgement: Judgement

    @property
    def is_lower(self) -> bool:
        """Whether the new one finds less, by however little."""
        if self.judgement.comparison is not None:
            return self.judgement.lower
        return self.candidate.metrics.get(METRIC, 0.0) < self.live.metrics.get(METRIC, 1.0)

    @property
    def is_broken(self) -> bool:
        """Whether the new one finds hardly anything of what the live one does."""
        compared = self.judgement.comparison
        return compared is not None and self.judgement.dropped and compared.after < _BROKEN * compared.before


@dataclass(frozen=True, slots=True)
class SetVerdict:
    """How a golden set fares in both generations.

    Attributes:
        golden: The set.
        whole: Searched as users search.
        meaning: Searched by vectors alone: words can hide that an embedder is broken.
        lost: Questions whose passages the documents of the new one no longer have.
        objections: Why the new one is not good enough, a sentence each.
        warnings: What else should be known of it.
    """

    golden: GoldenSet
    whole: Compared
    meaning: Compared
    lost: tuple[str, ...]
    objections: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def asked(self) -> bool:
        """Whether any of its questions could be asked of either generation."""
        both = (self.whole.live, self.whole.candidate)
        return any(answer.resolved for record in both for answer in record.answers)

    @property
    def telling(self) -> Compared:
        """The way of searching that shows best what broke."""
        return self.meaning if self.meaning.is_broken and not self.whole.judgement.regressed else self.whole


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """Whether a new generation may become live.

    Attributes:
        passed: Whether it may.
        reason: Why, in a few sentences.
        warnings: What should be known though it passed.
        sets: How each golden set fared.
    """

    passed: bool
    reason: str
    warnings: tuple[str, ...] = ()
    sets: tuple[SetVerdict, ...] = ()


def judge(
    services: Services, candidate: Generation, live: Generation, *, progress: Progress | None = None
) -> GateVerdict:
    """Ask both generations all golden questions; a worse candidate is refused and an alarm tells why.

    It is refused where recall@5 is significantly lower than that of the live one (one-sided), where it is
    under the floor and lower, where vectors alone find less than half of what they found, or where its
    documents have lost the passages. One that is as good as the live one passes, also under the floor:
    keeping the live one would mend nothing.

    Args:
        services: Open services.
        candidate: The new generation; it holds the same documents.
        live: The generation that it is to replace.
        progress: Hears of every question.
    """
    sets = _golden_sets(services, live)
    judged = tuple(_judge_set(services, golden, candidate, live, progress) for golden in sets)
    asked = tuple(verdict for verdict in judged if verdict.asked)
    objections = tuple(objection for verdict in asked for objection in verdict.objections)
    warnings = tuple(warning for verdict in asked for warning in verdict.warnings)
    if not asked:
        warnings = (_UNASKED,)
    verdict = GateVerdict(not objections, _reason(asked, objections), warnings, asked)
    for warning in warnings:
        _log.warning("gate", warning=warning)
    _raise_or_close(services, candidate, live, verdict)
    return verdict


def _golden_sets(services: Services, live: Generation) -> list[GoldenSet]:
    """All sets that ask about what the generation holds; a source without one gets a bootstrap set."""
    golden = services.catalog.golden
    held = {item.source for item in golden.document_names(live.id)}
    asked = {summary.source for summary in golden.summaries() if summary.questions}
    for source in sorted(held - asked):
        try:
            sync_golden(services, source)
        except RubricaError as error:
            _log.warning("no golden questions could be found", source=source, reason=error.reason)
    return [found for found in golden.all() if found.questions and (found.source in held or not found.source)]


def _judge_set(
    services: Services,
    golden: GoldenSet,
    candidate: Generation,
    live: Generation,
    progress: Progress | None,
) -> SetVerdict:
    def compared(mode: str) -> Compared:
        request = RecallRequest(mode=mode, trigger=_TRIGGER)
        before, now = (
            evaluate_set(services, golden, request, generation=one, save=mode == HYBRID, progress=progress)
            for one in (live, candidate)
        )
        return Compared(before, now, judge_evaluation(now, before, rules_for(services, golden)))

    whole, meaning = compared(HYBRID), compared(_DENSE)
    lost = tuple(lost_labels(whole.candidate, whole.live))
    objections = list(_losses(services, golden, whole.live, lost))
    warnings: list[str] = []
    if whole.judgement.regressed:
        # Under the floor like the live one: not the candidate's fault.
        place = objections if whole.is_lower else warnings
        place.append(
            " ".join((f"{named(golden)}:", *whole.judgement.reasons, _worst(golden, whole))).rstrip()
        )
    if meaning.is_broken and meaning.judgement.comparison:
        told = in_words(meaning.judgement.comparison)
        objections.append(f"{named(golden)}: searched by vectors alone, {told} {_worst(golden, meaning)}")
    return SetVerdict(golden, whole, meaning, lost, tuple(objections), tuple(warnings))


def _losses(
    services: Services, golden: GoldenSet, live: EvaluationRecord, lost: tuple[str, ...]
) -> Iterator[str]:
    held = sum(answer.resolved for answer in live.answers)
    if held and 1 - len(lost) / held < rules_for(services, golden).labels_floor:
        yield f"{named(golden)}: its documents have lost the passages of {len(lost)} of {held} questions."


def _worst(golden: GoldenSet, compared: Compared) -> str:
    """The questions that lost most, as a sentence; nothing where none did."""
    asked = {question.id: question.question for question in golden.questions}
    told = [
        f"{asked[item.question_id]!r} ({item.question_id}: {item.before:.2f} to {item.now:.2f})"
        for item in broken(compared.candidate, compared.live, most=_WORST)
        if item.before is not None and item.now < item.before
    ]
    return f"Worst: {'; '.join(told)}." if told else ""


def _reason(sets: Iterable[SetVerdict], objections: Iterable[str]) -> str:
    refused = " ".join(objections)
    if refused:
        return refused
    figures = [
        f"{verdict.golden.name} {verdict.whole.candidate.metrics.get(METRIC, 0.0):.3f}"
        f" (live: {verdict.whole.live.metrics.get(METRIC, 0.0):.3f})"
        for verdict in sets
    ]
    return f"{METRIC} is as good as that of the live one: {', '.join(figures)}." if figures else _UNASKED


# --- The alarm ---------------------------------------------------------------------------------------


def _raise_or_close(
    services: Services, candidate: Generation, live: Generation, verdict: GateVerdict
) -> None:
    known = cause(AlarmKind.GATE, candidate.alias)
    if verdict.passed:
        services.catalog.alarms.close(known, f"Generation {candidate.number} passed the gate.")
        return
    refused = [item for item in verdict.sets if item.objections]
    worst = refused[0]
    alarm = services.catalog.alarms.open(
        NewAlarm(
            known,
            AlarmKind.GATE,
            f"Generation {candidate.number} is refused, {live.number} stays live. {verdict.reason}",
            _details(services, candidate, live, refused),
            generation_id=candidate.id,
            evaluation_id=worst.whole.candidate.id,
            baseline_id=worst.whole.live.id,
        )
    )
    _log.warning("alarm", id=alarm.id, kind=alarm.said.kind.value, summary=alarm.said.summary)


def _details(
    services: Services, candidate: Generation, live: Generation, refused: Iterable[SetVerdict]
) -> dict[str, Any]:
    sets = [
        recall_details(
            services, item.golden, item.telling.candidate, item.telling.live, item.telling.judgement
        )
        | {"reasons": list(item.objections), "lost": list(item.lost)}
        for item in refused
    ]
    return {
        "sets": sets,
        "change": between_generations(live, candidate),
        "commands": [
            command(f"rubrica tune --set {sets[0]['set']}", "looks for settings that answer these better"),
            command("rubrica reindex", "builds another one when the settings are mended"),
            command(f"rubrica switch {candidate.number} --force", "takes this one all the same"),
            command("rubrica alarms close ID", "closes the alarm when the change is given up"),
        ],
    }
