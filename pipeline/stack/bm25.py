"""Collection-wide BM25 statistics for milvus-lite, as Milvus itself has them.

milvus-lite 3.2 weighs a word by how rare it is *in its segment* (the TODO in its
``Collection._search_sparse``). What one commit writes is a small segment in which the words of the
changed document are common, so a document that was just edited would sink to the end of every
ranking. Here the segments of a collection share their counts before they are searched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from milvus_lite.engine.collection import Collection  # type: ignore[import-untyped]
from milvus_lite.index.sparse_inverted import SparseInvertedIndex  # type: ignore[import-untyped]

Search = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class _Counts:
    """What one segment holds: documents, words in all, and documents by word."""

    documents: int
    words: float
    frequencies: Counter[int]


class SharedStatistics:
    """Lets the BM25 indexes of each collection weigh words alike."""

    def __init__(self) -> None:
        self._own: WeakKeyDictionary[Any, _Counts] = WeakKeyDictionary()
        self._lock = Lock()

    def share(self, indexes: Sequence[SparseInvertedIndex]) -> bool:
        """Give every index the sums over all of them.

        Args:
            indexes: BM25 indexes of one collection.

        Returns:
            Whether any index weighed words differently before.
        """
        with self._lock:
            counts = [self._counts(index) for index in indexes]
            documents = sum(count.documents for count in counts)
            words = sum(count.words for count in counts)
            stale = [index for index in indexes if index.doc_count != documents]
            if not stale:
                return False
            frequencies: Counter[int] = Counter()
            for count in counts:
                frequencies.update(count.frequencies)
            for index in indexes:
                index.doc_count = documents
                index.avgdl = words / documents if documents else 0.0
                index._df = frequencies  # noqa: SLF001 — milvus-lite offers no other way
            return True

    def _counts(self, index: SparseInvertedIndex) -> _Counts:
        """The index's own counts, noted when it is first seen."""
        if index not in self._own:
            lengths = float(index._doc_lengths.sum())  # noqa: SLF001
            self._own[index] = _Counts(index.doc_count, lengths, Counter(index._df))  # noqa: SLF001
        return self._own[index]


def share_statistics() -> None:
    """Let every collection of this process search with shared statistics."""
    shared = SharedStatistics()
    search_segments: Search = Collection._search_sparse  # noqa: SLF001

    @wraps(search_segments)
    def search(collection: Any, query_vectors: Any, vector_field: str, *args: Any, **kwargs: Any) -> Any:
        found = search_segments(collection, query_vectors, vector_field, *args, **kwargs)
        # The first search builds the indexes of new segments; only then can they be counted.
        segments, _ = collection._read_snapshot()  # noqa: SLF001
        built = [segment.sparse_indexes.get(vector_field) for segment in segments]
        indexes = [index for index in built if isinstance(index, SparseInvertedIndex)]
        if shared.share(indexes):
            found = search_segments(collection, query_vectors, vector_field, *args, **kwargs)
        return found

    Collection._search_sparse = search  # noqa: SLF001
