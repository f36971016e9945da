"""A document out of every collection, and its vectors out of the cache.

What remains of it elsewhere, the catalog's ``Erasure`` and the pipeline delete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass

import numpy as np

from chunking.cache.link import RedisLink, failed
from chunking.vector_cache import RedisVectorCache, text_key
from indexing.catalog.catalog import Catalog
from indexing.catalog.generations import Generation, GenerationState
from indexing.store.batches import batched
from indexing.store.filters import equals
from indexing.store.store import VectorStore

_TEXTS = 500
_ANSWERS = "rubrica:answers:*"  # as chunking.strategies.agentic_cache names them


@dataclass(frozen=True, slots=True)
class Trace:
    """How much of a document was somewhere, and how much is there now.

    Attributes:
        where: The place.
        before: Rows, files or vectors before.
        after: The same afterwards; ``None`` where the place could not be asked.
        note: What else is to be said.
    """

    where: str
    before: int
    after: int | None
    note: str = ""

    @property
    def is_clean(self) -> bool:
        """Whether it is certain that nothing is left."""
        return self.after == 0


class IndexedRows:
    """The rows of a document in every collection that exists."""

    def __init__(self, catalog: Catalog, store: VectorStore, alias: str) -> None:
        """Look which generations have a collection.

        Args:
            catalog: PostgreSQL.
            store: Milvus.
            alias: The index.
        """
        self._catalog = catalog
        self._store = store
        self._generations = [item for item in catalog.generations.all(alias) if store.has(item.collection)]

    def counts(self, document_id: str) -> dict[str, int]:
        """Rows by place."""
        return {
            f"Milvus, generation {item.number}": self._store.count(
                item.collection, equals("document_id", document_id)
            )
            for item in self._generations
        }

    def delete(self, document_id: str) -> None:
        """Delete the rows, in all generations."""
        for item in self._generations:
            ids = list(self._store.chunk_ids(item.collection, document_id))
            if ids:
                with self._writing(item):
                    self._store.delete(item.collection, ids)

    @contextmanager
    def undisturbed(self, document_id: str) -> Iterator[None]:
        """No rebuild writes the document meanwhile: it holds no source, but the document that it writes."""
        with ExitStack() as locks:
            for item in self._generations:
                if item.state != GenerationState.LIVE:
                    locks.enter_context(self._catalog.exclusive(f"converge:{item.id}:{document_id}"))
            yield

    def _writing(self, generation: Generation) -> AbstractContextManager[None]:
        if self._store.single_writer:
            return self._catalog.exclusive(f"milvus:{generation.collection}")
        return nullcontext()


class CachedVectors:
    """Vectors of a document's passages in Redis, found by the digests of their texts."""

    def __init__(self, url: str, generations: Iterable[Generation], *, days: int, megabytes: int) -> None:
        """Prepare; nothing is connected yet.

        Args:
            url: Redis of the caches.
            generations: Their embedders have made the vectors.
            days: As the cache is used: days that an unused vector is kept.
            megabytes: As the cache is used: most memory that vectors take, in MiB.
        """
        models = {_namespace(item): item.dimension for item in generations}
        self._caches = {
            namespace: RedisVectorCache(url, dimension, days=days, megabytes=megabytes)
            for namespace, dimension in models.items()
        }

    def count(self, texts: Sequence[str]) -> int | None:
        """How many vectors of these texts there are; ``None`` where Redis does not say."""
        keys = [text_key(text) for text in texts]
        total = 0
        for namespace, cache in self._caches.items():
            found = cache.read(namespace, keys)
            if found.failed.any():
                return None
            total += int(np.isfinite(found.vectors).all(axis=1).sum())
        return total

    def delete(self, texts: Sequence[str]) -> None:
        """Forget the vectors of these texts."""
        keys = [text_key(text) for text in texts]
        for namespace, cache in self._caches.items():
            cache.delete(namespace, keys)

    def close(self) -> None:
        """Close the connections."""
        for cache in self._caches.values():
            cache.close()


class CachedAnswers:
    """What a language model said about texts, in Redis; which text an answer is about cannot be told."""

    def __init__(self, url: str) -> None:
        """Prepare; nothing is connected yet.

        Args:
            url: Redis of the caches.
        """
        self._link = RedisLink(url, "answer_cache")

    def count(self) -> int | None:
        """How many answers there are; ``None`` where Redis does not say."""
        keys = self._keys()
        return None if keys is None else len(keys)

    def delete(self) -> None:
        """Forget all answers."""
        for batch in batched(self._keys() or [], _TEXTS):
            self._link.write([("UNLINK", *batch)])

    def close(self) -> None:
        """Close the connection."""
        self._link.close()

    def _keys(self) -> set[bytes] | None:
        cursor, keys = 0, set[bytes]()
        while True:
            (reply,) = self._link.read([("SCAN", cursor, "MATCH", _ANSWERS, "COUNT", 1000)])
            if failed(reply):
                return None
            cursor, page = int(reply[0]), reply[1]
            keys.update(page)
            if not cursor:
                return keys


def texts_of(catalog: Catalog, document_id: str) -> Iterator[list[str]]:
    """Texts of a document's chunks in all generations, some hundreds at a time."""
    after = ""
    while page := catalog.erasure.texts(document_id, after, _TEXTS):
        yield [text for _, text in page]
        after = page[-1][0]


def _namespace(generation: Generation) -> str:
    """Namespace of the passages of a generation's embedder, without loading its model."""
    config = generation.config
    return f"{config.get('embedder')};{config.get('embedder_revision')};{generation.dimension};passage"
