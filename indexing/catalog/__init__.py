"""PostgreSQL: the truth about sources, documents, chunks, runs and failures."""

from indexing.catalog.catalog import Catalog
from indexing.catalog.failures import FailureRecord
from indexing.catalog.generations import Generation
from indexing.catalog.quality import MeasuredDocument
from indexing.catalog.runs import Run, RunState
from indexing.catalog.sources import Source

__all__ = ["Catalog", "FailureRecord", "Generation", "MeasuredDocument", "Run", "RunState", "Source"]
