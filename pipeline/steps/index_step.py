"""Index: write a batch's chunks to Milvus and PostgreSQL."""

from __future__ import annotations

from pipeline.artefacts import ExtractedDocument, read_chunks
from pipeline.services import Services
from pipeline.steps.batches import OpenBatch, open_batch, read_extracted
from pipeline.steps.chunk_step import load_document
from pipeline.steps.failing import set_aside
from rubrica.errors import PoisonDocumentError
from rubrica.metrics import Counter
from rubrica.model import Stage, WriteStats


def index(services: Services, run_id: str, batch_key: str) -> None:
    """Write the chunks of a batch, document by document.

    Args:
        services: Open services.
        run_id: The run.
        batch_key: Key that ``chunk`` returned.

    Raises:
        LockLostError: Another run took the source over.
    """
    stats = []
    with open_batch(services, run_id, batch_key) as batch:
        for extracted in read_extracted(services, batch_key):
            batch.lease.renew()
            try:
                stats.append(_write(services, batch, extracted))
            except PoisonDocumentError as error:
                set_aside(services, run_id, batch.plan, extracted, error=error, stage=Stage.INDEX)
    services.catalog.runs.add_counters(run_id, Stage.INDEX, batch.number, sum_writes(stats))


def _write(services: Services, batch: OpenBatch, extracted: ExtractedDocument) -> WriteStats:
    if not extracted.key:
        return _clear(services, batch, extracted)
    document = load_document(services, batch.plan, extracted)
    chunks = read_chunks(services.workspace, batch.chunks_key(extracted.id))
    return services.writer.write_document(
        document, chunks, mark=extracted.mark, config_sig=batch.plan.config_sig
    )


def _clear(services: Services, batch: OpenBatch, extracted: ExtractedDocument) -> WriteStats:
    cleared = services.writer.clear_document(extracted.id)
    services.catalog.indexed.mark_failed(
        services.generation.id, extracted.id, mark=extracted.mark, config_sig=batch.plan.config_sig
    )
    return cleared


def sum_writes(stats: list[WriteStats]) -> dict[Counter, int]:
    """The counters of several writes."""
    return {
        Counter.CHUNKS_WRITTEN: sum(item.written for item in stats),
        Counter.CHUNKS_KEPT: sum(item.kept for item in stats),
        Counter.CHUNKS_REMOVED: sum(item.removed for item in stats),
        Counter.CHUNKS_EMBEDDED: sum(item.embedded for item in stats),
        Counter.EMBED_CACHE_HITS: sum(item.embed_cache_hits for item in stats),
        Counter.EMBED_CACHE_MISSES: sum(item.embed_cache_misses for item in stats),
        Counter.EMBED_CACHE_ERRORS: sum(item.embed_cache_errors for item in stats),
    }
