"""Chunk: cut a batch's documents where the meaning turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from indexing.catalog import MeasuredDocument
from pipeline.artefacts import ExtractedDocument, Plan, read_document, write_chunks
from pipeline.services import Services
from pipeline.steps.batches import OpenBatch, open_batch, read_extracted
from rubrica.metrics import Counter
from rubrica.model import ChunkingStats, Document, Stage


def chunk(services: Services, run_id: str, batch_key: str) -> str:
    """Chunk a batch; pairs are scored across its documents.

    Args:
        services: Open services.
        run_id: The run.
        batch_key: Key that ``extract`` returned.

    Returns:
        The same key: the chunks lie beside the batch, named by document.
    """
    with open_batch(services, run_id, batch_key) as batch:
        _chunk(services, run_id, batch, read_extracted(services, batch_key))
    return batch_key


def _chunk(services: Services, run_id: str, batch: OpenBatch, extracted: list[ExtractedDocument]) -> None:
    marks = {document.id: document.mark for document in extracted}
    open_documents: dict[str, Document] = {}
    stats, measured = [], []
    documents = _noting(_documents(services, batch.plan, extracted), open_documents)
    for chunked in services.chunker.chunk(documents):
        write_chunks(services.workspace, batch.chunks_key(chunked.document_id), chunked.chunks)
        stats.append(chunked.stats)
        document = open_documents.pop(chunked.document_id)
        quality = services.quality_meter.measure(document, chunked)
        measured.append(MeasuredDocument(document.id, marks[document.id], quality))
    services.catalog.runs.add_counters(run_id, Stage.CHUNK, batch.number, _sum(stats))
    services.catalog.quality.save(run_id, measured, config_sig=batch.plan.config_sig)


def load_document(services: Services, made: Plan, extracted: ExtractedDocument) -> Document:
    """A stored document under the identity that it has in this run."""
    return replace(
        read_document(services.workspace, extracted.key),
        id=extracted.id,
        source=made.source,
        path=extracted.path,
        revision=made.revision,
    )


def _documents(services: Services, made: Plan, batch: list[ExtractedDocument]) -> Iterator[Document]:
    return (load_document(services, made, extracted) for extracted in batch if extracted.key)


def _noting(documents: Iterator[Document], noted: dict[str, Document]) -> Iterator[Document]:
    """The same documents, each noted under its id when it is handed on."""
    for document in documents:
        noted[document.id] = document
        yield document


def _sum(stats: list[ChunkingStats]) -> dict[Counter, int]:
    return {
        Counter.PAIRS_SCORED: sum(item.pairs_scored for item in stats),
        Counter.PAIR_CACHE_HITS: sum(item.pair_cache_hits for item in stats),
        Counter.PAIR_CACHE_MISSES: sum(item.pair_cache_misses for item in stats),
        Counter.PAIR_CACHE_ERRORS: sum(item.pair_cache_errors for item in stats),
    }
