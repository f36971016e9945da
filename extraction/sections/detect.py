"""Has a language model find the headings of a document."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extraction.sections.answer import read_answer
from extraction.sections.lines import SectionLine
from extraction.sections.prompt import SYSTEM, batches, question
from rubrica.llm import ChatModel, LlmError
from rubrica.log import get_logger
from rubrica.settings import ExtractionSettings

_log = get_logger(__name__)

# Of the longest time for a document; the rest is left for what comes before and after.
_SHARE_OF_TIME = 0.6
_TOKENS_PER_HEADING = 40
_LEAST_TOKENS = 300
_MOST_TOKENS = 8000
# More than every second line is no heading; a few may be, in a short document.
_MOST_HEADINGS = 0.5
_FEW = 5


@dataclass(frozen=True, slots=True)
class Sections:
    """What a language model found.

    Attributes:
        levels: Level of every heading by line number, from 1, without gaps on the way down; ``None``
            where the rules decide, because the model could not be used.
        attributes: What the document should say about it: ``sections`` ("llm" or "rules") and, where
            the rules decide, ``sections_fallback`` with the reason.
    """

    levels: Mapping[int, int] | None
    attributes: Mapping[str, str]


def detect_sections(lines: Sequence[SectionLine], settings: ExtractionSettings, path: str) -> Sections:
    """Ask the model about all lines, in batches.

    Args:
        lines: The lines, numbered in order.
        settings: Which model; ``extract_timeout_s`` bounds the time.
        path: Path of the document, for the log.
    """
    try:
        levels = _ask(lines, settings)
        _check_plausible(levels, lines)
    except LlmError as error:
        _log.warning("headings by the rules, not by the language model", path=path, reason=error.reason)
        return Sections(None, {"sections": "rules", "sections_fallback": error.reason})
    return Sections(_without_gaps(levels), {"sections": "llm"})


def _ask(lines: Sequence[SectionLine], settings: ExtractionSettings) -> dict[int, int]:
    deadline = time.monotonic() + _SHARE_OF_TIME * settings.extract_timeout_s
    texts = {line.number: line.text for line in lines}
    levels: dict[int, int] = {}
    with ChatModel(settings.llm) as model:
        for before, batch in batches(lines):
            tokens = min(_LEAST_TOKENS + _TOKENS_PER_HEADING * len(batch), _MOST_TOKENS)
            asked = question(before, batch, levels, texts)
            levels |= read_answer(model.ask(SYSTEM, asked, max_tokens=tokens, deadline=deadline), batch)
    return levels


def _check_plausible(levels: Mapping[int, int], lines: Sequence[SectionLine]) -> None:
    if len(levels) > max(_FEW, _MOST_HEADINGS * len(lines)):
        raise LlmError(f"The language model takes {len(levels)} of {len(lines)} lines for headings.")
    by_rules = sum(line.heading for line in lines)
    if not levels and by_rules >= _FEW:
        raise LlmError(f"The language model finds no heading where the rules find {by_rules}.")


def _without_gaps(levels: Mapping[int, int]) -> dict[int, int]:
    """The same outline without levels that are skipped on the way down."""
    closed: dict[int, int] = {}
    above: list[int] = []
    for number in sorted(levels):
        while above and above[-1] >= levels[number]:
            above.pop()
        above.append(levels[number])
        closed[number] = len(above)
    return closed
