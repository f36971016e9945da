"""Extract: read a batch's files into documents."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from extraction.signature import extraction_signature
from extraction.worker import ExtractionJob, extract_isolated
from pipeline.artefacts import (
    ExtractedDocument,
    PlannedDocument,
    document_key,
    write_batch,
    write_document,
)
from pipeline.services import Services
from pipeline.steps.batches import OpenBatch, open_batch
from pipeline.steps.failing import set_aside
from rubrica.errors import EmptyDocumentError, PoisonDocumentError, TransientError
from rubrica.identity import content_hash
from rubrica.model import Stage
from sources.factory import open_source
from sources.protocol import Source

_PER_WORKER = 4  # files that are worth a process


@dataclass(frozen=True, slots=True)
class _Target:
    """A file that is being read, and where its document goes."""

    document: PlannedDocument
    key: str


class _Batch:
    """One batch on its way through extraction."""

    def __init__(
        self, services: Services, run_id: str, opened: OpenBatch, documents: list[PlannedDocument]
    ) -> None:
        self.services = services
        self.run_id = run_id
        self.plan = opened.plan
        self.lease = opened.lease
        self.documents = documents
        self.signature = extraction_signature(services.settings.extraction)
        self.extracted: list[ExtractedDocument] = []
        self.unavailable: TransientError | None = None

    def open_source(self) -> Source:
        spec = self.services.catalog.sources.get(self.plan.source)
        assert spec is not None, "a source cannot be deleted while a run of it is known"
        return open_source(spec, self.services.settings)

    def _jobs(self, taken: deque[_Target]) -> Iterator[ExtractionJob]:
        """Fetch what was not extracted before, each file when it is asked for; ``taken`` tells which."""
        source = self.open_source()
        for document in self.documents:
            content = self._read(source, document)
            if content is None:
                continue
            key = document_key(content_hash(content), document.path, self.signature)
            if self.services.workspace.exists(key):
                self._done(document, key)
            else:
                taken.append(_Target(document, key))
                yield ExtractionJob(document.path, content)

    def _read(self, source: Source, document: PlannedDocument) -> bytes | None:
        try:
            return source.read(document.file, self.plan.revision)
        except PoisonDocumentError as error:
            self._failed(document, error)
        except TransientError as error:
            self.unavailable = error.at(document=document.path)
        return None

    def run(self) -> None:
        """Extract in worker processes; a bad file costs itself only, and few files are held at a time."""
        taken: deque[_Target] = deque()
        workers = max(1, min(os.cpu_count() or 1, len(self.documents) // _PER_WORKER))
        jobs = self._jobs(taken)
        for outcome in extract_isolated(jobs, self.services.settings.extraction, workers=workers):
            target = taken.popleft()
            if outcome.error is not None:
                self._failed(target.document, outcome.error)
            elif outcome.document is not None:
                write_document(self.services.workspace, target.key, outcome.document)
                self._done(target.document, target.key)

    def _done(self, document: PlannedDocument, key: str) -> None:
        self.extracted.append(ExtractedDocument(document.id, document.path, document.mark, key))

    def _failed(self, document: PlannedDocument, error: PoisonDocumentError) -> None:
        self.lease.renew()  # another run may have indexed it since
        set_aside(self.services, self.run_id, self.plan, document, error=error, stage=Stage.EXTRACT)
        if isinstance(error, EmptyDocumentError):
            self._done(document, key="")


def extract(services: Services, run_id: str, batch_key: str) -> str:
    """Read the files of a batch.

    What was extracted before, with the same settings and from the same content, is not read again.

    Args:
        services: Open services.
        run_id: The run.
        batch_key: Key of a batch that ``plan`` returned.

    Returns:
        Key of the batch of extracted documents.

    Raises:
        TransientError: Some files could not be fetched; the others are done and will be kept.
        LockLostError: Another run took the source over.
    """
    documents = [PlannedDocument(**item) for item in services.workspace.read_json(batch_key)]
    with open_batch(services, run_id, batch_key) as opened:
        batch = _Batch(services, run_id, opened, documents)
        batch.run()
    if batch.unavailable is not None:
        raise batch.unavailable
    return write_batch(opened.folder, "extracted", opened.number, batch.extracted)
