"""Search as commands use it: the index, and the cross-encoder for a second look."""

from __future__ import annotations

from pipeline.services import Services
from rubrica.errors import ConfigurationError
from rubrica.model import Hit

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
    """Find chunks.

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
    if len(query) > LONGEST_QUERY:
        raise ConfigurationError(
            f"The query has {len(query)} characters; at most {LONGEST_QUERY} are read.",
            hint="Ask with a sentence or two.",
        )
    check_source(services, source)
    reranker = services.reranker if rerank else None
    return services.searcher.search(
        query,
        k=k,
        source=source,
        path_glob=path_glob,
        language=language,
        filter_expression=condition,
        reranker=reranker,
    )
