"""Names of what is counted and measured, in one place."""

from __future__ import annotations

from dataclasses import dataclass
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
    STAGE_SECONDS = "stage_seconds"


class Kind(StrEnum):
    """What Prometheus calls the type of a series."""

    GAUGE = "gauge"
    COUNTER = "counter"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Series:
    """A series of Rubrica's own, as ``rubrica exporter`` serves it.

    Attributes:
        name: Its name, the ending ``_total`` of counters included.
        kind: Its type.
        help: What it says, in a sentence.
        labels: Names of its labels. None of them is a document, a path, a run or a question: their number
            has no bound.
        unit: Of its values; empty for plain numbers.
    """

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    unit: str = ""


def _gauge(name: str, help_: str, *labels: str, unit: str = "") -> Series:
    return Series(f"rubrica_{name}", Kind.GAUGE, help_, labels, unit)


def _time(name: str, help_: str, *labels: str) -> Series:
    return _gauge(f"{name}_timestamp_seconds", f"{help_}, in Unix time.", *labels, unit="seconds")


def _counter(name: str, help_: str, *labels: str, unit: str = "") -> Series:
    return Series(f"rubrica_{name}_total", Kind.COUNTER, help_, labels, unit)


def _histogram(name: str, help_: str, *labels: str, unit: str = "") -> Series:
    return Series(f"rubrica_{name}", Kind.HISTOGRAM, help_, labels, unit)


# --- The exporter itself -------------------------------------------------------------------------------

UP = _gauge("up", "1 if PostgreSQL could be read for these series; at 0 there are no others.")
BUILD = _gauge("build_info", "Always 1; the version of Rubrica that serves the series.", "version")
READ_SECONDS = _gauge("exporter_read_seconds", "How long PostgreSQL was read.", unit="seconds")
READ_AT = _time("exporter_read", "When PostgreSQL was read")
QUALITY_AT = _time("exporter_quality_read", "When the quality of chunks was read, which is done more rarely")

# --- Recall --------------------------------------------------------------------------------------------

RECALL_AT_K = _gauge(
    "recall_at_k",
    "recall@k of the last evaluation of a set on a generation; 1 is best.",
    *("alias", "set", "generation", "k"),
    unit="ratio",
)
RECALL_ACCEPTED = _gauge(
    "recall_accepted", "recall@k that later evaluations are compared with.", "alias", "set", "k", unit="ratio"
)
RECALL_FLOOR = _gauge(
    "recall_floor",
    "recall@5 under which an alarm is opened; none for questions that Rubrica made itself.",
    *("alias", "set"),
    unit="ratio",
)
RANKING = _gauge(
    "ranking",
    "How well the right chunks are ranked by the last evaluation: MRR, nDCG@10, precision@5, IoU of tokens.",
    *("alias", "set", "generation", "metric"),
    unit="ratio",
)
LABELS_RESOLVED = _gauge(
    "labels_resolved",
    "Share of the passages that golden questions name which are found in the documents.",
    *("alias", "set", "generation"),
    unit="ratio",
)
LABELS_FLOOR = _gauge(
    "labels_floor", "Share of resolved labels under which an alarm is opened.", "alias", unit="ratio"
)
GOLDEN_QUESTIONS = _gauge("golden_questions", "Golden questions of a set.", "set", "origin")
EVALUATED_AT = _time("evaluation", "When a set was last asked on a generation", "alias", "set", "generation")
ALARMS_OPEN = _gauge("alarms_open", "Alarms that are open, as `rubrica alarms` lists them.", "kind")

# --- Documents and chunks ------------------------------------------------------------------------------

