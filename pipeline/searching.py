"""Search as commands use it: the index, and the cross-encoder for a second look."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.services import Services
from rubrica.errors import ConfigurationError
from rubrica.model import Hit

if TYPE_CHECKING:
    from indexing.search import Filters, Page, SearchOptions

LONGEST_QUERY = 2000
"""Characters; an embedder reads about 512 tokens of them."""


def check_source(services: Services, source: str | None) -> None:
    """Refuse the name of a source that is not known.

    Raises:
        ConfigurationError: There is no such source.
    """
    if source is not None and services.catalog.sources.get(source) is None:
        raise ConfigurationError(
            f"There is no source named {source!r}.", hint="`rubrica sources` lists those that are."
        )


def find(
    services: Services,
    query: str,
    *,
    k: int = 5,
    source: str | None = None,
    path_glob: str | None = None,
    language: str | None = None,
    condition: str = "",
    rerank: bool = False,
) -> list[Hit]:
    """Find chunks: ``find_page`` for those who want the best hits and no more.

    Args:
        services: Open services.
        query: What to look for.
        k: How many hits.
        source: Only of this source.
        path_glob: Only of paths that match.
        language: Only of this language.
        condition: A further filter, as Milvus writes it.
        rerank: Whether the scorer of the chunker orders the candidates anew.

    Returns:
        At most ``k`` hits, best first.

    Raises:
        ConfigurationError: The query is empty or too long, the source is not known, or the filter is
            not valid.
    """
    from indexing.search import Filters, SearchOptions

    filters = Filters(source=source, path=path_glob, language=language, expression=condition)
    return find_page(services, query, SearchOptions(k=k, filters=filters), rerank=rerank).hits


def find_page(services: Services, query: str, options: SearchOptions, *, rerank: bool = False) -> Page:
    """Find a page of chunks in the live generation.

    Args:
        services: Open services.
        query: What to look for.
        options: How to search.
        rerank: Whether the scorer of the chunker orders the candidates anew.

    Raises:
        ConfigurationError: The query is empty or too long, the source is not known, or a filter is
            not valid.
    """
    if len(query) > LONGEST_QUERY:
        raise ConfigurationError(
            f"The query has {len(query)} characters; at most {LONGEST_QUERY} are read.",
            hint="Ask with a sentence or two.",
        )
    from indexing.values import storable

    check_source(services, options.filters.source)
    services = services.live
    return services.searcher.page(storable(query), options, reranker=services.reranker if rerank else None)


def with_attributes(filters: Filters, assignments: list[str]) -> Filters:
    """Filters with attributes as a command line gives them.

    Args:
        filters: The other filters.
        assignments: ``name=value`` each; values of the same name are alternatives.

    Raises:
        ConfigurationError: One has no name or no value.
    """
    attributes: dict[str, list[str]] = {}
    for assignment in assignments:
        name, _, value = (part.strip() for part in assignment.partition("="))
        if not name or not value:
            raise ConfigurationError(
                f"{assignment!r} is not an attribute and its value.",
                hint="Write --attribute standard_kind=СП.",
            )
        attributes.setdefault(name, []).append(value)
    return replace(filters, attributes=attributes)
