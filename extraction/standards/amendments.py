"""Amendments that are published on their own: «Изменение № 1 к СП 47.13330.2016»."""

from __future__ import annotations

import re
from typing import Any

from extraction.standards.designations import Designation
from extraction.standards.facts import standard_facts
from extraction.standards.front import Front
from extraction.standards.own import alone, leading

_FIRST_LINES = 12
_NEXT_LINES = 3
_HEADING = re.compile(r"изменение\s*(?:№|N)\s*(?P<number>\d{1,2})\b\s*(?:к\s+)?", re.IGNORECASE)


def find_amendment(front: Front) -> dict[str, Any] | None:
    """Attributes of an amendment, where the document opens as one; its facts are its own."""
    for i, line in enumerate(front.lines[:_FIRST_LINES]):
        heading = _HEADING.match(line.text)
        if heading is None:
            continue
        amended = _amended(front, i, line.text[heading.end() :])
        if amended is None:
            return None
        number = int(heading["number"])
        facts = standard_facts(front, amended)
        facts.pop("amendments", None)
        return {
            "standard_kind": "Изменение",
            "standard_number": str(number),
            "standard": f"Изменение № {number} к {amended.text}",
            "amends": [amended.text],
        } | facts
    return None


def _amended(front: Front, i: int, rest: str) -> Designation | None:
    """The standard named behind the number, or alone in one of the next lines."""
    if rest:
        return leading(rest)
    following = (alone(line.text) for line in front.lines[i + 1 : i + 1 + _NEXT_LINES])
    return next((found for found in following if found is not None), None)
