"""Dates as norms and laws print them."""

from __future__ import annotations

import re
from datetime import date

_MONTHS = ("янв", "фев", "мар", "апр", "ма", "июн", "июл", "авг", "сен", "окт", "ноя", "дек")
_ENGLISH = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CENTURY = 30

DATE = (
    r"(?:\d{4}\s?-\s?\d{2}\s?-\s?\d{2}(?!\d)"
    r"|\d{1,2}\s?\.\s?\d{1,2}\s?\.\s?(?:\d{4}|\d{2})(?!\d)"
    r"|[«\"“]?\s?\d{1,2}\s?[»\"”]?\s?"
    r"(?:январ|феврал|март|апрел|ма[йя]|июн|июл|август|сентябр|октябр|ноябр|декабр)[а-яё]{0,2}\s\d{4})"
)
"""Pattern of a date in text whose dashes are hyphens; without groups."""

_PARTS = re.compile(r"\d+|[а-яёa-z]+", re.IGNORECASE)


def to_iso(text: str) -> str | None:
    """A date that ``DATE`` matched in ISO 8601; ``None`` where the calendar has no such day.

    Years of two digits are those from 1930 to 2029.
    """
    parts = _PARTS.findall(text.casefold())
    if len(parts) != 3:
        return None
    first, second, third = parts
    year, month, day = (first, second, third) if len(first) == 4 else (third, second, first)
    try:
        return date(_year(year), _month(month), int(day)).isoformat()
    except ValueError:
        return None


def _year(text: str) -> int:
    year = int(text)
    if len(text) > 2:
        return year
    return year + (2000 if year < _CENTURY else 1900)


def _month(text: str) -> int:
    if text.isdigit():
        return int(text)
    # «мар» before «ма»: the longer beginning decides.
    for names in (_MONTHS, _ENGLISH):
        found = [name for name in names if text.startswith(name)]
        if found:
            return names.index(max(found, key=len)) + 1
    return 0
