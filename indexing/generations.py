"""Which collection is written to, and whether the settings still fit it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from indexing.catalog.catalog import Catalog
from indexing.catalog.generations import Generation, GenerationState
from indexing.store import terms
from indexing.store.limits import SCHEMA_REVISION
from indexing.store.store import VectorStore
from rubrica.errors import GenerationMismatchError
from rubrica.identity import config_sig
from rubrica.log import get_logger
from rubrica.protocols import Embedder

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
_EMBEDDING = ("embedder", "embedder_revision", "schema", "terms")
_HINT = (
    "Set it back, or build a new index beside this one with `rubrica reindex`: readers move to it when it is"
    " as good."
)
_UNTOLD = "the versions of Rubrica and its models"


@dataclass(frozen=True, slots=True)
class Blueprint:
    """What a generation is built with.

    Attributes:
        config: Models, versions and schema: whatever all chunks of one collection have in common.
        settings: The settings behind it, by name (``Settings.recipe``).
    """

    config: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def config_sig(self) -> str:
        """Signature of ``config``."""
        return config_sig(self.config)


def generation_config(embedder: Embedder, *, extraction: str = "", chunker: str = "") -> dict[str, Any]:
    """Everything that all chunks of one collection must have in common.

    The length of vectors is not in it: the model's revision decides it, and asking for it loads the model.

    Args:
        embedder: Its embedder.
        extraction: Signature of extraction.
        chunker: Signature of the chunker.
    """
    return {
        "embedder": embedder.name,
        "embedder_revision": embedder.revision,
        "schema": SCHEMA_REVISION,
        "terms": terms.REVISION,
        "extraction": extraction,
        "chunker": chunker,
    }


def check_generation(generation: Generation, embedder: Embedder) -> None:
    """Make sure that the embedder is the one that the generation was built with.

    Raises:
        GenerationMismatchError: It is not; the message names what changed and what to do.
    """
    changes = _changes(generation.config, generation_config(embedder), _EMBEDDING)
    if changes:
        raise GenerationMismatchError(
            f"The index {generation.alias!r} was built with other settings: {'; '.join(changes)}.", hint=_HINT
        )


def drift(generation: Generation, wanted: Blueprint) -> list[str]:
    """What a generation that was built now would have otherwise, in words; nothing where it is up to date.

    Args:
        generation: One that exists.
        wanted: What a new one would be built with.
    """
    if generation.config_sig == wanted.config_sig:
        return []
    built = generation.settings
    named = [
        f"RUBRICA_{name.upper()} was {built[name]!r} and is {value!r}"
        for name, value in sorted(wanted.settings.items())
        if name in built and built[name] != value
    ]
    return named or _changes(generation.config, wanted.config, _EMBEDDING) or [f"{_UNTOLD} changed"]


def _changes(built: Mapping[str, Any], wanted: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    return [
        f"{_CAUSES[name]} was {built.get(name)!r} and is {wanted.get(name)!r}"
        for name in names
        if built.get(name) != wanted.get(name)
    ]


def ensure_live(
    alias: str, catalog: Catalog, store: VectorStore, embedder: Embedder, blueprint: Blueprint | None = None
) -> Generation:
    """The generation that the alias stands for; the first one is made when there is none.

    Args:
        alias: Name that readers use.
        catalog: PostgreSQL.
        store: Milvus.
        embedder: The embedder that will write to it.
        blueprint: What the first one is built with; by default, what the embedder tells.

    Raises:
        GenerationMismatchError: The live index was built with other settings, or Milvus has lost it.
    """
    with catalog.exclusive(f"generations:{alias}"):
        live = catalog.generations.live(alias)
        if live is None:
            made = blueprint or Blueprint(generation_config(embedder))
            return _build_first(alias, catalog, store, embedder, made)
        check_writable(live, store, embedder)
        return live


def check_writable(generation: Generation, store: VectorStore, embedder: Embedder) -> None:
    """Make sure that a generation can be written to; the alias is mended where it points elsewhere.

    Raises:
        GenerationMismatchError: It was built with another embedder, or Milvus has lost it.
    """
    check_generation(generation, embedder)
    if not store.has(generation.collection):
        raise GenerationMismatchError(
            f"Milvus does not hold the collection {generation.collection} of the index {generation.alias!r}.",
            hint="Let RUBRICA_MILVUS_URI name the Milvus that has it, or choose another RUBRICA_ALIAS:"
            " the next ingestion then builds a new index.",
        )
    if generation.state == GenerationState.LIVE:
        store.point_alias(generation.alias, generation.collection)


def begin(
    alias: str, catalog: Catalog, store: VectorStore, embedder: Embedder, blueprint: Blueprint
) -> Generation:
    """The generation that is being built with a blueprint: one that was begun before, or a new one.

    Args:
        alias: Name that readers will use.
        catalog: PostgreSQL.
        store: Milvus, where its collection is made.
        embedder: The embedder that will write to it.
        blueprint: What it is built with.
    """
    begun = catalog.generations.building(alias)
    if begun is None or begun.config_sig != blueprint.config_sig:
        begun = catalog.generations.begin(
            alias,
            blueprint.config,
            embedder=embedder.name,
            dimension=embedder.dimension,
            settings=blueprint.settings,
        )
    store.create(begun.collection, embedder.dimension)
    return begun


def _build_first(
    alias: str, catalog: Catalog, store: VectorStore, embedder: Embedder, blueprint: Blueprint
) -> Generation:
    begun = begin(alias, catalog, store, embedder, blueprint)
    store.point_alias(alias, begun.collection)
    live = catalog.generations.make_live(begun.id)
    _log.info("generation is live", alias=alias, collection=live.collection, embedder=embedder.name)
    return live