DOCUMENTS = _gauge("documents", "Documents by what the live generation holds of them.", "source", "state")
CHUNKS = _gauge("chunks", "Chunks that a generation holds.", "source", "generation")
FAILURES = _gauge("failures", "Documents on the list of failures.", "source", "stage")
MEASURED = _gauge("chunks_measured", "Chunks whose quality is known.", "source", "generation")
CHUNK_TOKENS = _histogram(
    "chunk_tokens", "Sizes of the chunks that a generation holds.", "source", "generation", unit="tokens"
)
BOUNDARY_SCORE = _histogram(
    "boundary_score",
    "Scores at the cuts that were made; the lower, the sharper. Scores of two scorers never compare.",
    *("source", "generation"),
)
CUTS = _gauge("cuts", "Cuts that were scored, made or not.", "source", "generation", "made")
CUT_SCORES_SUMMED = _gauge(
    "cut_scores_summed",
    "Sum of their scores: of those made by their number it is the boundary score, of the others cohesion.",
    *("source", "generation", "made"),
)
CHUNK_FAULTS = _gauge(
    "chunk_faults",
    "Chunks that are oversized, under_min, a fragment of a sentence, or a duplicate within a document or"
    " elsewhere.",
    *("source", "generation", "fault"),
)
UNITS = _gauge("units", "Tables, clauses and headings in the documents.", "source", "generation", "unit")
UNITS_TORN = _gauge(
    "units_torn",
    "Those of them that were cut although they would have fitted.",
    "source",
    "generation",
    "unit",
)
SIZE_LIMITS = _gauge(
    "chunk_size_limit", "Fewest and most tokens of a chunk.", "generation", "limit", unit="tokens"
)

# --- Sources and runs ----------------------------------------------------------------------------------

SOURCE_CREATED = _time("source_created", "When a source was declared", "source")
LAST_SUCCESS = _time("last_success", "When the live generation last equalled the source", "source")
SOURCE_REVISION = _time(
    "source_revision", "When the live generation reached this commit of the source", "source", "revision"
)
RUNS = _gauge("runs", "Runs that the catalog knows.", "source", "state")
LAST_RUN = _time("last_run", "When the last run of a source began", "source")
LAST_RUN_STATE = _gauge("last_run_state", "1 for the state of the source's last run.", "source", "state")
LAST_RUN_SECONDS = _gauge(
    "last_run_seconds", "How long the source's last finished run took.", "source", unit="seconds"
)
LAST_RUN_STAGE_SECONDS = _gauge(
    "last_run_stage_seconds",
    "Work of the source's last finished run in a stage, all its batches together.",
    *("source", "stage"),
    unit="seconds",
)

# --- Work: what finished runs did ----------------------------------------------------------------------

RUNS_FINISHED = _counter("runs_finished", "Runs that ended.", "source", "state")
RUN_SECONDS = _counter("run_seconds", "How long they took.", "source", unit="seconds")
STAGE_SECONDS = _counter("stage_seconds", "Their work in a stage.", "source", "stage", unit="seconds")
DOCUMENT_CHANGES = _counter("document_changes", "Documents that runs met.", "source", "change")
CHUNK_WRITES = _counter("chunk_writes", "Chunks that runs wrote, kept or removed.", "source", "action")
PAIRS_SCORED = _counter("pairs_scored", "Pairs of texts that the scorer read.", "source")
PAIR_CACHE_HITS = _counter("pair_cache_hits", "Pairs whose score was in the cache.", "source")
PAIR_CACHE_MISSES = _counter("pair_cache_misses", "Pairs whose score was not in the cache.", "source")
PAIR_CACHE_ERRORS = _counter("pair_cache_errors", "Pairs for which the cache failed.", "source")
CHUNKS_EMBEDDED = _counter("chunks_embedded", "Chunks that the embedder read.", "source")
EMBED_CACHE_HITS = _counter("embed_cache_hits", "Texts whose vector was in the cache.", "source")
EMBED_CACHE_MISSES = _counter("embed_cache_misses", "Texts whose vector was not in the cache.", "source")
EMBED_CACHE_ERRORS = _counter("embed_cache_errors", "Texts for which the cache failed.", "source")

# --- Generations ---------------------------------------------------------------------------------------

LIVE_GENERATION = _gauge("live_generation", "Number of the generation that is searched.", "alias")
GENERATION_STATE = _gauge(
    "generation_state", "1 for the state of a generation.", "alias", "generation", "state"
)
GENERATION_SINCE = _time("generation_state", "Since when it is in that state", "alias", "generation", "state")
GENERATION_WRITTEN = _time(
    "generation_written", "When a document was last written to a generation", "alias", "generation"
)

SERIES: tuple[Series, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Series))
"""All of them, in the order of this page."""
