"""Search as commands use it: the index, and the cross-encoder for a second look."""

from __future__ import annotations

from pipeline.services import Services
from rubrica.model import Hit


def find(
    services: Services,
    query: str,
    *,
    k: int = 5,
    source: str | None = None,
    path_glob: str | None = None,
    language: str | None = None,
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
        rerank: Whether the scorer of the chunker orders the candidates anew.

    Returns:
        At most ``k`` hits, best first.
    """
    reranker = services.reranker if rerank else None
    return services.searcher.search(
        query, k=k, source=source, path_glob=path_glob, language=language, reranker=reranker
    )
