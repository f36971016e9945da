"""Tells what stands in the cells of a table: values, marks of items, words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

_LONGEST = 28
_PLACEHOLDER = re.compile(
    r"(?:[-–—−:*+x×хX✓•…]{1,5}|\.{2,3}|n\.?\s?[ad]\.?|n/a|н/д|нет|да|yes|no|\([xX–-]\)|\(?NA\)?|†|‡)",
    re.IGNORECASE,
)
_FIGURES = re.compile(
    r"""[*†‡§#≤≥<>~≈±+\-–—−$€£₽№øØ∅(\[“"]*\s*          # signs before
    \d[\d\s.,:;/–—−×xх*'’°±+\-]*                      # digits
    (?:[%‰°"″′²³]|\s?[^\W\d_]{1,4}\.?(?:[/·][^\W\d_]{1,3})?[²³]?)?   # a unit
    [)\]*†‡§"a-fа-е]*""",
    re.VERBOSE,
)
_BULLET = re.compile(
    r"[-–—•·▪◦○●■□➢✓*]|[(\[]?(?:\d{1,3}|[^\W\d_]{1,2}|[ivxIVX]{1,5})[.)\]]|\d{1,3}(?:\.\d{1,3})+\.?"
)
_NUMBERED = re.compile(r"\(?\[?\d{1,3}(?:\.\d{1,3})*\]?\)")
_LEADERS = re.compile(r"\s*(?:[.…·]\s?){3,}$")
_YEAR = re.compile(r"(?:19|20)\d\d(?:\s*г\.?)?")
_NOTE = re.compile(
    r"(?:П\s?р\s?и\s?м\s?е\s?ч\s?а\s?н\s?и|Сноск|Источник|Notes?\b|Sources?\b|Exhibit reads|[*†‡]|<\d)",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(
    r"(?:page|p\.|стр\.?|с\.|лист|страница)?\s*[-–—]?\s*\d{1,4}\s*[-–—]?", re.IGNORECASE
)
_INTEGER = re.compile(r"\d{1,4}")


def is_value(text: str) -> bool:
    """Whether a text is a number, perhaps with signs and a unit, or stands for one: «–», "n.a."."""
    return len(text) <= _LONGEST and (_FIGURES.fullmatch(text) is not None or is_placeholder(text))


def is_number(text: str) -> bool:
    """Whether a text is a number, perhaps with signs and a unit."""
    return len(text) <= _LONGEST and _FIGURES.fullmatch(text) is not None


def is_placeholder(text: str) -> bool:
    """Whether a text stands where a value is missing, or only says yes or no."""
    return _PLACEHOLDER.fullmatch(text) is not None


def is_year(text: str) -> bool:
    """Whether a text is a year of this or the last century."""
    return _YEAR.fullmatch(text) is not None


def is_page_number(text: str) -> bool:
    """Whether a text is a page number, as stands in the head of a page."""
    return _PAGE_NUMBER.fullmatch(text) is not None


def is_mark(text: str) -> bool:
    """Whether a text marks an item of a list: a bullet, «1.», «а)», «[3]»."""
    return _BULLET.fullmatch(text) is not None


def is_equation_number(text: str) -> bool:
    """Whether a text is «(3)» or «(5.1)», as stands beside a formula."""
    return _NUMBERED.fullmatch(text) is not None


def opens_note(text: str) -> bool:
    """Whether a text opens a note to a table: «Примечание», "Source:", «*»."""
    return _NOTE.match(text) is not None


def has_leaders(text: str) -> bool:
    """Whether a text ends in a row of dots that leads to a value."""
    return _LEADERS.search(text) is not None


def without_leaders(text: str) -> str:
    """The text without such a row of dots."""
    return _LEADERS.sub("", text)


def counts_pages(texts: Sequence[str]) -> bool:
    """Whether texts are integers that never fall, as the page numbers of a table of contents."""
    numbers = [int(text) for text in texts if _INTEGER.fullmatch(text)]
    if len(numbers) < 3 or len(numbers) < 0.9 * len(texts):
        return False
    return all(a <= b for a, b in pairwise(numbers)) and numbers[0] < numbers[-1]


def is_scale(texts: Iterable[str]) -> bool:
    """Whether texts are numbers that fall by equal steps, as the labels of an upright axis."""
    numbers = []
    for text in texts:
        digits = re.sub(r"[^\d.]", "", text.replace(",", ""))
        if not re.fullmatch(r"\d+(?:\.\d+)?", digits):
            return False
        numbers.append(float(digits) * (-1 if text[:1] in "-–−" else 1))
    if len(numbers) < 4:
        return False
    steps = [b - a for a, b in pairwise(numbers)]
    return steps[0] < 0 and all(abs(step - steps[0]) <= 0.02 * abs(steps[0]) for step in steps)
