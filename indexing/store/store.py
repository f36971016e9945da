"""Collections, rows and searches in Milvus."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
import numpy as np
import numpy.typing as npt
from pymilvus import (  # type: ignore[import-untyped]  # noqa: TID253 — a leaf, loaded lazily
    AnnSearchRequest,
    MilvusClient,
    MilvusException,
    RRFRanker,
)

from indexing.store.filters import equals, one_of
from indexing.store.rows import Row
from indexing.store.schema import SCALAR_FIELDS, collection_indexes, collection_schema
from rubrica.errors import FatalError, RubricaError, ServiceUnavailableError, StackDownError

MAX_HITS = 16_384  # Milvus answers no search or query with more rows than this
_BATCH_ROWS = 500
_BATCH_BYTES = 4 * 1024 * 1024
_PAGE_ROWS = 1_000
_CALL_TIMEOUT_S = 120
_CONNECT_TIMEOUT_S = 10
_RRF_K = 60  # Cormack, Clarke, Büttcher: Reciprocal Rank Fusion, SIGIR 2009
_STRONG = "Strong"

_NOT_LOADED = 101
_NOT_FOUND = frozenset({4, 100})
# Illegal argument of milvus-lite and of Milvus: the request is at fault, not the service.
_INVALID = frozenset({5, 6, 1100, 65_535})

_Item = TypeVar("_Item")

# pymilvus writes a traceback of its own for every error; ours carry what the user needs.
logging.getLogger("pymilvus").setLevel(logging.CRITICAL)


class InvalidRequestError(FatalError):
    """Milvus does not accept the request: a filter, say, that it cannot parse."""


@dataclass(frozen=True, slots=True)
class ScoredId:
    """A chunk that a search found."""

    chunk_id: str
    score: float


def translate(error: Exception) -> RubricaError:
    """The error of ours that says what to do about an error of Milvus."""
    detail = " ".join(str(getattr(error, "message", "") or error).split())
    code = getattr(error, "code", 0)
    if code in _NOT_FOUND:
        return FatalError(
            f"Milvus does not know the collection: {detail}.", hint="Is RUBRICA_MILVUS_URI right?"
        )
    if code in _INVALID or type(error) not in (MilvusException, *_NETWORK):
        return InvalidRequestError(f"Milvus refuses the request: {detail}.")
    return ServiceUnavailableError(
        f"Milvus does not answer: {detail}.", hint="Run `rubrica up`, or check RUBRICA_MILVUS_URI."
    )


_NETWORK: tuple[type[Exception], ...] = (grpc.RpcError, grpc.FutureTimeoutError)


class VectorStore:
    """The collections on one Milvus server.

    Reads that a write depends on ask for Strong consistency, so they see every write before them.
    """

    def __init__(self, uri: str, *, token: str = "") -> None:
        """Connect; use as a context manager, or ``close`` it.

        Args:
            uri: ``http://host:port``.
            token: ``user:password`` or API key.

        Raises:
            StackDownError: The address is empty.
            ServiceUnavailableError: Nothing answers there.
        """
        if not uri:
            raise StackDownError("No Milvus is configured.", hint="Run `rubrica up` first.")
        try:
            self._client = MilvusClient(uri, token=token, timeout=_CONNECT_TIMEOUT_S)
            version = str(self._client.get_server_version())
        except (MilvusException, *_NETWORK) as error:
            raise translate(error) from error
        # Milvus Lite numbers and logs writes without a lock of its own: two at once can lose rows.
        self.single_writer = "lite" in version

    def _call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return getattr(self._client, method)(*args, timeout=_CALL_TIMEOUT_S, **kwargs)
        except (MilvusException, *_NETWORK) as error:
            raise translate(error) from error

    def _read(self, method: str, collection: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method that needs the collection in memory; a restarted server has unloaded it."""
        try:
            return self._call(method, collection, *args, consistency_level=_STRONG, **kwargs)
        except RubricaError as error:
            if getattr(error.__cause__, "code", 0) != _NOT_LOADED:
                raise
        self._call("load_collection", collection)
        return self._call(method, collection, *args, consistency_level=_STRONG, **kwargs)

    # --- Collections and aliases ----------------------------------------------------------------

    def has(self, collection: str) -> bool:
        """Whether there is such a collection or alias."""
        return bool(self._call("has_collection", collection))

    def create(self, collection: str, dimension: int) -> None:
        """Make a collection, unless it exists."""
        if not self.has(collection):
            self._call(
                "create_collection",
                collection,
                schema=collection_schema(dimension),
                index_params=collection_indexes(),
                consistency_level=_STRONG,
            )

    def alias_target(self, alias: str) -> str | None:
        """The collection that an alias stands for, if the alias exists."""
        try:
            return str(self._call("describe_alias", alias)["collection_name"])
        except (FatalError, ServiceUnavailableError) as error:
            if _is_unknown_alias(error):
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
        for batch in batched_by_size(rows):
            self._call("upsert", collection, batch)

    def update(self, collection: str, rows: Iterable[Row]) -> None:
        """Change some fields of rows that exist; vectors and text stay."""
        for batch in batched_by_size(rows):
            self._call("upsert", collection, batch, partial_update=True)

    def fetch(self, collection: str, chunk_ids: Iterable[str]) -> dict[str, Row]:
        """Scalar fields of the chunks that exist, by chunk id."""
        found: dict[str, Row] = {}
        for batch in batched(chunk_ids, _BATCH_ROWS):
            rows = self._read(
                "query", collection, one_of("chunk_id", batch), output_fields=["chunk_id", *SCALAR_FIELDS]
            )
            found |= {row["chunk_id"]: _plain(row) for row in rows}
        return found

    def existing(self, collection: str, chunk_ids: Iterable[str]) -> set[str]:
        """Those of the chunk ids that exist."""
        found: set[str] = set()
        for batch in batched(chunk_ids, _BATCH_ROWS):
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
        for batch in batched(chunk_ids, _BATCH_ROWS):
            self._call("delete", collection, ids=batch)
            deleted += len(batch)
        return deleted

    def flush(self, collection: str) -> None:
        """Let the server put what was written since into its indexes."""
        self._call("flush", collection)

    # --- Search ---------------------------------------------------------------------------------

    def search(
        self,
        collection: str,
        vector: npt.NDArray[np.float32],
        terms: str,
        *,
        limit: int,
        condition: str = "",
    ) -> list[ScoredId]:
        """Search by meaning and by words, and fuse the two rankings by reciprocal rank.

        Args:
            collection: A collection or an alias.
            vector: Embedding of the query, ``[dimension]``.
            terms: Its words, prepared as those of the chunks.
            limit: Most hits to return, up to 16,384.
            condition: Filter expression; empty for none.

        Raises:
            InvalidRequestError: The filter expression is not valid.
        """
        limit = min(limit, MAX_HITS)
        common = {"limit": limit, "expr": condition or None}
        requests = [AnnSearchRequest([vector.tolist()], "dense", {"metric_type": "COSINE"}, **common)]
        if terms:
            requests.append(AnnSearchRequest([terms], "sparse", {"metric_type": "BM25"}, **common))
        found = self._read(
            "hybrid_search", collection, requests, RRFRanker(_RRF_K), limit=limit, output_fields=["chunk_id"]
        )
        return [ScoredId(str(hit["chunk_id"]), float(hit["distance"])) for hit in found[0]]

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
    except (MilvusException, *_NETWORK) as error:
        raise translate(error) from error
    finally:
        iterator.close()


