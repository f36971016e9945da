"""Names of what is counted, in one place."""

from __future__ import annotations

from enum import StrEnum


class Counter(StrEnum):
    """Counters of one run, as ``rubrica ingest`` reports them."""

    ADDED = "added"
    CHANGED = "changed"
    MOVED = "moved"
    REMOVED = "removed"
    SKIPPED = "skipped"
    FAILED = "failed"
    CHUNKS_WRITTEN = "chunks_written"
    CHUNKS_KEPT = "chunks_kept"
    CHUNKS_REMOVED = "chunks_removed"
    PAIRS_SCORED = "pairs_scored"
    PAIR_CACHE_HITS = "pair_cache_hits"
    PAIR_CACHE_MISSES = "pair_cache_misses"
    PAIR_CACHE_ERRORS = "pair_cache_errors"
    CHUNKS_EMBEDDED = "chunks_embedded"
    EMBED_CACHE_HITS = "embed_cache_hits"
    EMBED_CACHE_MISSES = "embed_cache_misses"
    EMBED_CACHE_ERRORS = "embed_cache_errors"
