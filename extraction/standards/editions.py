"""Dates and editions of laws, decrees and orders."""

from __future__ import annotations

import re
from typing import Any

from extraction.standards.acts import Act
from extraction.standards.dates import DATE, to_iso
from extraction.standards.facts import first_date
from extraction.standards.front import Front
from extraction.standards.letters import dashed

_HEAD_LINES = 60
_MOST_AMENDMENTS = 400
_EDITION = re.compile(rf"\(?\s?ред\.\s?от\s({DATE})")
_AMENDING = re.compile(r"\(\s?(?:в\s+ред(?:акции|\.)|с\s+изменениями)")
_AMENDMENT = re.compile(
    rf"от\s({DATE})(?:\s?г(?:ода|\.)?)?\s?(?:№|N)\s?(\d{{1,6}}(?:[/-][А-Яа-я\d]{{1,5}})?)"
)
_IN_FORCE = (
    re.compile(
        rf"(?i:настоящ\w+\s+(?:федеральный\s+)?(?:закон|приказ|постановление|указ|решение)\s+вступает\s+в\s+силу)\s[сc]\s({DATE})"
    ),
)


def act_facts(front: Front, act: Act) -> dict[str, Any]:
    """What else the first page says: ``adopted_on``, ``introduced_on``, ``edition``, ``amendments``."""
    opening = " ".join(line.text for line in front.lines[:_HEAD_LINES])
    amendments = _amendments(front)
    stated = _EDITION.search(front.stated) or _EDITION.search(opening[:2000])
    latest = max((day for day, _ in amendments), default=None)
    facts: dict[str, Any] = {
        "adopted_on": act.issued,
        "issuer": act.issuer,
        "introduced_on": first_date(_IN_FORCE, [opening]),
        "edition": (to_iso(stated.group(1)) if stated else None) or latest,
        "amendments": [text for _, text in amendments],
    }
    return {name: value for name, value in facts.items() if value}


def _amendments(front: Front) -> list[tuple[str, str]]:
    """Dates and names of the acts that changed this one, from the list at its head."""
    opening = dashed(" ".join(line.text for line in front.lines[:_HEAD_LINES]))
    start = _AMENDING.search(opening)
    if start is None:
        return []
    text = opening[start.end() : start.end() + 40 * _MOST_AMENDMENTS]
    found: list[tuple[str, str]] = []
    end = 0
    for match in _AMENDMENT.finditer(text):
        gap = text[end : match.start()]
        if found and (len(gap) > 200 or ")" in re.sub(r"\([^()]*\)", "", gap)):
            break
        day = to_iso(match.group(1))
        if day:
            found.append((day, f"от {'.'.join(reversed(day.split('-')))} № {match.group(2)}"))
        end = match.end()
    return list(dict.fromkeys(found))
