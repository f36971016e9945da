"""Token arithmetic: what fits into a chunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from chunking.cores import map_on_cores
from rubrica.errors import ConfigurationError
from rubrica.model import Stage
from rubrica.protocols import TokenCounter

_CACHED_COSTS = 4096
_CACHED_COUNTS = 16
_KNOWN_WORDS = 100_000
_LONGEST_WORD = 40
_PROBES = (
    "Толщина стен по табл. 3, п. 5.2.1 (см. прил. Б) — не менее 0,25 м; «марка» М50!",
    "See Fig. 3 (p. 5): 10,000 units/m² at 45°C, i.e. don't re-use https://example.org/a_b?c=1.",
    "1. a) II. № 7 x = y²+1 • é ü 漢字 かな 👍 ½ … snake_case CamelCase ABC-123",
)


class TokenBudget:
    """Counts tokens against the limit of a chunk.

    The length of a final text is exact (``fits``). For planning, lengths are added up: a text costs its
    tokens beside those that every input carries (prefix and special tokens). Tokenizers that split at
    white space first, as SentencePiece and WordPiece models do, make the sum exact; others come close,
    and the final check repairs what is left.

    Counting is what planning and wording a chunk costs most of, so many texts are counted at once, on all
    cores: a counter must stand being called from several threads.

    Attributes:
        limit: Most tokens of a chunk's final text.
        room: Most tokens of that which text can use.
        cached_cost: ``cost`` with a memory, for lines that come again.
    """

    def __init__(self, counter: TokenCounter, max_tokens: int) -> None:
        """Measure the counter's fixed cost.

        Args:
            counter: The embedder's tokenizer.
            max_tokens: Limit asked for; the embedder's own limit may be lower.

        Raises:
            ConfigurationError: Prefix and special tokens alone fill the limit.
        """
        self._counter = counter
        self.limit = min(max_tokens, counter.limit)
        self._fixed = _fixed_cost(counter)
        self.room = self.limit - self._fixed
        if self.room < 1:
            raise ConfigurationError(
                f"RUBRICA_MAX_TOKENS: a chunk of {self.limit} tokens has no room for text; the embedder's "
                f"prefix and special tokens take {self._fixed}.",
                stage=Stage.CHUNK,
                hint="Raise RUBRICA_MAX_TOKENS.",
            )
        # Lines that stand above many chunks, and the few texts that are looked at more than once.
        self.cached_cost = lru_cache(_CACHED_COSTS)(self.cost)
        self._count = lru_cache(_CACHED_COUNTS)(counter.count)
        self._counted: dict[str, int] = {}
        self._words_add_up = all(self.cost(text) == self._sum_of_words(text) for text in _PROBES)
        self._word_costs: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Tokens of a final text, exact."""
        known = self._counted.get(text)
        return self._count(text) if known is None else known

    def count_ahead(self, texts: Iterable[str]) -> None:
        """Count texts that ``count`` will soon be asked about; those of the call before are forgotten."""
        wanted = list(dict.fromkeys(texts))
        self._counted = dict(zip(wanted, map_on_cores(self._counter.count, wanted), strict=True))

    def fits(self, text: str) -> bool:
        """Whether a final text keeps the limit."""
        return self.count(text) <= self.limit

    def cost(self, text: str) -> int:
        """Tokens that ``text`` adds to an input."""
        return max(self._counter.count(text) - self._fixed, 0)

    def costs(self, texts: Sequence[str]) -> list[int]:
        """``cost`` of many texts, for planning.

        Where a tokenizer takes word by word, its costs are sums of the costs of words, which come again
        and again: that is many times faster than to count every text. What rounding inside a tokenizer
        makes of a sum in one of some hundred thousand words, the final check repairs.
        """
        if not self._words_add_up:
            return map_on_cores(self.cost, texts)
        return [sum(self._word_costs_of(text)) for text in texts]

    def _word_costs_of(self, text: str) -> list[int]:
        # Most words are known: a call for each would be most of the time of planning.
        known = self._word_costs
        return [known[word] if word in known else self._word_cost(word) for word in text.split()]

    def _word_cost(self, word: str) -> int:
        known = self._word_costs.get(word)
        if known is None:
            known = self.cost(word)
            if len(self._word_costs) >= _KNOWN_WORDS:
                self._word_costs.clear()
            if len(word) <= _LONGEST_WORD:
                self._word_costs[word] = known
        return known

    def _sum_of_words(self, text: str) -> int:
        return sum(map(self.cost, text.split()))


def _fixed_cost(counter: TokenCounter) -> int:
    # An empty text is no measure: SentencePiece may spend a token on the space before nothing.
    by_difference = 2 * counter.count("a") - counter.count("a a")
    return max(min(by_difference, counter.count("")), 0)
