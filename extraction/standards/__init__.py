"""What the first pages of a norm or law say about it: designation, title, dates, predecessors.

The package reads top to bottom: ``letters`` and ``dates`` read what is printed, ``designations`` knows
the names of standards, ``front`` takes the first pages apart, ``own`` decides which designation is the
document's own, ``facts`` and ``titles`` (with ``wording``) find what stands beside it; ``amendments`` are
those published on their own, ``acts`` and ``editions`` do the same for laws.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from extraction.result import Extracted
from extraction.standards.acts import Act, find_act
from extraction.standards.amendments import find_amendment
from extraction.standards.designations import Designation
from extraction.standards.editions import act_facts
from extraction.standards.facts import standard_facts
from extraction.standards.front import Front
from extraction.standards.letters import key
from extraction.standards.own import own_designation
from extraction.standards.titles import printed_title

_FULLER = 0.6


def describe_standard(extracted: Extracted) -> dict[str, Any]:
    """Attributes of a norm or law, from its first pages and its stated title.

    Returns:
        Nothing for other documents, else, each where it stands there:

        - ``standard_kind``, ``standard_number``, ``standard``: «ГОСТ Р», «1.5-2012», «ГОСТ Р 1.5-2012»;
          for acts «Федеральный закон», «261-ФЗ», «Федеральный закон от 23.11.2009 № 261-ФЗ»;
        - ``standard_title``: the title as it is printed;
        - ``introduced_on``, ``adopted_on``: ISO 8601;
        - ``amends``: what an amendment published on its own changes, its kind being «Изменение»;
        - ``replaces``, ``revision_of``: lists of designations;
        - ``amendments``: «Изменение № 1» …, for acts «от 18.05.2009 № 427» …;
        - ``edition``: date of the edition of an act; ``issuer``: who issued it.
    """
    front = Front.of(extracted)
    amendment = find_amendment(front)
    if amendment is not None:
        return amendment
    standard = own_designation(front)
    if standard is not None:
        return _of_standard(front, standard)
    act = find_act(front)
    return _of_act(front, act) if act is not None else {}


def standard_title(extracted: Extracted, described: Mapping[str, Any]) -> str:
    """Title of a norm or law as a document: the printed one, unless the file states a fuller one.

    Args:
        extracted: What an extractor hands back.
        described: Its attributes by ``describe_standard``.

    Returns:
        The title; empty where the document is no norm, or its own title may stand.
    """
    printed = described.get("standard_title", "")
    if not described or "title" in extracted.attributes:
        return ""
    if not printed:
        return "" if extracted.title else str(described["standard"])
    words = {key(word) for word in printed.split() if len(word) > 3}
    stated = {key(word) for word in extracted.title.split()}
    return "" if len(words & stated) >= _FULLER * len(words) else str(printed)


def _of_standard(front: Front, standard: Designation) -> dict[str, Any]:
    return _named(standard.kind, standard.number, standard.text, printed_title(front, standard)) | (
        standard_facts(front, standard)
    )


def _of_act(front: Front, act: Act) -> dict[str, Any]:
    return _named(act.kind, act.number, act.text, act.title) | act_facts(front, act)


def _named(kind: str, number: str, text: str, title: str) -> dict[str, Any]:
    names = {"standard_kind": kind, "standard_number": number, "standard": text, "standard_title": title}
    return {name: value for name, value in names.items() if value}
