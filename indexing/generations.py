"""Which collection is written to, and whether the settings still fit it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from indexing.catalog.catalog import Catalog
from indexing.catalog.generations import Generation
from indexing.store import terms
from indexing.store.limits import SCHEMA_REVISION
from indexing.store.store import VectorStore
from rubrica.errors import GenerationMismatchError
from rubrica.identity import config_sig
from rubrica.log import get_logger
from rubrica.protocols import Embedder
from rubrica.settings import IndexingSettings

_log = get_logger(__name__)

# What the user changed, in the words of the settings.
_CAUSES = {
    "embedder": "RUBRICA_EMBEDDER",
    "embedder_revision": "the embedder's revision or prefixes (RUBRICA_EMBEDDER_REVISION,"
    " RUBRICA_EMBEDDER_QUERY_PREFIX, RUBRICA_EMBEDDER_PASSAGE_PREFIX, or the version of its package)",
    "dimension": "the length of the embedder's vectors",
    "schema": "the layout of the collection (the version of Rubrica)",
    "terms": "the preparation of words (the version of Rubrica or of snowballstemmer)",
}
_HINT = (
    "Set it back, or choose another RUBRICA_ALIAS: the next ingestion then builds a new index under it"
    " and leaves this one alone."
)


def generation_config(embedder: Embedder) -> dict[str, Any]:
    """Everything that all chunks of one collection must have in common."""
    return {
        "embedder": embedder.name,
        "embedder_revision": embedder.revision,
        "dimension": embedder.dimension,
        "schema": SCHEMA_REVISION,
        "terms": terms.REVISION,
    }


def check_generation(generation: Generation, embedder: Embedder) -> None:
    """Make sure that the embedder is the one that the generation was built with.

    Raises:
        GenerationMismatchError: It is not; the message names what changed and what to do.
    """
    wanted = generation_config(embedder)
    if config_sig(wanted) == generation.config_sig:
        return
    changes = "; ".join(_changes(generation.config, wanted))
    raise GenerationMismatchError(
        f"The index {generation.alias!r} was built with other settings: {changes}.", hint=_HINT
    )


def _changes(built: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    return [
        f"{_CAUSES.get(name, name)} was {built.get(name)!r} and is {wanted.get(name)!r}"
        for name in sorted(built.keys() | wanted.keys())
        if built.get(name) != wanted.get(name)
    ]


def ensure_live(
    settings: IndexingSettings, catalog: Catalog, store: VectorStore, embedder: Embedder
) -> Generation:
    """The generation that the alias stands for; the first one is made when there is none.

    Args:
        settings: Names the alias.
        catalog: PostgreSQL.
        store: Milvus.
        embedder: The embedder that will write to it.

    Raises:
        GenerationMismatchError: The live index was built with other settings, or Milvus has lost it.
    """
    with catalog.exclusive(f"generations:{settings.alias}"):
        live = catalog.generations.live(settings.alias)
        if live is None:
            return _build_first(settings.alias, catalog, store, embedder)
        check_generation(live, embedder)
        if not store.has(live.collection):
            raise GenerationMismatchError(
                f"Milvus does not hold the collection {live.collection} of the index {live.alias!r}.",
                hint="Let RUBRICA_MILVUS_URI name the Milvus that has it, or choose another RUBRICA_ALIAS:"
                " the next ingestion then builds a new index.",
            )
        store.point_alias(live.alias, live.collection)
        return live


def _build_first(alias: str, catalog: Catalog, store: VectorStore, embedder: Embedder) -> Generation:
    config = generation_config(embedder)
    begun = catalog.generations.building(alias)
    if begun is None or begun.config_sig != config_sig(config):
        begun = catalog.generations.begin(alias, config, embedder=embedder.name, dimension=embedder.dimension)
    store.create(begun.collection, embedder.dimension)
    store.point_alias(alias, begun.collection)
    live = catalog.generations.make_live(begun.id)
    _log.info("generation is live", alias=alias, collection=live.collection, embedder=embedder.name)
    return live
