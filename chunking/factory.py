"""A chunker from the settings."""

from __future__ import annotations

from chunking.assemble import Assembler
from chunking.chunker import CHUNKER_VERSION, Chunker
from chunking.plan import Planner
from chunking.protocols import CutScorer
from chunking.strategies.smart import SmartStrategy
from chunking.tokens import TokenBudget
from chunking.units import UnitSplitter
from rubrica.identity import config_sig
from rubrica.protocols import TokenCounter
from rubrica.settings import ChunkingSettings

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


def build_chunker(settings: ChunkingSettings, counter: TokenCounter, redis_url: str = "") -> Chunker:
    """The chunker that the settings describe.

    Args:
        settings: How to cut.
        counter: The embedder's tokenizer; chunks keep its limit too.
        redis_url: Redis of the pair cache; empty works without one.

    Raises:
        ConfigurationError: A setting is wrong, or the scorer cannot be loaded.
    """
    from chunking.scoring import build_cut_scorer  # noqa: PLC0415 - the scorer's libraries load late

    return assemble_chunker(settings, counter, build_cut_scorer(settings, redis_url))


def assemble_chunker(settings: ChunkingSettings, counter: TokenCounter, scorer: CutScorer) -> Chunker:
    """The same with a scorer that is already there.

    Args:
        settings: How to cut.
        counter: The embedder's tokenizer.
        scorer: Scores cuts.
    """
    from chunking.sentences import split_sentences  # noqa: PLC0415 - sentence models load late
    from extraction.language import detect_language  # noqa: PLC0415 - language models load late

    budget = TokenBudget(counter, settings.max_tokens)
    splitter = UnitSplitter(
        split_sentences,
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
    strategy = SmartStrategy(scorer, mode=settings.mode, structure=settings.structure_rules)
    assembler = Assembler(budget, overlap=settings.overlap)
    return Chunker(planner, strategy, assembler, _signature(settings, counter, strategy.signature))


def _signature(settings: ChunkingSettings, counter: TokenCounter, strategy: str) -> str:
    return config_sig(
        settings.model_dump(include=_TELLING)
        | {"version": CHUNKER_VERSION, "chosen": strategy}
        | {"counter": counter.name, "counter_limit": counter.limit}
    )
