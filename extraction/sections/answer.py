"""Checks what a language model answered against the lines that it was shown."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from extraction.sections.lines import SectionLine
from rubrica.llm import LlmError

_DEEPEST = 6
_COMPARED = 40
_LEAST_COMPARED = 3
_FENCE = re.compile(r"\s*```(?:json)?\s*(.*?)\s*```\s*", re.DOTALL)
_WORD = re.compile(r"\w+")


def read_answer(answer: str, lines: Sequence[SectionLine]) -> dict[int, int]:
    """Levels of the lines that the model takes for headings, by line number.

    Args:
        answer: What the model wrote.
        lines: The lines it was to decide on.

    Raises:
        LlmError: It is not the JSON that was asked for, names a line that it was not asked about or
            twice, gives a text that the line does not begin with, or a level that does not exist.
    """
    known = {line.number: line for line in lines}
    levels: dict[int, int] = {}
    for entry in _entries(answer):
        number, level, text = _fields(entry)
        line = known.get(number)
        if line is None or number in levels:
            raise LlmError(f"The language model names line {number}, which it was not asked about.")
        if not line.may_head or not _same(text, line.text):
            raise LlmError(f"The language model's text of line {number} is not what the document has there.")
        levels[number] = level
    return levels


def _entries(answer: str) -> list[Any]:
    fenced = _FENCE.fullmatch(answer)
    try:
        content = json.loads(fenced.group(1) if fenced else answer)
    except (ValueError, RecursionError) as error:
        raise LlmError("The language model's answer is not JSON.") from error
    entries = content.get("headings") if isinstance(content, dict) else None
    if not isinstance(entries, list):
        raise LlmError("The language model's answer has no list of headings.")
    return entries


def _fields(entry: Any) -> tuple[int, int, str]:
    if not isinstance(entry, dict):
        raise LlmError("The language model's list of headings holds something else.")
    number, level, text = entry.get("id"), entry.get("level"), entry.get("text")
    if type(number) is not int or type(level) is not int or not isinstance(text, str):
        raise LlmError("A heading in the language model's answer lacks its line, level or text.")
    if not 1 <= level <= _DEEPEST:
        raise LlmError(f"The language model gives line {number} level {level}.")
    return number, level, text


def _same(answered: str, text: str) -> bool:
    """Whether a line begins with what the model copied of it, spaces and punctuation aside."""
    copied, wanted = _squeezed(answered), _squeezed(text)
    return wanted.startswith(copied[:_COMPARED]) and len(copied) >= min(_LEAST_COMPARED, len(wanted))


def _squeezed(text: str) -> str:
    return "".join(_WORD.findall(text.casefold()))
