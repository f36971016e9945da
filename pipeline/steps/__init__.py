"""The steps of an ingestion; DAG tasks and commands call the same functions.

Every step is idempotent: a task that died half way is run again and ends in the same state.
"""

from __future__ import annotations

from pipeline.steps.chunk_step import chunk
from pipeline.steps.detect_step import detect
from pipeline.steps.extract_step import extract
from pipeline.steps.index_step import index
from pipeline.steps.mirror_step import mirror
from pipeline.steps.plan_step import plan
from pipeline.steps.request import IngestRequest
from pipeline.steps.retire_step import retire
from pipeline.steps.runner import run
from pipeline.steps.verdict_step import verdict

__all__ = [
    "IngestRequest",
    "chunk",
    "detect",
    "extract",
    "index",
    "mirror",
    "plan",
    "retire",
    "run",
    "verdict",
]
