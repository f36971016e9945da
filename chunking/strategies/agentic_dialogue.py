"""Asks a language model about one document, window by window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chunking.plan import Plan
from chunking.strategies.agentic_answer import (
    Grouping,
    grouping_from_json,
    grouping_to_json,
    read_answer,
)
from chunking.strategies.agentic_cache import AnswerCache
from chunking.strategies.agentic_prompt import Topic, answer_tokens, question
from chunking.strategies.agentic_windows import windows
from chunking.units import Span
from rubrica.llm import LlmError, LlmRefusedError, LlmUnavailableError
from rubrica.log import get_logger
from rubrica.model import Stage

Ask = Callable[[str, int], str]
"""Gives the model's answer to a question of so many tokens at most."""

_PATIENCE = 3
"""Windows in a row without a usable answer, after which a document is not asked about any more."""

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Section:
    """Units that a language model holds together, or that it said nothing about.

    Attributes:
        first: Its first unit; it reaches up to the next section.
        topic: What it is about; ``None`` where the rules decide.
        cut: Whether the model wants a cut before it.
    """

    first: int
    topic: Topic | None
    cut: bool


class Dialogue:
    """One document's questions and answers.

    Attributes:
        sections: What came out, in order.
        asked: Windows that the model was asked about now.
        cached: Windows whose answer was known.
        mended: Windows whose answer had to be put right.
        by_rules: Windows that the rules decide.
    """

    def __init__(self, plan: Plan, ask: Ask, cache: AnswerCache) -> None:
        """Prepare to ask.

        Args:
            plan: The document.
            ask: Reaches the model.
            cache: Answers that are known.
        """
        self._plan = plan
        self._ask = ask
        self._cache = cache
        self.sections: list[Section] = []
        self.asked = self.cached = self.mended = self.by_rules = 0

    def run(self, window_tokens: int, max_calls: int) -> None:
        """Go through the document.

        Args:
            window_tokens: Tokens of text in one question.
            max_calls: Most questions, those with a known answer included: what is asked must not depend
                on what is in the cache.

        Raises:
            LlmUnavailableError: The server is away; what it has answered is in the cache.
            LlmRefusedError: It does not accept the address, the model or the key.
        """
        spans = windows(self._plan, window_tokens)
        silent = 0
        for number, window in enumerate(spans):
            if number == max_calls:
                self._give_up(spans[number:], f"RUBRICA_AGENTIC_MAX_CALLS is {max_calls}.")
                return
            if silent == _PATIENCE:
                self._give_up(spans[number:], f"{_PATIENCE} windows in a row had no usable answer.")
                return
            grouping = self._grouping(window)
            silent = 0 if grouping else silent + 1
            if grouping:
                self._add(window, grouping)
            else:
                self._leave(window)

    def _grouping(self, window: Span) -> Grouping | None:
        units = window[1] - window[0]
        asked = question(self._plan, window, self._open_topic())
        known = self._cache.read(asked)
        grouping = grouping_from_json(known, units) if known else None
        if grouping:
            self.cached += 1
            return grouping
        try:
            self.asked += 1
            grouping = read_answer(self._ask(asked, answer_tokens(units)), units)
        except (LlmUnavailableError, LlmRefusedError) as error:
            raise error.at(document=self._plan.document.path, stage=Stage.CHUNK) from error
        except LlmError as error:
            self._warn("window_cut_by_rules", window, error.reason)
            return None
        self._cache.write(asked, grouping_to_json(grouping))
        return grouping

    def _open_topic(self) -> Topic | None:
        return self.sections[-1].topic if self.sections else None

    def _add(self, window: Span, grouping: Grouping) -> None:
        self.mended += grouping.mended
        opened = self._open_topic()
        for group in grouping.groups:
            if not group.first and grouping.continues and opened:
                topic = group.topic if group.topic.title else opened
                self.sections[-1] = Section(self.sections[-1].first, topic, self.sections[-1].cut)
                continue
            # What the rules decided about just before may well go on here.
            known = group.first > 0 or opened is not None
            self.sections.append(Section(window[0] + group.first, group.topic, known))

    def _leave(self, window: Span) -> None:
        self.by_rules += 1
        if not self.sections or self.sections[-1].topic is not None:
            self.sections.append(Section(window[0], None, cut=False))

    def _give_up(self, left: list[Span], reason: str) -> None:
        self._warn("rest_cut_by_rules", (left[0][0], left[-1][1]), reason)
        for window in left:
            self._leave(window)

    def _warn(self, event: str, span: Span, reason: str) -> None:
        units = self._plan.units
        _log.warning(
            event,
            document=self._plan.document.path,
            stage=Stage.CHUNK.value,
            start=units[span[0]].start,
            end=units[span[1] - 1].end,
            reason=reason,
        )
