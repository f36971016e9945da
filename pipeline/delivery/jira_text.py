"""Tickets and comments in Jira's wiki markup.

Version 2 of Jira's API takes it on Jira Cloud and on Data Center alike; version 3 (ADF) is Cloud's alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from indexing.catalog.deliveries import Event
from pipeline.delivery.facts import Facts, Question

# Two backslashes would be a line break, so a text's own one is replaced by a sign that looks like it.
_BACKSLASH = "⧵"
_MARKUP = re.compile(r"([*_\-+^~?{}\[\]()!|#@&:;%<>=`\"'])")


@dataclass(frozen=True, slots=True)
class Ticket:
    """A new ticket."""

    summary: str
    description: str
    labels: tuple[str, ...]


def ticket(said: Facts) -> Ticket:
    """The ticket of an alarm."""
    return Ticket(said.title, "\n".join(_paragraphs(said)), ("rubrica", said.label))


def comment(said: Facts) -> str:
    """What is added to the ticket when something changed, or has passed."""
    if said.event is not Event.CLOSED:
        return "\n".join(_paragraphs(said))
    return "\n".join([f"*Passed.* {escaped(said.note)}", "", _footer(said)])


def mark(said: Facts) -> str:
    """Finds a comment or a description again; no text of a document can say it by chance."""
    return f"{said.label}/{said.mark}"


def escaped(text: str) -> str:
    """One line of foreign text that Jira shows as it is: no macro, link, picture, mention or smiley."""
    return _MARKUP.sub(r"\\\1", text.replace("\\", _BACKSLASH))


def _paragraphs(said: Facts) -> Iterator[str]:
    yield from (f"*{_HEADS[said.event]}* {escaped(said.summary)}", "", f"Open since {escaped(said.since)}.")
    yield from _part("Alerts", (escaped(name) for name in said.holders))
    yield from _questions(said)
    yield from _part("Labels that are stale", (escaped(text) for text in said.stale))
    yield from _part("What changed", (escaped(text) for text in said.changes))
    yield from _part(
        "What to do", (f"{{{{{escaped(line)}}}}} {escaped(does)}" for line, does in said.commands)
    )
    yield from _part("Links", (f"[{name}|{address}]" for name, address in said.links))
    yield from ("", _footer(said))


_HEADS = {Event.OPENED: "What is wrong:", Event.CHANGED: "It has changed:", Event.CLOSED: "Passed."}


def _part(title: str, lines: Iterable[str]) -> Iterator[str]:
    listed = [f"* {line}" for line in lines]
    if listed:
        yield from ("", f"h3. {title}", *listed)


def _questions(said: Facts) -> Iterator[str]:
    if not said.questions:
        return
    yield from ("", "h3. Questions that broke")
    for question in said.questions:
        yield from _question(question)
    if said.more:
        yield f"* and {said.more} more"


def _question(question: Question) -> Iterator[str]:
    yield f"* *{escaped(question.asked)}* {escaped(question.figures)}"
    for title, lines in (("wanted", question.wanted), ("before", question.before), ("now", question.now)):
        yield from (f"** {title}: {escaped(line)}" for line in lines)


def _footer(said: Facts) -> str:
    return f"Rubrica, alarm {said.alarm_id}, {escaped(mark(said))}"
