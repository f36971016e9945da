"""Documents in, chunks out: the one entry that the pipeline calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from chunking.assemble import Assembler
from chunking.explain import Explanation
from chunking.plan import Plan, Planner
from chunking.strategies.base import Partition, Strategy
from rubrica.log import get_logger
from rubrica.model import ChunkedDocument, Document
from rubrica.protocols import NoProgress, Progress

CHUNKER_VERSION = 7
"""Raised whenever the same settings and models may give other chunks than before."""

# What is held and scored at once; a longer document goes alone.
_BATCH_CHARACTERS = 2_000_000

_log = get_logger(__name__)


class Chunker:
    """Cuts documents into chunks.

    The same document gives the same chunks whatever else is in the call.
    """

    def __init__(self, planner: Planner, strategy: Strategy, assembler: Assembler, signature: str) -> None:
        """Put the parts together; ``chunking.factory.build_chunker`` does it from the settings.

        Args:
            planner: Finds units and rules.
            strategy: Chooses the cuts.
            assembler: Words the chunks.
            signature: Identity of all of that.
        """
        self._planner = planner
        self._strategy = strategy
        self._assembler = assembler
        self._signature = signature

    @property
    def signature(self) -> str:
        """Digest of every setting and model revision that can change a chunk."""
        return self._signature

    def chunk(
        self, documents: Iterable[Document], progress: Progress | None = None
    ) -> Iterator[ChunkedDocument]:
        """Chunk documents, the pairs of many scored together.

        Args:
            documents: Read as they are needed; about two million characters are held at a time.
            progress: Advanced by one for every document done.

        Yields:
            Chunks of each document, in the order of ``documents``; none for a blank document.

        Raises:
            ConfigurationError: The token limit has no room for text.
        """
        progress = progress or NoProgress()
        for batch in _batches(documents):
            plans = [self._planner.plan(document) for document in batch]
            # Blank documents have nothing to cut.
            filled = [plan for plan in plans if plan.units]
            partitions = self._strategy.partition(filled)
            self._assembler.prepare(zip(filled, (found.starts for found in partitions), strict=True))
            following = iter(partitions)
            for plan in plans:
                yield self._assemble(plan, next(following)) if plan.units else _nothing(plan)
                progress.advance()

    def chunk_one(self, document: Document) -> ChunkedDocument:
        """The chunks of one document."""
        return next(self.chunk([document]))

    def explain(self, document: Document) -> Explanation:
        """The same chunks as ``chunk_one``, with the plan and the scores that led to them."""
        plan = self._planner.plan(document)
        if not plan.units:
            return Explanation(plan, Partition((), {}, np.empty(0)), _nothing(plan))
        partition = self._strategy.partition([plan])[0]
        return Explanation(plan, partition, self._assemble(plan, partition))

    def _assemble(self, plan: Plan, partition: Partition) -> ChunkedDocument:
        severity, values = plan.layout.severity, partition.values

        def split_at(first: int, stop: int) -> int:
            return min(range(first, stop - 1), key=lambda cut: (severity[cut], values[cut], cut))

        chunks = self._assembler.chunks(plan, partition.starts, partition.scores, split_at, partition.notes)
        more = len(chunks) - len(partition.starts)
        if more:
            _log.debug("chunks_split_again", document=plan.document.path, more=more)
        scores = {plan.units[cut + 1].start: score for cut, score in sorted(partition.scores.items())}
        whole = {unit.start for unit in plan.units if not unit.fragment}
        fragments = sum(chunk.start not in whole for chunk in chunks)
        return ChunkedDocument(plan.document.id, chunks, partition.stats, scores, fragments)


def _nothing(plan: Plan) -> ChunkedDocument:
    return ChunkedDocument(plan.document.id, ())


def _batches(documents: Iterable[Document]) -> Iterator[Sequence[Document]]:
    batch: list[Document] = []
    size = 0
    for document in documents:
        if batch and size + len(document.text) > _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += len(document.text)
    if batch:
        yield batch
