"""Alerts of Prometheus, as alarms: one cause has one alarm, whoever saw it first.

An alert that carries the labels ``kind``, ``alias`` and ``set`` means what Rubrica's own check means and
meets its alarm; so do those about the runs of a source. Each holds it for itself: an alert that has passed
does not close what the check still sees, and a check that passes does not close what the alert still says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from indexing.catalog.alarms import PROMETHEUS, AlarmKind, NewAlarm
from pipeline.alarm_details import command
from pipeline.alarms import cause, run_cause
from pipeline.delivery.words import sentence
from pipeline.services import Services
from rubrica.log import get_logger

_SHARED = {str(kind): kind for kind in (AlarmKind.RECALL, AlarmKind.LABELS)}
_RUNS = {"RunFailed": AlarmKind.RUN, "RunStuck": AlarmKind.DEADLINE}
_INGEST = "ingest"
_LONGEST = 200
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert, as Alertmanager tells it.

    Attributes:
        firing: Whether it holds; it has passed otherwise.
        labels: What it is about.
        annotations: What it says.
        fingerprint: Alertmanager's name for these labels.
        generator: Page of Prometheus that shows it.
    """

    firing: bool
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    fingerprint: str
    generator: str = ""

    @property
    def name(self) -> str:
        """The rule's name."""
        return self.labels.get("alertname", "")[:_LONGEST] or "alert"

    @property
    def holder(self) -> str:
        """Who holds its alarm."""
        return f"{PROMETHEUS}{self.fingerprint}"


def note_alerts(services: Services, alerts: Iterable[Alert]) -> dict[str, list[int | str]]:
    """Open or close the alarms of alerts.

    Returns:
        ``open``: ids of alarms that hold; ``closed``: causes of those that were closed.
    """
    held: list[int | str] = []
    closed: list[int | str] = []
    for alert in alerts:
        known, kind = cause_of(alert)
        if alert.firing:
            opened = services.catalog.alarms.open(_alarm(alert, known, kind), holder=alert.holder)
            held.append(opened.id)
            _log.warning("alert", id=opened.id, alert=alert.name, cause=known)
        elif services.catalog.alarms.release(
            known, f"The alert {alert.name} has passed.", holder=alert.holder
        ):
            closed.append(known)
    return {"open": held, "closed": closed}


def cause_of(alert: Alert) -> tuple[str, AlarmKind]:
    """What the alarm of an alert is known by, and what it is about."""
    labels = alert.labels
    kind = _SHARED.get(labels.get("kind", ""))
    if kind and labels.get("alias") and labels.get("set"):
        return cause(kind, labels["alias"][:_LONGEST], labels["set"][:_LONGEST]), kind
    run = _RUNS.get(alert.name)
    if run and labels.get("source"):
        return run_cause(run, _INGEST, labels["source"][:_LONGEST]), run
    return cause(AlarmKind.ALERT, alert.name, alert.fingerprint), AlarmKind.ALERT


def _alarm(alert: Alert, known: str, kind: AlarmKind) -> NewAlarm:
    said = alert.annotations
    told = [text for text in map(sentence, (said.get("summary", ""), said.get("description", ""))) if text]
    details = {
        "alerts": [alert.name],
        "reasons": told,
        "labels": dict(alert.labels),
        "runbook": said.get("runbook_url", ""),
        "page": said.get("page", ""),
        "generator": alert.generator,
        "commands": [command("rubrica alarms show ID", "shows all that the alert says")],
    }
    set_name = alert.labels.get("set") if kind in _SHARED.values() else None
    return NewAlarm(known, kind, " ".join([f"{alert.name}:", *told]), details, set_name=set_name)
