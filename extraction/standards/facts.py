"""Dates, predecessors and amendments of a standard, from its title page and preface."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from extraction.standards.dates import DATE, to_iso
from extraction.standards.designations import Designation, find_designations
from extraction.standards.front import Front
from extraction.standards.own import alone, opens_with

_LONGEST = 1500
# A preface numbers its statements: «3 ПРИНЯТ …», «4. Взамен …».
_STATEMENT = re.compile(r"(?<![,-])\s(?=\d{1,2}\.?\s+[А-ЯЁ][А-ЯЁа-яё]{4,})")
_LABELLED = (
    re.compile(rf"(?i:дата\s+введения)(?:\s+(?i:в\s+действие))?[^\d«]{{0,40}}?({DATE})"),
    re.compile(rf"(?i:срок\s+введения)(?:\s+(?i:в\s+действие))?[^\d«]{{0,40}}?({DATE})"),
)
_INTRODUCED = (
    re.compile(rf"(?i:введ[её]н\w*\s+(?:впервые\s+)?в\s+действие)[^.;]{{0,200}}?\s[сc]\s({DATE})"),
    re.compile(rf"(?i:вводится\s+в\s+действие)[^.;]{{0,120}}?\s[сc]\s({DATE})"),
    re.compile(rf"(?i:применяется|действует)\s[сc]\s({DATE})"),
    re.compile(rf"(?i:начало\s+действия\s+документа)[\s-]{{1,5}}({DATE})"),
    re.compile(rf"(?i:effective\s+date)[^\d]{{0,20}}({DATE})"),
)
_ADOPTED = (
    re.compile(rf"(?:ПРИНЯТ|Принят)[АОЫаоы]?\b.{{0,400}}?прото-?\s?кол.{{0,40}}?({DATE})"),
    re.compile(rf"(?:УТВЕРЖД[ЕЁ]Н|Утвержд[её]н)[АОЫаоы]?\b.{{0,400}}?\bот\s({DATE})"),
    re.compile(rf"(?:ПРИНЯТ|Принят|ОДОБРЕН|Одобрен)[АОЫаоы]?\b.{{0,400}}?\bот\s({DATE})"),
    re.compile(rf"(?:УТВЕРЖД[ЕЁ]Н|Утвержд[её]н)[АОЫаоы]?\b(?:(?!введ|\s[сc]\s)\D){{0,120}}?({DATE})"),
    re.compile(rf"^(?i:свод\s+правил)\s+от\s({DATE})"),
)
_EDITION = (re.compile(rf"\b(?i:edition)\s+({DATE})"),)
_REPLACES = re.compile(r"(?:ВЗАМЕН[АЕ]?|Взамен[ае]?|взамен)\b")
_STOPS = re.compile(
    r"\b(?:Информация|ИЗДАНИЕ|ПЕРЕИЗДАНИЕ|Переиздание|Издание|Настоящ|В\s+случае|Дата|Срок|ISBN|Внесен|Утвержд|УДК"
    r"|С\s+введением|ВНЕСЕН|УТВЕРЖД|РАЗРАБОТАН|ИЗМЕНЕНИ|Текст|Страница)"
)
_REVISES = re.compile(r"(?i:актуализированн\w+\s+редакци\w+|пересмотр)\s")
_AMENDED = re.compile(
    r"(?i:изменени\w*)\s*(?P<list>(?:№|N[o°]?\.?)\s*\d{1,2}(?:\s*(?:,|и)\s*(?:(?:№|N[o°]?\.?)\s*)?\d{1,2}(?!\d|\.\d))*)"
)
_NUMBER = re.compile(r"\d{1,2}")


def standard_facts(front: Front, own: Designation) -> dict[str, Any]:
    """What title page and preface say about a standard; each key only where they say it.

    Returns:
        ``introduced_on`` and ``adopted_on`` (ISO 8601), ``replaces`` and ``revision_of`` (designations),
        ``amendments`` («Изменение № 1»), ``edition`` (ISO 8601, of international standards).
    """
    statements = list(_statements(front))
    revised = _revised(front, statements, own)
    facts: dict[str, Any] = {
        "introduced_on": first_date(_LABELLED, _pairs(front)) or first_date(_INTRODUCED, statements),
        "adopted_on": first_date(_ADOPTED, statements),
        "edition": first_date(_EDITION, [front.preface]),
        "replaces": _distinct(_replaced(statements), own),
        "revision_of": revised,
        "amendments": _amendments([front.stated, *statements], {own.text, *revised}),
    }
    return {name: value for name, value in facts.items() if value}


def _pairs(front: Front) -> Iterator[str]:
    """Every line with the next: a date may stand under its name, and as late as above the first clause."""
    lines = [line.text for line in front.lines]
    yield from (f"{first} {second}" for first, second in zip(lines, [*lines[1:], ""], strict=True))


def _statements(front: Front) -> Iterator[str]:
    for part in _STATEMENT.split(" " + front.preface):
        yield part.strip()[:_LONGEST]


def first_date(patterns: Iterable[re.Pattern[str]], texts: Iterable[str]) -> str | None:
    """The date of the first pattern that finds a valid one in the texts; ISO 8601."""
    texts = list(texts)
    for pattern in patterns:
        for text in texts:
            match = pattern.search(text)
            found = to_iso(match.group(1)) if match else None
            if found:
                return found
    return None


def _replaced(statements: Iterable[str]) -> Iterator[Designation]:
    for text in statements:
        for match in _REPLACES.finditer(text):
            tail = text[match.end() : match.end() + 600]
            stop = _STOPS.search(tail)
            yield from find_designations(tail[: stop.start()] if stop else tail)


def _revised(front: Front, statements: Iterable[str], own: Designation) -> list[str]:
    found: list[Designation] = []
    for text in statements:
        for match in _REVISES.finditer(text):
            found += find_designations(text[match.end() : match.end() + 40])[:1]
    if own.kind == "СП":
        # The code that a code of rules goes back to stands on the title page, often without a word.
        cover = [alone(line.text) for line in front.lines[: front.cover]]
        named = [
            text for text in (front.stated, *(line.text for line in front.lines[:3])) if opens_with(text, own)
        ]
        beside = (find_designations(text) for text in named)
        found += [each for each in [*cover, *chain.from_iterable(beside)] if each and each.kind == "СНиП"]
    return _distinct(found, own)


def _distinct(found: Iterable[Designation], own: Designation) -> list[str]:
    return [text for text in dict.fromkeys(each.text for each in found) if text != own.text]


def _amendments(texts: Iterable[str], known: set[str]) -> list[str]:
    numbers: set[int] = set()
    for text in texts:
        for match in _AMENDED.finditer(text):
            context = text[max(0, match.start() - 200) : match.start()]
            if all(each.text in known for each in find_designations(context)):
                numbers |= {int(number) for number in _NUMBER.findall(match["list"])}
    return [f"Изменение № {number}" for number in sorted(numbers) if number]
