"""Token arithmetic: what fits into a chunk."""

from __future__ import annotations

from functools import lru_cache

from rubrica.errors import ConfigurationError
from rubrica.model import Stage
from rubrica.protocols import TokenCounter

_CACHED_COSTS = 4096
_CACHED_COUNTS = 16


class TokenBudget:
    """Counts tokens against the limit of a chunk.

    The length of a final text is exact (``fits``). For planning, lengths are added up: a text costs its
    tokens beside those that every input carries (prefix and special tokens). Tokenizers that split at
    white space first, as SentencePiece and WordPiece models do, make the sum exact; others come close,
    and the final check repairs what is left.

    Attributes:
        limit: Most tokens of a chunk's final text.
        room: Most tokens of that which text can use.
        count: Tokens of a final text, exact.
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
        self.count = lru_cache(_CACHED_COUNTS)(counter.count)

    def fits(self, text: str) -> bool:
        """Whether a final text keeps the limit."""
        return self.count(text) <= self.limit

    def cost(self, text: str) -> int:
        """Tokens that ``text`` adds to an input."""
        return max(self._counter.count(text) - self._fixed, 0)


def _fixed_cost(counter: TokenCounter) -> int:
    # An empty text is no measure: SentencePiece may spend a token on the space before nothing.
    by_difference = 2 * counter.count("a") - counter.count("a a")
    return max(min(by_difference, counter.count("")), 0)
