"""A chunker from the settings."""

from __future__ import annotations

from chunking.assemble import Assembler
from chunking.chunker import CHUNKER_VERSION, Chunker
from chunking.plan import Planner
from chunking.strategies.base import Strategy
from chunking.strategies.parts import EmbedderSource, StrategyParts, build_strategy
from chunking.strategies.words import split_words
from chunking.tokens import TokenBudget
from chunking.units import SentenceSplitter, UnitSplitter
from rubrica.identity import config_sig
from rubrica.log import get_logger
from rubrica.protocols import Progress, TokenCounter
from rubrica.settings import ChunkingSettings, LlmSettings

_log = get_logger(__name__)

# Settings that can change a chunk; what the scorer is made of is in its own signature.
_TELLING = {
    "strategy",
    "mode",
    "max_tokens",
    "min_tokens",
    "overlap",
    "structure_rules",
    "context_line",
    "newline_ends_sentence",
}


def build_chunker(
    settings: ChunkingSettings,
    counter: TokenCounter,
    redis_url: str = "",
    *,
    embedder: EmbedderSource | None = None,
    llm: LlmSettings | None = None,
    progress: Progress | None = None,
) -> Chunker:
    """The chunker that the settings describe.

    Args:
        settings: How to cut.
        counter: The embedder's tokenizer; chunks keep its limit too.
        redis_url: Redis of the caches; empty works without one.
        embedder: Gives the embedder, for strategies that compare vectors.
        llm: The language model, for the strategy that asks one.
        progress: Hears of every pair that has its score, or text that has its vector.

    Raises:
        ConfigurationError: A setting is wrong, or what the strategy needs is missing or cannot be loaded.
    """
    parts = StrategyParts(settings, counter, redis_url, embedder, llm, progress)
    return assemble_chunker(settings, counter, build_strategy(parts))


def chunker_signature(settings: ChunkingSettings, counter: TokenCounter, strategy: Strategy) -> str:
    """Identity of the chunker that ``assemble_chunker`` would make, without counting a token.

    Args:
        settings: How to cut.
        counter: The embedder's tokenizer.
        strategy: Chooses the cuts.
    """
    return config_sig(
        settings.within(counter.limit).model_dump(include=_TELLING)
        | {"version": CHUNKER_VERSION, "chosen": strategy.signature}
        | {"counter": counter.name, "counter_limit": counter.limit}
    )


def assemble_chunker(settings: ChunkingSettings, counter: TokenCounter, strategy: Strategy) -> Chunker:
    """The same with a strategy that is already there.

    Args:
        settings: How to cut.
        counter: The embedder's tokenizer.
        strategy: Chooses the cuts.
    """
    from extraction.language import detect_language  # noqa: PLC0415 - language models load late

    if counter.limit < settings.max_tokens:
        # Said, not refused: the limit may be meant for an embedder that reads more.
        _log.warning("max_tokens_lowered", wanted=settings.max_tokens, embedder_reads=counter.limit)
    settings = settings.within(counter.limit)
    budget = TokenBudget(counter, settings.max_tokens)
    splitter = UnitSplitter(
        _text_splitter(settings.strategy),
        detect_language,
        newline_ends_sentence=settings.newline_ends_sentence,
        structure=settings.structure_rules,
    )
    planner = Planner(
        splitter,
        budget,
        min_tokens=min(settings.min_tokens, budget.room),
        overlap=settings.overlap,
        structure=settings.structure_rules,
        context_line=settings.context_line,
    )
    assembler = Assembler(budget, overlap=settings.overlap)
    return Chunker(planner, strategy, assembler, chunker_signature(settings, counter, strategy))


def _text_splitter(strategy: str) -> SentenceSplitter:
    """What makes the units of running text: sentences, but words for the one that looks at no sentence."""
    if strategy == "fixed":
        return split_words
    from chunking.sentences import split_sentences  # noqa: PLC0415 - sentence models load late

    return split_sentences
