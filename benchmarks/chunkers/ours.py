"""The project's own chunkers, as settings by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks.chunkers.model import Contender, Cutter, Cutting, Piece
from benchmarks.chunkers.workshop import Workshop
from chunking.factory import build_chunker
from rubrica.model import Document
from rubrica.settings import ChunkingSettings

Overrides = Mapping[str, Any]

DEFAULT = "rubrica (default)"
"""What the tests of significance compare with every peer."""

# The default `min_tokens` is this part of the default `max_tokens`; other limits keep the ratio.
_MINIMUM_SHARE = 4
_MOST_SENTENCES_OF_FULL = 100

VARIANTS: Mapping[str, Overrides] = {
    DEFAULT: {},
    "rubrica window": {"mode": "window"},
    "rubrica full": {"mode": "full"},
    "rubrica fixed": {"strategy": "fixed"},
    "rubrica recursive": {"strategy": "recursive"},
    "rubrica semantic": {"strategy": "semantic"},
    "rubrica cluster": {"strategy": "cluster"},
    "rubrica heading": {"strategy": "heading"},
}

ABLATIONS: Mapping[str, Overrides] = {
    "no context line": {"context_line": False},
    "no structure rules": {"structure_rules": False},
    "no context, no structure": {"context_line": False, "structure_rules": False},
    "window, bare": {"mode": "window", "context_line": False, "structure_rules": False},
    "48 tokens a side": {"window_tokens": 48},
    "192 tokens a side": {"window_tokens": 192},
    "no minimum": {"min_tokens": 0},
    "recursive, bare": {"strategy": "recursive", "context_line": False, "structure_rules": False},
    "fixed, bare": {"strategy": "fixed", "context_line": False, "structure_rules": False},
}


def variant(name: str, overrides: Overrides) -> Contender:
    """A chunker of ours as a contender.

    Args:
        name: Its name in the tables.
        overrides: Settings that differ from the defaults; ``max_tokens`` is the limit that is looked for,
            ``min_tokens`` follows it unless named.
    """
    full = overrides.get("strategy", "smart") == "smart" and overrides.get("mode") == "full"
    return Contender(
        name,
        partial(_build, overrides=overrides),
        ours=True,
        most_sentences=_MOST_SENTENCES_OF_FULL if full else 0,
    )


def parsed_variant(text: str) -> Contender:
    """A variant from the command line: ``NAME:setting=value,setting=value``.

    Raises:
        ValueError: It is not written so, or a setting does not exist.
    """
    name, colon, rest = text.partition(":")
    pairs = [part.partition("=") for part in rest.split(",") if part]
    unknown = [key for key, _, _ in pairs if key not in ChunkingSettings.model_fields]
    if not (name and colon and all(sign for _, sign, _ in pairs)) or unknown:
        raise ValueError(f"not NAME:setting=value,…: {text!r}, unknown: {unknown}")
    return variant(name, {key: value for key, _, value in pairs})


def sizes_at(limit: int, most: int) -> dict[str, int]:
    """Sizes for a limit that is looked for.

    Chunks that end where the text turns are shorter than those that are filled; where no limit that the
    embedder reads makes their mean large enough, what lies beyond it raises ``min_tokens`` instead.

    Args:
        limit: The limit, up to one and a half of what the embedder reads.
        most: Tokens that the embedder reads.
    """
    maximum = min(limit, most)
    return {"max_tokens": maximum, "min_tokens": maximum // _MINIMUM_SHARE + limit - maximum}


def _build(limit: int, workshop: Workshop, overrides: Overrides) -> Cutter:
    sizes = sizes_at(limit, workshop.counter.limit)
    settings = ChunkingSettings(_env_file=None, **(sizes | dict(overrides)))
    chunker = build_chunker(
        settings, workshop.counter, workshop.redis_url, embedder=lambda: workshop.embedder
    )

    def cut(documents: Sequence[Document]) -> Cutting:
        results = list(chunker.chunk(documents))
        pieces = [
            Piece(ordinal, chunk.start, chunk.end, chunk.text)
            for ordinal, result in enumerate(results)
            for chunk in result.chunks
        ]
        pairs = sum(result.stats.pairs_scored + result.stats.pair_cache_hits for result in results)
        return Cutting(tuple(pieces), pairs)

    return cut
