"""Reads what a language model answered about a window, and mends what can be mended.

Only three things are taken from an answer: numbers of units at which a chunk begins, whether the first
goes on with the chunk before, and short texts about them. Where chunks end follows from where the next
one begins, so units that were left out, named twice or out of order cannot be lost or doubled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from chunking.context import SEPARATOR
from chunking.strategies.agentic_prompt import Topic
from extraction.text import clean_line
from rubrica.llm import LlmError

_FENCE = re.compile(r"```(?:json)?(.*?)```", re.DOTALL)
_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)
_LONGEST_TITLE = 120
_LONGEST_SUMMARY = 300
_LEAST_SOUND = 0.5
"""Share of an answer's chunks that must be usable: with less, the model did not understand."""


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring units of a window that a model holds together.

    Attributes:
        first: Its first unit, counted from 0 in the window.
        topic: What it is about.
    """

    first: int
    topic: Topic


@dataclass(frozen=True, slots=True)
class Grouping:
    """A window, divided.

    Attributes:
        groups: In order, the first beginning at 0; each reaches up to the next one.
        continues: Whether the first goes on with the chunk before the window.
        mended: Whether something in the answer had to be put right.
    """

    groups: Sequence[Group]
    continues: bool
    mended: bool = False


def read_answer(answer: str, units: int) -> Grouping:
    """What a model says about a window.

    Args:
        answer: What it wrote.
        units: How many units the window has.

    Raises:
        LlmError: It is not the JSON that was asked for, or most of what it names does not exist.
    """
    entries = _entries(answer)
    found: dict[int, Group] = {}
    ranges = []
    for entry in entries:
        if span := _span(entry, units):
            ranges.append(span)
            found.setdefault(span[0] - 1, Group(span[0] - 1, _topic(entry)))
    if len(found) < max(1, _LEAST_SOUND * len(entries)):
        raise LlmError(f"Of the {len(entries)} chunks in the language model's answer, most are not usable.")
    groups = [found[first] for first in sorted(found)]
    if groups[0].first:
        # What comes before the first range that makes sense stays with it.
        groups[0] = Group(0, groups[0].topic)
    mended = len(ranges) < len(entries) or not _tiles(ranges, units)
    return Grouping(groups, continues=_continues(entries[0]), mended=mended)


def _entries(answer: str) -> list[Any]:
    text = _THOUGHTS.sub("", answer).strip()
    fenced = _FENCE.search(text)
    try:
        content = json.loads(fenced.group(1) if fenced else text)
    except (ValueError, RecursionError) as error:
        raise LlmError("The language model's answer is not JSON.") from error
    entries = content.get("chunks") if isinstance(content, dict) else None
    if not isinstance(entries, list) or not entries:
        raise LlmError("The language model's answer has no list of chunks.")
    return entries


def _span(entry: Any, units: int) -> tuple[int, int] | None:
    """First and last number of an entry; ``None`` where the first is no unit of the window."""
    if not isinstance(entry, Mapping):
        return None
    first, last = entry.get("first"), entry.get("last")
    if type(first) is not int or not 1 <= first <= units:
        return None
    return first, last if type(last) is int else 0


def _tiles(ranges: Sequence[tuple[int, int]], units: int) -> bool:
    meets = all(left[1] + 1 == right[0] for left, right in pairwise(ranges))
    return ranges[0][0] == 1 and ranges[-1][1] == units and meets


def _continues(entry: Any) -> bool:
    return isinstance(entry, Mapping) and entry.get("continues") is True


# --- Texts ---------------------------------------------------------------------------------------


def _topic(entry: Mapping[str, Any]) -> Topic:
    return Topic(
        _line(entry.get("title"), _LONGEST_TITLE).rstrip(" ."), _line(entry.get("summary"), _LONGEST_SUMMARY)
    )


def _line(value: Any, longest: int) -> str:
    """A text as one short line of its own, in which nothing looks like the separator of headings."""
    if not isinstance(value, str):
        return ""
    line = clean_line(value[: 8 * longest].replace(SEPARATOR.strip(), " "))
    if len(line) <= longest:
        return line
    words = line[:longest].rpartition(" ")[0] or line[:longest]
    return f"{words} …"


# --- In the cache --------------------------------------------------------------------------------


def grouping_to_json(grouping: Grouping) -> str:
    """A grouping as compact JSON."""
    groups = [[group.first, group.topic.title, group.topic.summary] for group in grouping.groups]
    content = [grouping.continues, grouping.mended, groups]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def grouping_from_json(content: str, units: int) -> Grouping | None:
    """The grouping that ``grouping_to_json`` wrote; ``None`` where it cannot be one of this window."""
    try:
        continues, mended, groups = json.loads(content)
        made = [Group(first, Topic(str(title), str(summary))) for first, title, summary in groups]
    except (ValueError, TypeError, RecursionError):
        return None
    firsts = list(_firsts(made))
    if firsts != sorted(set(firsts)) or firsts[:1] != [0] or firsts[-1] >= units:
        return None
    return Grouping(made, continues is True, mended is True)


def _firsts(groups: Sequence[Group]) -> Iterator[int]:
    return (group.first if type(group.first) is int else -1 for group in groups)
