"""Documents of the live index once more, for an index that is built with other settings.

What was extracted before is not read again. Otherwise the file is fetched as the live index knows it; a
source that has moved on meanwhile no longer has it, and what the live index was made of is taken instead:
the next ingestion of that source replaces it anyway.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import groupby

from extraction.signature import extraction_signature
from extraction.worker import ExtractionJob, extract_isolated
from indexing.catalog.differences import LiveDocument
from pipeline.artefacts import document_key, read_document, write_document
from pipeline.services import Services
from rubrica.errors import LimitExceededError, PoisonDocumentError, SourceError, SourceUnavailableError
from rubrica.identity import content_hash
from rubrica.log import get_logger
from rubrica.model import Document, Snapshot, SourceFile
from sources.factory import open_source
from sources.protocol import Source

_PER_WORKER = 4  # files that are worth a process
_MOST_WORKERS = 8
_log = get_logger(__name__)

Read = tuple[LiveDocument, Document | PoisonDocumentError | None]
"""A document with its text, with the error that keeps it out, or with neither: it cannot be had any more."""


class Rereader:
    """Reads documents with the settings of the generation that the services are bound to."""

    def __init__(self, services: Services, live_signature: str) -> None:
        """Bind to a generation.

        Args:
            services: Bound to the generation that is written to.
            live_signature: Signature of extraction in the live generation.
        """
        self._services = services
        self._workspace = services.workspace
        self._signature = extraction_signature(services.settings.extraction)
        self._live_signature = live_signature
        self._origin = cache(lambda name: _Origin(services, name))

    def read(self, documents: Iterable[LiveDocument]) -> Iterator[Read]:
        """Read documents, in another order than given; only few texts are held at a time."""
        for _, group in groupby(documents, lambda document: document.source):
            yield from self._of_source(list(group))

    def stored(self, document: LiveDocument, *, as_live: bool = False) -> Document | None:
        """What was extracted from that content before.

        Args:
            document: A document of the live generation.
            as_live: Extracted with the settings of the live generation instead.
        """
        signature = self._live_signature if as_live else self._signature
        key = document_key(document.content_hash, document.path, signature)
        if not document.content_hash or not self._workspace.exists(key):
            return None
        return named(read_document(self._workspace, key), document)

    def _of_source(self, documents: Sequence[LiveDocument]) -> Iterator[Read]:
        missing = []
        for document in documents:
            found = self.stored(document)
            if found is None:
                missing.append(document)
            else:
                yield document, found
        if missing:
            yield from self._extract(missing)

    def _extract(self, documents: Sequence[LiveDocument]) -> Iterator[Read]:
        unread: list[Read] = []
        taken: deque[LiveDocument] = deque()
        workers = max(1, min(_MOST_WORKERS, len(documents) // _PER_WORKER))
        jobs = self._jobs(documents, taken, unread)
        for outcome in extract_isolated(jobs, self._services.settings.extraction, workers=workers):
            document = taken.popleft()
            if outcome.document is not None:
                key = document_key(document.content_hash, document.path, self._signature)
                write_document(self._workspace, key, outcome.document)
                yield document, named(outcome.document, document)
            else:
                yield document, outcome.error
        yield from unread

    def _jobs(
        self, documents: Sequence[LiveDocument], taken: deque[LiveDocument], unread: list[Read]
    ) -> Iterator[ExtractionJob]:
        """A job per file that can be had; ``taken`` tells which, ``unread`` what became of the others."""
        for document in documents:
            try:
                content = self._origin(document.source).read(document)
            except PoisonDocumentError as error:
                unread.append((document, error))
                continue
            if content is None:
                _log.info("the source has moved on", source=document.source, path=document.path)
                unread.append((document, self.stored(document, as_live=True)))
            else:
                taken.append(document)
                yield ExtractionJob(document.path, content)


class _Origin:
    """A source that is read at the revisions which the live generation knows."""

    def __init__(self, services: Services, name: str) -> None:
        spec = services.catalog.sources.get(name)
        assert spec is not None, "a source cannot be deleted while documents of it are known"
        self._source: Source = open_source(spec, services.settings)

    def read(self, document: LiveDocument) -> bytes | None:
        """The bytes that the live generation holds; ``None`` where the source no longer has them.

        Raises:
            SourceError: The source is gone.
            SourceUnavailableError: It does not answer.
            PoisonDocumentError: The file is over a limit.
        """
        content = self._at(document, document.revision) if document.revision else None
        if content is None and self._listed(document):
            content = self._at(document, self._snapshot.revision)
        return content

    def _at(self, document: LiveDocument, revision: str) -> bytes | None:
        file = SourceFile(document.path, document.mark, 0)
        try:
            content = self._source.read(file, revision)
        except LimitExceededError:
            raise
        except (SourceError, SourceUnavailableError, PoisonDocumentError) as error:
            _log.info("not read", path=document.path, revision=revision, reason=error.reason)
            return None
        return content if content_hash(content) == document.content_hash else None

    def _listed(self, document: LiveDocument) -> bool:
        return self._marks.get(document.path) == document.mark

    @cached_property
    def _snapshot(self) -> Snapshot:
        return self._source.snapshot()

    @cached_property
    def _marks(self) -> dict[str, str]:
        return {file.path: file.mark for file in self._snapshot.files}


def named(document: Document, live: LiveDocument) -> Document:
    """A stored document under the identity that it has in the index."""
    return replace(
        document, id=live.id, source=live.source, path=live.path, revision=live.revision or document.revision
    )
