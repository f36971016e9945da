"""What there is to say of an alarm, in words that every channel can use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from indexing.catalog.alarms import Alarm
from indexing.catalog.deliveries import Delivery, Event
from pipeline.delivery.links import links
from pipeline.delivery.words import headline, numbered, one_line
from rubrica.identity import digest
from rubrica.settings import Settings

_QUESTIONS = 3
_HITS = 2
_CHANGES = 12
_TITLE = 150
"""Slack's limit for a header."""

_HEADS = {Event.OPENED: "", Event.CHANGED: "Changed: ", Event.CLOSED: "Passed: "}


@dataclass(frozen=True, slots=True)
class Question:
    """A question that broke: what was wanted, and what was returned before and is now."""

    asked: str
    wanted: tuple[str, ...]
    figures: str
    before: tuple[str, ...]
    now: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a message says.

    Attributes:
        event: What has happened.
        alarm_id: The alarm.
        title: One line.
        summary: What is wrong.
        rest: What the title leaves out of that.
        note: Why it has passed.
        since: When it was opened, in UTC.
        holders: Alerts of Prometheus that hold it.
        questions: The worst ones.
        more: How many more questions broke.
        stale: Questions whose passages are gone.
        changes: What has changed since all was well.
        commands: Commands that help, and what they do.
        links: Addresses by name.
        label: Finds the ticket of the cause again.
        mark: Finds this message again.
    """

    event: Event
    alarm_id: int
    title: str
    summary: str
    rest: str
    note: str
    since: str
    holders: tuple[str, ...]
    questions: tuple[Question, ...]
    more: int
    stale: tuple[str, ...]
    changes: tuple[str, ...]
    commands: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    label: str
    mark: str


def facts(settings: Settings, alarm: Alarm, event: Event, last: Delivery | None = None) -> Facts:
    """What a message about an alarm says.

    Args:
        settings: The settings.
        alarm: The alarm, as it is now.
        event: What has happened.
        last: What the channel was told before; all tries of a message have one mark, the next has another.
    """
    details, site = alarm.said.details, settings.notify.alarms_site
    broken = list(_broken(details))
    before = f"[{one_line(site)}] {_HEADS[event]}" if site else _HEADS[event]
    summary = one_line(alarm.said.summary, 2000)
    head, rest = headline(summary, _TITLE - len(before))
    return Facts(
        event=event,
        alarm_id=alarm.id,
        title=f"{before}{head}",
        summary=summary,
        rest=rest,
        note=one_line(alarm.note, 1000),
        since=f"{alarm.opened_at:%Y-%m-%d %H:%M} UTC",
        holders=tuple(one_line(name) for name in details.get("alerts", ())),
        questions=tuple(_question(item) for item in broken[:_QUESTIONS]),
        more=max(0, len(broken) - _QUESTIONS),
        stale=tuple(_stale(item) for item in details.get("stale", ())[:_QUESTIONS]),
        changes=tuple(_changes(details.get("change") or {}))[:_CHANGES],
        commands=tuple(_commands(alarm)),
        links=links(settings, alarm),
        label=cause_label(settings, alarm.said.cause),
        mark=digest(said_digest(alarm), str(last.said_at if last else None))[:16],
    )


def cause_label(settings: Settings, cause: str) -> str:
    """The label by which the ticket of a cause is found again."""
    return f"rubrica-{digest(settings.notify.alarms_site, cause)[:16]}"


def said_digest(alarm: Alarm) -> str:
    """Names what an alarm says; another text of the same facts is no other digest."""
    details = alarm.said.details
    moved = [f"{item['source']} {item['to']}" for item in (details.get("change") or {}).get("sources", ())]
    questions = sorted(str(item.get("id")) for item in _broken(details))
    stale = sorted(str(item.get("id")) for item in details.get("stale", ()))
    state = "open" if alarm.is_open else "closed"
    return digest(str(alarm.id), state, alarm.said.summary, *moved, *questions, *stale)[:16]


def _broken(details: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for part in details.get("sets", (details,)):
        yield from part.get("questions", ())


def _question(item: Mapping[str, Any]) -> Question:
    then = "" if item.get("before") is None else f"{item['before']:.2f} → "
    return Question(
        asked=one_line(item["question"]),
        wanted=tuple(one_line(f"{item['document']}: {text}") for text in item["passages"][:_HITS]),
        figures=f"{then}{item['now']:.2f}",
        before=tuple(_hit(hit) for hit in item["returned_before"][:_HITS]),
        now=tuple(_hit(hit) for hit in item["returned"][:_HITS]),
    )


def _hit(hit: Mapping[str, Any]) -> str:
    page = f"p. {hit['page']}" if hit.get("page") else ""
    clause = f"cl. {', '.join(hit['clauses'][:3])}" if hit.get("clauses") else ""
    place = ", ".join(part for part in (str(hit["document"]), page, clause) if part)
    return one_line(f"{hit['rank']}. {place}: {hit['text']}")


def _stale(item: Mapping[str, Any]) -> str:
    return one_line(f"{item['question']} ({item['document']}): {item['reason']}")


def _changes(change: Mapping[str, Any]) -> Iterator[str]:
    moved = change.get("generation") or {}
    if moved.get("before") != moved.get("now"):
        yield f"generation {moved.get('before')} → {moved.get('now')}"
    for item in (*change.get("settings", ()), *change.get("search", ())):
        yield one_line(f"{item['name']}: {item['before']!r} → {item['now']!r}")
    if change.get("models"):
        yield "the versions of Rubrica or of its models changed"
    for source in change.get("sources", ()):
        yield from _commits(source)


def _commits(source: Mapping[str, Any]) -> Iterator[str]:
    yield one_line(f"{source['source']}: {source['from'][:12] or 'nothing'} → {source['to'][:12]}")
    for commit in source.get("commits", ()):
        who = f"{commit['revision'][:12]} {str(commit['date'])[:10]} {commit['author']}"
        yield one_line(f"{source['source']}: {who}: {commit['subject']}")


def _commands(alarm: Alarm) -> Iterator[tuple[str, str]]:
    if not alarm.is_open:
        return
    listed: Sequence[Mapping[str, str]] = alarm.said.details.get("commands", ())
    for item in listed:
        yield one_line(numbered(item["command"], alarm.id)), one_line(item["does"])
