"""Alarms as tests need them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from indexing.catalog.alarms import OWN, Alarm, AlarmKind, NewAlarm

HOSTILE = (
    "{code}{noformat} [~admin] !http://evil.test/x.png! |a||b| h1. *жирно* _курсив_ ^x^ ~y~ ??q?? :) (!)"
    " <script>alert(1)</script> <!channel> <http://evil.test|click> &amp; {{ ds }} {% raw %} C:\\new \\\\"
    " \u202e\x1b[31m\nh1. заголовок\r\n----\n* пункт"
)
"""What a document could say to break out of a ticket, a message, a letter or a template."""


def hit(text: str, *, relevant: bool = False, rank: int = 1) -> dict[str, Any]:
    return {
        "rank": rank,
        "document": "порт.md",
        "page": 3,
        "clauses": ["5.2"],
        "relevant": relevant,
        "text": text,
    }


def details(text: str = "Борта красят суриком.", *, number: int = 1) -> dict[str, Any]:
    questions = [
        {
            "id": f"q{index}",
            "question": f"Чем красят борта {index}? {text}",
            "document": "порт.md",
            "passages": [text],
            "before": 1.0,
            "now": 0.0,
            "returned_before": [hit(text, relevant=True)],
            "returned": [hit("Эхо")],
        }
        for index in range(number)
    ]
    commit = {"revision": "a" * 40, "author": text, "date": "2026-11-01T10:00:00", "subject": text}
    change = {
        "since": "2026-11-01",
        "evaluation": 1,
        "generation": {"before": 1, "now": 2},
        "settings": [{"name": "RUBRICA_MAX_TOKENS", "before": 256, "now": 128}],
        "models": False,
        "search": [],
        "sources": [{"source": "norms", "from": "b" * 40, "to": "a" * 40, "commits": [commit]}],
    }
    commands = [
        {"command": "rubrica alarms show ID", "does": "shows the questions"},
        {"command": "rubrica tune --set harbour", "does": "looks for better settings"},
    ]
    return {"set": "harbour", "questions": questions, "change": change, "commands": commands}


def new_alarm(text: str = "recall@5 is 0.562, under the floor of 0.90.", **changes: Any) -> NewAlarm:
    said = NewAlarm(
        "recall/docs/harbour", AlarmKind.RECALL, f"Golden set 'harbour': {text}", details(), "harbour"
    )
    return replace(said, **changes)


def alarm(said: NewAlarm | None = None, **changes: Any) -> Alarm:
    when = datetime(2026, 11, 1, 10, 0, tzinfo=UTC)
    return replace(Alarm(7, said or new_alarm(), "", when, when, None, (OWN,)), **changes)
