"""Where a message leads: pages of the UI, the run, the runbook."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from indexing.catalog.alarms import Alarm, AlarmKind
from pipeline.delivery.words import web_address
from rubrica.settings import Settings

RUNBOOKS = {
    AlarmKind.RECALL: "RecallUnderFloor",
    AlarmKind.LABELS: "GoldenLabelsStale",
    AlarmKind.RUN: "RunFailed",
    AlarmKind.DEADLINE: "DeadlineMissed",
    AlarmKind.POLL: "PollFailed",
}
"""Pages of docs/runbooks by kind; an alert of Prometheus brings its own."""


def links(settings: Settings, alarm: Alarm) -> tuple[tuple[str, str], ...]:
    """Addresses by name; what has no known address is left out."""
    base = (settings.notify.ui_url or settings.services.airflow_url).rstrip("/")
    found = {
        _page_name(alarm): f"{base}{_page(alarm)}" if base else "",
        "Runbook: what to do": _runbook(settings, alarm),
        "Page of the alert": str(alarm.said.details.get("page", "")),
        "Alert in Prometheus": str(alarm.said.details.get("generator", "")),
    }
    safe = ((name, web_address(address)) for name, address in found.items())
    return tuple((name, address) for name, address in safe if address)


def _page_name(alarm: Alarm) -> str:
    if alarm.said.details.get("run"):
        return "Run in Airflow"
    return "Overview in Airflow" if alarm.said.kind is AlarmKind.POLL else "Recall in Airflow"


def _page(alarm: Alarm) -> str:
    details = alarm.said.details
    if details.get("run"):
        return f"/dags/{quote(str(details['dag']), safe='')}/runs/{quote(str(details['run']), safe='')}"
    if alarm.said.kind is AlarmKind.POLL:
        return "/rubrica/"
    asked = {"set": alarm.said.set_name, "evaluation": alarm.said.evaluation_id}
    query = urlencode({name: value for name, value in asked.items() if value})
    return f"/rubrica/recall?{query}" if query else "/rubrica/recall"


def _runbook(settings: Settings, alarm: Alarm) -> str:
    told = str(alarm.said.details.get("runbook", ""))
    page = RUNBOOKS.get(alarm.said.kind)
    if told or not page or not settings.notify.runbook_url:
        return told
    return f"{settings.notify.runbook_url.rstrip('/')}/{page}.md"
