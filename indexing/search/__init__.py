"""Search: by meaning, by words or both, with filters, pages, neighbours and a second look."""

from indexing.search.model import (
    Explanation,
    Filters,
    Neighbour,
    Page,
    Reranker,
    Result,
    SearchMode,
    SearchOptions,
)
from indexing.search.searcher import Searcher

__all__ = [
    "Explanation",
    "Filters",
    "Neighbour",
    "Page",
    "Reranker",
    "Result",
    "SearchMode",
    "SearchOptions",
    "Searcher",
]
