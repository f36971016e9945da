"""What is asked of a search, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from indexing.catalog.selection import DATE_ATTRIBUTES
from rubrica.model import Hit

Reranker = Callable[[str, Sequence[str]], Sequence[float]]
"""Scores texts against a query: higher is better."""


class SearchMode(StrEnum):
    """Which rankings a search is made of.

    ``HYBRID``: both, their scaled scores added. ``DENSE``: by meaning, the cosine of vectors. ``SPARSE``: by
    words, BM25.
    """

    HYBRID = "hybrid"
    DENSE = "dense"
    SPARSE = "sparse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What hits must meet, all of it; what is not given is not asked for.

    Attributes:
        source: Only of this source.
        path: Only of documents whose path matches, by the rules of ``.gitignore``.
        language: Only of documents of this language (ISO 639-1).
        attributes: For each attribute the values of which a document has at least one.
        standard: Designation or number of a standard; its year may be left out.
        since: Only of documents dated this day or later: "2020", "2020-05" or "2020-05-17".
        until: Only of documents dated this day (month, year) or earlier.
        date_attributes: Attributes that a document's date is looked for in, best first.
        section: Only below a heading that contains this, in any case; the chunk that holds it is included.
        clause: Only chunks that hold text of this clause.
        subclauses: Whether the clause "5.2" includes "5.2.1".
        expression: A further condition on fields of the collection, as Milvus writes it:
            ``page_from >= 3 and attributes["standard"] == "СП 1"``.
    """

    source: str | None = None
    path: str | None = None
    language: str | None = None
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    standard: str | None = None
    since: str | None = None
    until: str | None = None
    date_attributes: Sequence[str] = DATE_ATTRIBUTES
    section: str | None = None
    clause: str | None = None
    subclauses: bool = True
    expression: str = ""


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search.

    Attributes:
        k: Hits of a page.
        offset: Hits before the page.
        mode: Which rankings are read.
        filters: What hits must meet.
        candidates: How many of the best of each ranking count, and how many of the fused ranking a reranker
            reads; by default 200 and 50. What lies deeper is not found, on no page.
        neighbours: How many chunks before and after each hit are told with it.
    """

    k: int = 5
    offset: int = 0
    mode: SearchMode = SearchMode.HYBRID
    filters: Filters = NO_FILTERS
    candidates: int | None = None
    neighbours: int = 0


DEFAULT_OPTIONS = SearchOptions()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where the score of a hit comes from; ``None`` where a ranking was not read or does not hold it.

    Attributes:
        dense_score: Cosine of the vectors of query and chunk, up to 1.
        dense_rank: Place in the ranking by meaning, from 1.
        bm25_score: BM25 of the words that query and chunk share.
        bm25_rank: Place in the ranking by words, from 1.
        fused_score: Mean of both scores, each scaled to 0 … 1 in its ranking, where both were read.
        rerank_score: What the cross-encoder gave.
    """

    dense_score: float | None = None
    dense_rank: int | None = None
    bm25_score: float | None = None
    bm25_rank: int | None = None
    fused_score: float | None = None
    rerank_score: float | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A chunk beside a hit, in the same document.

    Attributes:
        distance: How many chunks after the hit; negative before it.
        chunk_id: The chunk.
        start: Offset of its body in the document's text.
        end: Offset after it.
        page_from: First page, from 1.
        page_to: Last page.
        clauses: Clauses that it holds.
        heading_path: Headings above it.
        text: Its body.
    """

    distance: int
    chunk_id: str
    start: int
    end: int
    page_from: int | None
    page_to: int | None
    clauses: tuple[str, ...]
    heading_path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """A hit with all that is told about it.

    Attributes:
        hit: What was found.
        explanation: Where its score comes from.
        neighbours: The chunks around it, as far as asked for, in the order of the document.
    """

    hit: Hit
    explanation: Explanation
    neighbours: tuple[Neighbour, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A stretch of the ranking of a query.

    Attributes:
        results: Best first.
        offset: Hits before it.
        total: Hits of the whole ranking, as deep as it was read.
        mode: Which rankings were read; not always those asked for (see ``Searcher.page``).
        generation: Number of the generation that was searched; ``None`` where nothing is indexed yet.
    """

    results: tuple[Result, ...]
    offset: int
    total: int
    mode: SearchMode
    generation: int | None

    @property
    def hits(self) -> list[Hit]:
        """What was found, best first."""
        return [result.hit for result in self.results]

    @property
    def next_offset(self) -> int | None:
        """Where the next page begins; ``None`` after the last one."""
        end = self.offset + len(self.results)
        return end if self.results and end < self.total else None
