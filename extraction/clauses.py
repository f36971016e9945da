"""Numbers that norms put in front of their clauses."""

from __future__ import annotations

import re

_NAMED = re.compile(
    r"(?P<clause>(?=[А-ЯЁA-Z])(?i:Приложение|Статья|Глава|Раздел|Section|Article|Appendix|Annex|Chapter|Clause)"
    # What amendments insert is numbered «Статья 123.20-1» or «Раздел XV(1)».
    r"\s+(?:[N№]\s*\d+|[IVXLC]+\b(?:\(\d{1,2}\))?|[А-ЯЁA-Z](?!\w)|\d+)(?:\.\d+)*(?:-\d{1,2})?)(?!\w)"
)
_ROMAN = re.compile(r"(?P<clause>[IVXLC]{1,7}(?:\(\d{1,2}\))?)\.\s+(?=\S)")
_NUMBERED = re.compile(
    r"(?:§\s*)?(?P<clause>(?:[А-ЯA-Z]\.)?\d{1,3}(?:\.\d{1,3}){0,5})(?P<dot>\.?)[)]?\s+(?=\S)"
)
# A clause number has no leading zeros and no part of four digits; a date has one or the other.
_DATE = re.compile(
    r"\d{1,2}\.(?:0\d\.\d{2,4}|\d{1,2}\.(?:\d{4}|0\d))\b|0\d\.\d{1,2}\.\d{2}\b|\d{2}\.\d{2}\.\d{2}\s*г\."
)
_UNIT_AHEAD = re.compile(
    r"(?:мм|см|дм|км|кг|кПа|МПа|Па|кН|кВт|м|т|г|ч|с|шт|руб|%|°|mm|cm|km|kg|kPa|MPa|m|s|h)(?:[\s,.;:)²³]|$)"
)


def find_clause(text: str, *, heading: bool = False) -> str | None:
    """The number that a paragraph or heading opens with.

    Args:
        text: Text of the element.
        heading: Whether the element is a heading; there a bare number ("5 Общие положения") counts.

    Returns:
        "5.2.1", "А.3", "Приложение А", "Статья 15", "Section 4.3" …, or ``None``. Dates, quantities
        and plain numbers at the start of a sentence are not clauses.
    """
    text = text.lstrip()
    named = _NAMED.match(text) or (_ROMAN.match(text) if heading else None)
    if named:
        return " ".join(named["clause"].split())
    if _DATE.match(text):
        return None
    numbered = _NUMBERED.match(text)
    if not numbered or _UNIT_AHEAD.match(text, numbered.end()):
        return None
    is_clause = heading or "." in numbered["clause"]
    return numbered["clause"] if is_clause else None
