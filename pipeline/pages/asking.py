"""The search page: what its form asks, and what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from threading import Lock
from typing import TYPE_CHECKING, Self

from pipeline.pages.highlighting import Excerpt, excerpt
from pipeline.services import Services
from rubrica.model import Hit

if TYPE_CHECKING:
    from indexing.search import Explanation, Filters, Neighbour, Page

HITS = 10
"""Hits of a page."""

MODES = ("hybrid", "dense", "sparse")
_MOST_PAGES = 1000
_wiring = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a reader asks: the fields of the form, by the names of its inputs.

    Attributes:
        q: The question; empty before anything was asked.
        source: Only of this source.
        path: Only of paths that match this glob.
        language: ISO 639-1.
        standard: Designation of a standard.
        section: Part of a heading.
        clause: Number of a clause.
        since: Oldest date.
        until: Youngest date.
        mode: "hybrid", "dense" or "sparse".
        rerank: Whether the cross-encoder orders the best anew.
        page: Which page of the ranking, from 1.
    """

    q: str = ""
    source: str = ""
    path: str = ""
    language: str = ""
    standard: str = ""
    section: str = ""
    clause: str = ""
    since: str = ""
    until: str = ""
    mode: str = "hybrid"
    rerank: bool = False
    page: int = 1

    @classmethod
    def of(cls, values: Mapping[str, str]) -> Self:
        """A question out of a form; what cannot be read is as if it were not given."""
        text = {name: values.get(name, "").strip() for name in _TEXTS}
        mode = values.get("mode", "")
        page = values.get("page", "1")
        number = int(page) if page.isascii() and page.isdigit() and len(page) < 6 else 1
        return cls(
            **text,
            mode=mode if mode in MODES else MODES[0],
            rerank=values.get("rerank", "") == "1",
            page=min(max(1, number), _MOST_PAGES),
        )

    @property
    def filters(self) -> dict[str, str]:
        """The filters that are set, by name."""
        return {name: getattr(self, name) for name in _TEXTS if name != "q" and getattr(self, name)}

    def values(self, **changed: str) -> dict[str, str]:
        """The form's fields that differ from an empty form's, to make a link of."""
        set_ = {"q": self.q, **self.filters}
        if self.mode != MODES[0]:
            set_["mode"] = self.mode
        if self.rerank:
            set_["rerank"] = "1"
        return {name: value for name, value in (set_ | changed).items() if value}


_TEXTS = tuple(field.name for field in fields(Question) if field.type == "str" and field.name != "mode")


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit as the page shows it.

    Attributes:
        hit: What was found.
        excerpt: What is shown of its text.
        explanation: Where its score comes from.
        before: The chunk before it.
        after: The chunk after it.
    """

    hit: Hit
    excerpt: Excerpt
    explanation: Explanation
    before: Neighbour | None
    after: Neighbour | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the page shows for a question.

    Attributes:
        hits: Best first.
        total: Hits of the whole ranking.
        first: Rank of the first one shown.
        mode: Which rankings were read.
        next_page: Number of the next page; ``None`` after the last one.
        empty: Whether nothing at all is indexed.
    """

    hits: tuple[ShownHit, ...]
    total: int
    first: int
    mode: str
    next_page: int | None
    empty: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """What there is to choose from in the form.

    Attributes:
        sources: Names of the sources.
        languages: Languages of the documents.
        standards: Designations of the standards among them.
        rerank: Whether there is a cross-encoder that was trained to rank.
        indexed: Whether there is anything to search.
    """

    sources: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    standards: tuple[str, ...] = ()
    rerank: bool = False
    indexed: bool = False


def choices(services: Services) -> Choices:
    """What there is to choose from."""
    from chunking.scorers import is_boundary_scorer

    catalog = services.catalog
    live = catalog.generations.live(services.settings.indexing.alias)
    names = tuple(source.spec.name for source in catalog.sources.all())
    if live is None:
        return Choices(names)
    bound = services.settings.with_recipe(live.settings)
    return Choices(
        names,
        tuple(catalog.reading.languages(live.id)),
        tuple(catalog.reading.standards(live.id)),
        not is_boundary_scorer(bound.chunking.scorer),
        indexed=True,
    )


def answer(services: Services, question: Question) -> Answer:
    """Search.

    Raises:
        ConfigurationError: The question or a filter is not valid.
        ServiceUnavailableError: PostgreSQL or Milvus does not answer.
    """
    from indexing.search import SearchMode, SearchOptions
    from pipeline.searching import find_page

    with _wiring:  # services are opened on first use, which two threads must not do at once
        live = services.live
        _ = live.searcher, live.reranker if question.rerank else None
    options = SearchOptions(
        k=HITS,
        offset=(question.page - 1) * HITS,
        mode=SearchMode(question.mode),
        filters=_filters(question),
        neighbours=1,
    )
    return _shown(find_page(services, question.q, options, rerank=question.rerank), question)


def _filters(question: Question) -> Filters:
    from indexing.search import Filters

    return Filters(**question.filters)  # type: ignore[arg-type]  # the names are those of text fields


def _shown(page: Page, question: Question) -> Answer:
    hits = tuple(
        ShownHit(
            result.hit,
            excerpt(result.hit.text, question.q),
            result.explanation,
            next((item for item in result.neighbours if item.distance < 0), None),
            next((item for item in result.neighbours if item.distance > 0), None),
        )
        for result in page.results
    )
    after = None if page.next_offset is None else question.page + 1
    return Answer(hits, page.total, page.offset + 1, page.mode.value, after, page.generation is None)
