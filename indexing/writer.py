"""Writes documents to Milvus and PostgreSQL so that a writer killed anywhere can simply try again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext

from indexing.catalog.catalog import Catalog
from indexing.catalog.generations import Generation
from indexing.embedders.cached import EmbedCounts, embed_counted
from indexing.store.rows import full_row, scalar_row
from indexing.store.store import VectorStore, batched
from rubrica.errors import IndexVerificationError, LimitExceededError
from rubrica.model import Chunk, Document, Stage, WriteStats
from rubrica.protocols import Embedder, NoProgress, Progress

_SETTLE_AFTER = 1_000  # chunks
_SLICE = 8  # embedder batches that go to Milvus together, so that a killed writer keeps what it embedded


class IndexWriter:
    """Writes to one generation.

    The order of one document is: write the new chunks, read them back, correct what moved, commit them in
    PostgreSQL, delete what is no longer wanted, and note the document's mark last. Readers join the two:
    until the commit they see the old version, from then on the new one, and at no moment neither. A
    document without its mark is written again.
    """

    def __init__(
        self,
        catalog: Catalog,
        store: VectorStore,
        embedder: Embedder,
        generation: Generation,
        *,
        embed_batch: int = 32,
        progress: Progress | None = None,
    ) -> None:
        """Bind a writer to a generation.

        Args:
            catalog: PostgreSQL.
            store: Milvus.
            embedder: The embedder that the generation was built with.
            generation: Where to write.
            embed_batch: Passages embedded per call.
            progress: Hears of every chunk that was embedded.
        """
        self._catalog = catalog
        self._store = store
        self._embedder = embedder
        self._generation = generation
        self._collection = generation.collection
        self._embed_batch = embed_batch
        self._progress = progress or NoProgress()
        self._unsettled = 0

    def write_document(
        self, document: Document, chunks: Sequence[Chunk], *, mark: str, config_sig: str
    ) -> WriteStats:
        """Make the index hold exactly these chunks of the document.

        A chunk whose id is in the index already is not embedded again, nor is a text that the embedder's
        cache knows.

        Args:
            document: The document, with its id from the catalog.
            chunks: All of its chunks; none empties the document.
            mark: Change mark of the content.
            config_sig: Signature of the settings that made the chunks.

        Raises:
            LimitExceededError: A chunk is longer than the embedder reads.
            IndexVerificationError: Milvus did not return what was written.
        """
        self._check_lengths(document, chunks)
        present = self._store.fetch(self._collection, (chunk.id for chunk in chunks))
        new = [chunk for chunk in chunks if chunk.id not in present]
        counts = self._write_new(document, new)
        wanted = {chunk.id for chunk in chunks}
        stale = self._verify(document, wanted)
        kept = [scalar_row(document, chunk) for chunk in chunks if chunk.id in present]
        moved = [row for row in kept if present[row["chunk_id"]] != row]
        with self._writing():
            self._store.update(self._collection, moved)
        indexed, id_ = self._catalog.indexed, self._generation.id
        indexed.save(id_, document, chunks, mark="" if stale else mark, config_sig=config_sig)
        if stale:
            self._delete(stale)
            indexed.finish(id_, document.id, mark=mark)
        return WriteStats(
            written=len(new),
            kept=len(kept),
            removed=len(stale),
            embedded=counts.embedded,
            embed_cache_hits=counts.cache_hits,
            embed_cache_misses=counts.cache_misses,
            embed_cache_errors=counts.cache_errors,
        )

    def clear_document(self, document_id: str) -> WriteStats:
        """Take a document's chunks out of the index; the document itself stays known."""
        removed = self._delete(self._store.chunk_ids(self._collection, document_id))
        self._catalog.indexed.clear(self._generation.id, document_id)
        return WriteStats(removed=removed)

    def remove_document(self, document_id: str) -> WriteStats:
        """Take a document that is gone out of the index, and give its path free."""
        removed = self._delete(self._store.chunk_ids(self._collection, document_id))
        self._catalog.indexed.remove(self._generation.id, [document_id])
        return WriteStats(removed=removed)

    def settle(self) -> None:
        """Call it when a run has written its last chunk.

        Milvus Lite goes through what it has not flushed row by row, for searches too, and would wait
        for 128 MiB of it; a real server looks after itself.
        """
        if self._store.single_writer:
            with self._writing():
                self._store.flush(self._collection)
        self._unsettled = 0

    def _check_lengths(self, document: Document, chunks: Sequence[Chunk]) -> None:
        limit = self._embedder.counter.limit
        longest = max((chunk.tokens for chunk in chunks), default=0)
        if longest > limit:
            raise LimitExceededError(
                f"A chunk has {longest} tokens, but the embedder {self._embedder.name} reads {limit}.",
                limit="RUBRICA_MAX_TOKENS",
                document=document.path,
                stage=Stage.INDEX,
                hint=f"Set RUBRICA_MAX_TOKENS to {limit} or less.",
            )

    def _write_new(self, document: Document, chunks: Sequence[Chunk]) -> EmbedCounts:
        counts = EmbedCounts()
        for group in batched(chunks, self._embed_batch * _SLICE):
            rows = []
            for batch in batched(group, self._embed_batch):
                vectors, cost = embed_counted(self._embedder, [chunk.text for chunk in batch])
                counts += cost
                rows += [full_row(document, *pair) for pair in zip(batch, vectors, strict=True)]
                self._progress.advance(len(batch))
            with self._writing():
                self._store.upsert(self._collection, rows)
            self._unsettled += len(rows)
        if self._unsettled >= _SETTLE_AFTER:
            self.settle()
        return counts

    def _verify(self, document: Document, wanted: set[str]) -> set[str]:
        """Read the document back; returns the chunks that it should not have any more."""
        held = set(self._store.chunk_ids(self._collection, document.id))
        missing = wanted - held
        if missing:
            raise IndexVerificationError(
                f"Milvus returned {len(wanted) - len(missing)} of {len(wanted)} chunks that were written.",
                document=document.path,
                stage=Stage.INDEX,
            )
        return held - wanted

    def _delete(self, chunk_ids: Iterable[str]) -> int:
        ids = list(chunk_ids)
        if not ids:
            return 0
        with self._writing():
            return self._store.delete(self._collection, ids)

    def _writing(self) -> AbstractContextManager[None]:
        """Nobody else writes meanwhile, where the server cannot bear two writers."""
        if self._store.single_writer:
            return self._catalog.exclusive(f"milvus:{self._collection}")
        return nullcontext()
