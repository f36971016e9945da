"""What a chunk's context line says of its content, out of what a language model said of its parts."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.plan import Plan
from chunking.strategies.agentic_prompt import Topic

Note = tuple[str, ...]
"""Wordings of a note, the richest first."""


def note_of(topics: Sequence[Topic | None], known: frozenset[str]) -> Note:
    """The note of a chunk.

    Args:
        topics: Topics of its units.
        known: Texts, in lower case, that a title must not say again.
    """
    own = list(dict.fromkeys(topic for topic in topics if topic is not None))
    titles = [topic.title for topic in own if topic.title and topic.title.casefold() not in known]
    wordings = ["; ".join(titles), *titles[:1]]
    if len(own) == 1 and own[0].summary:
        wordings.insert(0, ". ".join([*titles, own[0].summary]))
    return tuple(dict.fromkeys(filter(None, wordings)))


def known_titles(plan: Plan, unit: int) -> frozenset[str]:
    """What a chunk that starts at ``unit`` says already: title, headings, its own first line."""
    first = plan.units[unit]
    own = plan.document.text[first.start : first.end] if first.heading else ""
    texts = (plan.document.title, *first.element.heading_path, own)
    return frozenset(" ".join(text.split()).casefold() for text in texts)
