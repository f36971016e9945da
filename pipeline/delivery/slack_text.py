"""Messages for Slack: foreign text stands in blocks of plain text, where no markup is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from indexing.catalog.deliveries import Event
from pipeline.delivery.facts import Facts
from pipeline.delivery.words import shortened

_SECTION = 2900
Block = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SlackMessage:
    """A message: ``text`` is what notifications show."""

    text: str
    blocks: tuple[Block, ...]


def message(said: Facts) -> SlackMessage:
    """The message of an alarm."""
    return SlackMessage(escaped(said.title), tuple(_blocks(said)))


def escaped(text: str) -> str:
    """Foreign text where markup is read: no mention, no link.

    See https://docs.slack.dev/messaging/formatting-message-text#escaping
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _blocks(said: Facts) -> Iterator[Block]:
    yield {"type": "header", "text": _plain(said.title)}
    yield _section([said.note if said.event is Event.CLOSED else said.rest, f"Open since {said.since}."])
    parts: tuple[Iterable[str], ...] = () if said.event is Event.CLOSED else _parts(said)
    for part in parts:
        lines = list(part)
        if lines:
            yield _section(lines)
    linked = " · ".join(f"<{address}|{name}>" for name, address in said.links)
    foot = f"Alarm {said.alarm_id}{' · ' if linked else ''}{linked}"
    yield {"type": "context", "elements": [{"type": "mrkdwn", "text": foot}]}


def _parts(said: Facts) -> tuple[Iterable[str], ...]:
    return (
        (f"alert: {name}" for name in said.holders),
        (f"{question.figures}  {question.asked}" for question in said.questions),
        said.stale,
        said.changes,
        (f"{line}: {does}" for line, does in said.commands),
    )


def _section(lines: Iterable[str]) -> Block:
    return {"type": "section", "text": _plain(shortened("\n".join(line for line in lines if line), _SECTION))}


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}
