"""Collections, rows and searches in Milvus."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from pymilvus import MilvusClient  # type: ignore[import-untyped]  # noqa: TID253 — a leaf, loaded lazily

from indexing.store.batches import BATCH_ROWS, batched, batched_by_size
from indexing.store.capabilities import Capabilities
from indexing.store.errors import SERVER, InvalidRequestError, is_not_loaded, is_unknown_alias, translate
from indexing.store.filters import equals, one_of
from indexing.store.rows import Row, from_server, to_server
from indexing.store.schema import SCALAR_FIELDS, collection_indexes, collection_schema
from rubrica.errors import (
    ConfigurationError,
    FatalError,
    RubricaError,
    ServiceUnavailableError,
    StackDownError,
)

__all__ = ["MAX_HITS", "InvalidRequestError", "ScoredId", "VectorStore", "batched", "batched_by_size"]

MAX_HITS = 16_384  # Milvus answers no search or query with more rows than this
_PAGE_ROWS = 5_000  # ids of a page: Milvus Lite goes through the whole collection for each
_CALL_TIMEOUT_S = 120
_CONNECT_TIMEOUT_S = 10
_STRONG = "Strong"

# pymilvus writes a traceback of its own for every error; ours carry what the user needs.
logging.getLogger("pymilvus").setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class ScoredId:
    """A chunk that a search found; higher scores are better."""

    chunk_id: str
    score: float


class VectorStore:
    """The collections on one Milvus server.

    Reads that a write depends on ask for Strong consistency, so they see every write before them.

    Attributes:
        uri: Its address.
        capabilities: What the server can do.
    """

    def __init__(self, uri: str, *, token: str = "") -> None:
        """Connect; use as a context manager, or ``close`` it.

        Args:
            uri: ``http://host:port``.
            token: ``user:password`` or API key.

        Raises:
            StackDownError: The address is empty.
            ServiceUnavailableError: Nothing answers there.
            ConfigurationError: The server is too old.
        """
        if not uri:
            raise StackDownError("No Milvus is configured.", hint="Run `rubrica up` first.")
        try:
            self._client = MilvusClient(uri, token=token, timeout=_CONNECT_TIMEOUT_S)
            server = str(self._client.get_server_version())
        except SERVER as error:
            raise translate(error) from error
        self.uri = uri
        self.capabilities = Capabilities.of(server)

    @property
    def single_writer(self) -> bool:
        """Whether two writers at once can lose rows."""
        return self.capabilities.single_writer

    def _call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return getattr(self._client, method)(*args, timeout=_CALL_TIMEOUT_S, **kwargs)
        except SERVER as error:
            raise translate(error) from error

    def _read(self, method: str, collection: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method that needs the collection in memory; a restarted server has unloaded it."""
        try:
            return self._call(method, collection, *args, consistency_level=_STRONG, **kwargs)
        except RubricaError as error:
            if not is_not_loaded(error):
                raise
        self._call("load_collection", collection)
        return self._call(method, collection, *args, consistency_level=_STRONG, **kwargs)

    # --- Collections and aliases ----------------------------------------------------------------

    def has(self, collection: str) -> bool:
        """Whether there is such a collection or alias."""
        return bool(self._call("has_collection", collection))

    def create(self, collection: str, dimension: int) -> None:
        """Make a collection, unless it exists; one that somebody was killed at is completed."""
        if not self.has(collection):
            schema = collection_schema(dimension, self.capabilities)
            self._call("create_collection", collection, schema=schema, consistency_level=_STRONG)
        elif "dense" in self._call("list_indexes", collection):
            return
        self._call("create_index", collection, collection_indexes(self.capabilities))
        self._call("load_collection", collection)

    def alias_target(self, alias: str) -> str | None:
        """The collection that an alias stands for, if the alias exists."""
        try:
            return str(self._call("describe_alias", alias)["collection_name"])
        except (FatalError, ServiceUnavailableError) as error:
            if is_unknown_alias(error):
                return None
            raise

    def point_alias(self, alias: str, collection: str) -> None:
        """Let an alias stand for a collection, whatever it stood for before."""
        target = self.alias_target(alias)
        if target is None:
            self._call("create_alias", collection, alias)
        elif target != collection:
            self._call("alter_alias", collection, alias)

    def drop(self, collection: str) -> None:
        """Delete a collection.

        Raises:
            FatalError: An alias still points to it; Milvus Lite would not object.
        """
        if not self.has(collection):
            return
        aliases = self._call("list_aliases", collection)["aliases"]
        if aliases or self.alias_target(collection) is not None:
            named = ", ".join(aliases) or collection
            raise FatalError(f"Readers use the collection {collection} under the alias {named}; it stays.")
        self._call("drop_collection", collection)

    # --- Rows -----------------------------------------------------------------------------------

    def upsert(self, collection: str, rows: Iterable[Row]) -> None:
        """Write whole rows, in batches; a row of the same chunk id is replaced."""
        for batch in batched_by_size(to_server(row, self.capabilities) for row in rows):
            self._call("upsert", collection, batch)

    def update(self, collection: str, rows: Iterable[Row]) -> None:
        """Change some fields of rows that exist; vectors and text stay."""
        for batch in batched_by_size(to_server(row, self.capabilities) for row in rows):
            if self.capabilities.partial_update:
                self._call("upsert", collection, batch, partial_update=True)
            else:
                self._call("upsert", collection, self._completed(collection, batch))

    def _completed(self, collection: str, rows: list[Row]) -> list[Row]:
        """The rows with the fields that they do not name, as they are stored."""
        condition = one_of("chunk_id", (row["chunk_id"] for row in rows))
        fields = ["chunk_id", *SCALAR_FIELDS, "text", "dense", *self._word_fields]
        stored = {
            row["chunk_id"]: row | {"heading_path": list(row["heading_path"])}
            for row in self._read("query", collection, condition, output_fields=fields)
        }
        return [stored[row["chunk_id"]] | row for row in rows if row["chunk_id"] in stored]

    @cached_property
    def _word_fields(self) -> list[str]:
        return ["terms"] if self.capabilities.words else []

    def fetch(self, collection: str, chunk_ids: Iterable[str]) -> dict[str, Row]:
        """Scalar fields of the chunks that exist, by chunk id."""
        found: dict[str, Row] = {}
        for batch in batched(chunk_ids, BATCH_ROWS):
            rows = self._read(
                "query", collection, one_of("chunk_id", batch), output_fields=["chunk_id", *SCALAR_FIELDS]
            )
            found |= {row["chunk_id"]: from_server(row, self.capabilities) for row in rows}
        return found

    def existing(self, collection: str, chunk_ids: Iterable[str]) -> set[str]:
        """Those of the chunk ids that exist."""
        found: set[str] = set()
        for batch in batched(chunk_ids, BATCH_ROWS):
            rows = self._read("query", collection, one_of("chunk_id", batch), output_fields=["chunk_id"])
            found.update(row["chunk_id"] for row in rows)
        return found

    def chunk_ids(self, collection: str, document_id: str | None = None) -> Iterator[str]:
        """Ids of a document's chunks, or of all; there is no limit on their number."""
        condition = "" if document_id is None else equals("document_id", document_id)
        fields = ["chunk_id"]
        if condition:
            rows = self._read("query", collection, condition, output_fields=fields, limit=MAX_HITS)
            if len(rows) < MAX_HITS:
                return iter([row["chunk_id"] for row in rows])
        iterator = self._read(
            "query_iterator", collection, batch_size=_PAGE_ROWS, filter=condition, output_fields=fields
        )
        return _pages(iterator)

    def count(self, collection: str, condition: str = "") -> int:
        """Number of rows that meet a condition, or of all."""
        rows = self._read("query", collection, condition, output_fields=["count(*)"])
        return int(rows[0]["count(*)"])

    def delete(self, collection: str, chunk_ids: Iterable[str]) -> int:
        """Delete chunks; returns how many ids were given."""
        deleted = 0
        for batch in batched(chunk_ids, BATCH_ROWS):
            self._call("delete", collection, ids=batch)
            deleted += len(batch)
        return deleted

    def flush(self, collection: str) -> None:
        """Let the server put what was written since into its indexes."""
        self._call("flush", collection)

    # --- Search ---------------------------------------------------------------------------------

    def nearest(
        self, collection: str, vector: npt.NDArray[np.float32], *, limit: int, condition: str = ""
    ) -> list[ScoredId]:
        """The chunks whose vectors are most like a query's, by their cosine.

        Args:
            collection: A collection or an alias.
            vector: Embedding of the query, ``[dimension]``.
            limit: Most hits to return, up to 16,384.
            condition: Filter expression; empty for none.

        Raises:
            InvalidRequestError: The filter expression is not valid.
        """
        query = vector.tolist()
        return self._search(collection, query, "dense", metric="COSINE", limit=limit, condition=condition)

    def matching(self, collection: str, terms: str, *, limit: int, condition: str = "") -> list[ScoredId]:
        """The chunks that share words with a query, by BM25.

        Args:
            collection: A collection or an alias.
            terms: The query's words, prepared as those of the chunks; without one nothing is found.
            limit: Most hits to return, up to 16,384.
            condition: Filter expression; empty for none.

        Raises:
            ConfigurationError: The server cannot search by words.
            InvalidRequestError: The filter expression is not valid.
        """
        if not self.capabilities.words:
            raise ConfigurationError(
                f"This Milvus ({self.capabilities.server}) cannot search by words.",
                hint="Milvus 2.5 or newer can; search by meaning (dense) works here.",
            )
        if not terms:
            return []
        return self._search(collection, terms, "sparse", metric="BM25", limit=limit, condition=condition)

    def _search(
        self, collection: str, query: Any, field: str, *, metric: str, limit: int, condition: str
    ) -> list[ScoredId]:
        [found] = self._read(
            "search",
            collection,
            [query],
            anns_field=field,
            search_params={"metric_type": metric},
            limit=min(limit, MAX_HITS),
            filter=condition,
            output_fields=["chunk_id"],
        )
        # Milvus Lite gives scores of BM25, which are never below zero, as negative distances.
        sign = -1.0 if metric == "BM25" and found and found[0]["distance"] < 0 else 1.0
        return [ScoredId(str(hit["chunk_id"]), sign * float(hit["distance"])) for hit in found]

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _pages(iterator: Any) -> Iterator[str]:
    try:
        while page := iterator.next():
            yield from (row["chunk_id"] for row in page)
    except SERVER as error:
        raise translate(error) from error
    finally:
        iterator.close()
