"""Strategy ``agentic``: a language model divides the document and says what every chunk is about.

After the published agentic chunker (G. Kamradt, "5 Levels of Text Splitting", level 5; propositions of Chen
et al. 2023, "Dense X Retrieval"), in which a model takes propositions one by one and lets each join a chunk
or open a new one, with a title and a summary that follow what comes in. Here the propositions are the
document's own sentences and rows, many at a time, and only the chunk that is open can be joined, for chunks
tile the document in order. The model only proposes: limits and structure rules are enforced by the same
partition as in ``smart``, so no answer can lose text or break a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from chunking.partition.layout import Layout
from chunking.partition.optimal import cut_optimal
from chunking.partition.standing import cut_values, sharpness_costs
from chunking.plan import Plan
from chunking.strategies.agentic_cache import AnswerCache
from chunking.strategies.agentic_dialogue import Dialogue, Section
from chunking.strategies.agentic_notes import Note, known_titles, note_of
from chunking.strategies.agentic_prompt import PROMPT_VERSION, SYSTEM
from chunking.strategies.base import Partition
from chunking.strategies.parts import StrategyParts
from chunking.tokens import TokenBudget
from rubrica.errors import ConfigurationError
from rubrica.identity import config_sig
from rubrica.llm import ChatModel
from rubrica.log import get_logger
from rubrica.model import Stage
from rubrica.settings import ChunkingSettings, LlmSettings

# Standing of cuts that the model did not ask for, in spreads; what ``rules`` know of them.
_BEFORE_HEADING = -2.0
_BETWEEN_ELEMENTS = -1.0
_INSIDE_ELEMENT = 1.0
# Less than the cost of any cut, so that a cut that the model asks for pays.
_WANTED = -1.0

_log = get_logger(__name__)


class AgenticStrategy:
    """Asks a language model where a document turns to something else.

    The same document gives the same chunks for as long as the answers are in the cache; without it, a
    language model promises nothing.
    """

    def __init__(
        self, llm: LlmSettings, settings: ChunkingSettings, budget: TokenBudget, redis_url: str = ""
    ) -> None:
        """Choose a model; nothing is connected yet.

        Args:
            llm: The model.
            settings: Limits.
            budget: Token limit of a chunk.
            redis_url: Redis of the answers; empty: only this process remembers them.

        Raises:
            ConfigurationError: ``redis_url`` is not one of Redis.
        """
        self._llm = llm
        self._settings = settings
        self._budget = budget
        identity = config_sig({"model": llm.llm_model, "prompt": PROMPT_VERSION, "system": SYSTEM})
        self._cache = AnswerCache(identity, redis_url, days=settings.pair_cache_days)

    @property
    def signature(self) -> str:
        """Model, prompt and limits; the server's address is none of it."""
        return config_sig(
            {
                "strategy": "agentic",
                "model": self._llm.llm_model,
                "prompt": PROMPT_VERSION,
                "max_calls": self._settings.agentic_max_calls,
                "window_tokens": self._settings.agentic_window_tokens,
            }
        )

    def partition(self, plans: Sequence[Plan]) -> list[Partition]:
        """Partitions of documents, one after the other.

        Raises:
            LlmUnavailableError: The server is away; the documents before are in the cache.
            LlmRefusedError: It does not accept the address, the model or the key.
        """
        if not plans:
            return []
        with ChatModel(self._llm) as model:
            partitions = [self._partition(plan, model) for plan in plans]
            _log.info("language_model_spent", documents=len(plans), **asdict(model.spent))
        return partitions

    def _partition(self, plan: Plan, model: ChatModel) -> Partition:
        def ask(question: str, most: int) -> str:
            return model.ask(SYSTEM, question, max_tokens=most)

        dialogue = Dialogue(plan, ask, self._cache)
        dialogue.run(self._settings.agentic_window_tokens, self._settings.agentic_max_calls)
        _log.debug(
            "document_divided",
            document=plan.document.path,
            asked=dialogue.asked,
            cached=dialogue.cached,
            mended=dialogue.mended,
            by_rules=dialogue.by_rules,
        )
        return self._choose(plan, dialogue.sections)

    def _choose(self, plan: Plan, sections: Sequence[Section]) -> Partition:
        wanted = [section.first - 1 for section in sections if section.cut]
        values = cut_values(list(_standing(plan)), {})
        costs = sharpness_costs(values, {})
        costs[wanted] += _WANTED
        values[wanted] += values.min(initial=0.0) - values.max(initial=0.0) - 1.0
        noted = sections if self._settings.context_line else []
        starts = cut_optimal(self._layout(plan, noted), costs)
        return Partition(starts, {}, values, notes=dict(self._notes(plan, starts, noted)))

    def _layout(self, plan: Plan, sections: Sequence[Section]) -> Layout:
        """The layout with room left for titles."""
        least = plan.layout.room // 3
        comfort = list(plan.layout.comfort)
        for section, stop in _spans(sections, plan.layout.size):
            if section.topic is None or not section.topic.title:
                continue
            cost = self._budget.cost(section.topic.title)
            for unit in range(section.first, stop):
                comfort[unit] = max(comfort[unit] - cost, min(comfort[unit], least), 1)
        return replace(plan.layout, comfort=comfort)

    def _notes(
        self, plan: Plan, starts: Sequence[int], sections: Sequence[Section]
    ) -> Iterator[tuple[int, Note]]:
        topics = [
            section.topic
            for section, stop in _spans(sections, plan.layout.size)
            for _ in range(section.first, stop)
        ]
        for first, stop in zip(starts, [*starts[1:], plan.layout.size], strict=True):
            note = note_of(topics[first:stop], known_titles(plan, first))
            # For all units of a chunk: should it be too long in the end, its parts are about the same.
            yield from ((unit, note) for unit in range(first, stop) if note)


def build(parts: StrategyParts) -> AgenticStrategy:
    """The strategy as the settings describe it.

    Raises:
        ConfigurationError: No language model is named.
    """
    llm = parts.llm or LlmSettings()
    missing = [name for name in ("llm_url", "llm_model") if not getattr(llm, name)]
    if missing:
        raise ConfigurationError(
            f"RUBRICA_STRATEGY: `agentic` needs RUBRICA_{missing[0].upper()}.",
            stage=Stage.CHUNK,
            hint="Name an API and a model, or choose another strategy.",
        )
    budget = TokenBudget(parts.counter, parts.settings.max_tokens)
    return AgenticStrategy(llm, parts.settings, budget, parts.redis_url)


def _standing(plan: Plan) -> Iterator[float]:
    """Per cut, how good it is as far as the structure knows, in spreads."""
    for i, known in enumerate(plan.rules.standing):
        left, right = plan.units[i], plan.units[i + 1]
        if known is not None:
            yield known
        elif left.element is right.element:
            yield _INSIDE_ELEMENT
        else:
            yield _BEFORE_HEADING if right.heading and not left.heading else _BETWEEN_ELEMENTS


def _spans(sections: Sequence[Section], size: int) -> Iterator[tuple[Section, int]]:
    """Sections with the units that they end before."""
    # Without sections there is nothing to end.
    return zip(sections, [*(section.first for section in sections[1:]), size], strict=False)
