"""What strategies are built from, and which module builds which."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from chunking.strategies.base import Strategy
from rubrica.protocols import Embedder, Progress, TokenCounter
from rubrica.settings import ChunkingSettings, LlmSettings

EmbedderSource = Callable[[], Embedder]
"""Gives the embedder when it is first needed."""

# Modules with a function ``build(parts)``; imported when their strategy is asked for.
_MODULES: Mapping[str, str] = {
    "agentic": "agentic",
    "smart": "smart",
    "fixed": "fixed",
    "recursive": "recursive",
    "semantic": "semantic",
    "cluster": "cluster",
    "heading": "heading",
    "code": "code",
}


@dataclass(frozen=True, slots=True)
class StrategyParts:
    """What a strategy may be built from.

    Attributes:
        settings: How to cut.
        counter: The embedder's tokenizer.
        redis_url: Redis of the caches; empty: none.
        embedder: Gives the embedder; ``None`` where the caller has none.
        llm: The language model; ``None`` where the caller has none.
        progress: Hears of every pair that has its score, or text that has its vector.
    """

    settings: ChunkingSettings
    counter: TokenCounter
    redis_url: str = ""
    embedder: EmbedderSource | None = None
    llm: LlmSettings | None = None
    progress: Progress | None = None


def build_strategy(parts: StrategyParts) -> Strategy:
    """The strategy that the settings name; only its own libraries are imported.

    Raises:
        ConfigurationError: What it needs is missing or cannot be loaded.
    """
    module = import_module(f"chunking.strategies.{_MODULES[parts.settings.strategy]}")
    strategy: Strategy = module.build(parts)
    return strategy