def _is_unknown_alias(error: RubricaError) -> bool:
    # Milvus has a code of its own for it (1600), milvus-lite uses that of a missing collection.
    return getattr(error.__cause__, "code", 0) in _NOT_FOUND | {1600}


def _plain(row: Any) -> Row:
    """A row in Python's own types: Milvus hands out arrays as protobuf containers."""
    return {name: list(value) if name == "heading_path" else value for name, value in row.items()}


def batched(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Lists of up to ``size`` items."""
    batch: list[_Item] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def batched_by_size(
    rows: Iterable[Row], *, max_rows: int = _BATCH_ROWS, max_bytes: int = _BATCH_BYTES
) -> Iterator[list[Row]]:
    """Lists of rows that stay under a number and a size; one huge row goes alone."""
    batch: list[Row] = []
    total = 0
    for row in rows:
        size = _size(row)
        if batch and (len(batch) == max_rows or total + size > max_bytes):
            yield batch
            batch, total = [], 0
        batch.append(row)
        total += size
    if batch:
        yield batch


def _size(row: Row) -> int:
    """About how many bytes a row takes on the wire."""
    dense: Sequence[float] = row.get("dense", ())
    rest = {name: value for name, value in row.items() if name != "dense"}
    return 4 * len(dense) + len(json.dumps(rest, ensure_ascii=False).encode())
