"""Forget: removes documents everywhere at once, and proves it.

The catalog goes last: a process that dies on the way finds the document again and starts over.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipeline.declaring import declared_by_name, register_declared
from pipeline.globs import exact_glob
from pipeline.holding import CheckedStore, hold_source
from pipeline.locking import Lease, here_owner
from pipeline.services import Services
from rubrica.errors import ConfigurationError, ServiceUnavailableError, TransientError
from rubrica.log import get_logger
from rubrica.protocols import NoProgress, Progress
from sources.declared import sources_file
from sources.filters import PathFilter

if TYPE_CHECKING:
    from indexing.catalog.erasure import ErasedDocument, Traces
    from indexing.forget import CachedVectors, IndexedRows, Trace
    from pipeline.forgotten_files import ForgottenFiles

_PAIRS = (
    "Scores of cuts in Redis are kept: one number each, under a digest of the words around the cut; they"
    " expire."
)
_VECTORS = (
    "Vectors of its earlier versions and of single sentences cannot be found without their texts; they expire"
    " after RUBRICA_VECTOR_CACHE_DAYS, twice that at most."
)
_FIGURES = "Figures of evaluations are kept, without what they quoted of the document."
_OUTSIDE = "The source itself, its mirror on this machine, logs, tickets and backups are not touched."
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Proof:
    """What there was of a document, and what is left.

    Attributes:
        document: The document.
        traces: By place.
        kept: What is kept, and why, in sentences.
    """

    document: ErasedDocument
    traces: tuple[Trace, ...]
    kept: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether it is certain that nothing is left."""
        return all(trace.is_clean for trace in self.traces)


def find_documents(services: Services, names: Sequence[str], source: str | None) -> list[ErasedDocument]:
    """The documents that the user means.

    Args:
        services: Open services.
        names: Paths or ids.
        source: Only of this source.

    Raises:
        ConfigurationError: There is no such document or source, or a path is that of several sources.
    """
    from pipeline.searching import check_source

    check_source(services, source)
    found: dict[str, ErasedDocument] = {}
    for name in names:
        documents = services.catalog.erasure.find(name, source)
        sources = sorted({document.source for document in documents})
        if not documents:
            where = f"in the source {source!r}" if source else "in any source"
            raise ConfigurationError(
                f"No document {name!r} is known {where}.",
                hint="Give the path as `rubrica search` shows it, or the document's id.",
            )
        if len(sources) > 1:
            raise ConfigurationError(
                f"{name!r} is a document of the sources {', '.join(sources)}.", hint="Choose with --source."
            )
        found |= {document.id: document for document in documents}
    return list(found.values())


def exclusions(services: Services, documents: Sequence[ErasedDocument]) -> dict[str, str]:
    """The globs that keep documents out of their sources, by document; nothing is changed yet.

    A document that is gone from its source needs none.

    Raises:
        ConfigurationError: The file of sources declares a source and does not leave a document of it out, or
            no glob matches a path.
    """
    present = [document for document in documents if document.path]
    globs = {document.id: exact_glob(document.name) for document in present}
    declared = declared_by_name(services.settings)
    for name in sorted({document.source for document in present} & declared.keys()):
        spec = declared[name].spec
        chosen = PathFilter(spec.include, spec.exclude)
        missing = [item for item in present if item.source == name and chosen.selects(item.name)]
        if missing:
            wanted = ", ".join(f"`{globs[item.id]}`" for item in missing)
            raise ConfigurationError(
                f"The source {name!r} is declared in {sources_file(services.settings)}, so --exclude cannot"
                " change it; nothing was forgotten.",
                hint=f"Add {wanted} to its `exclude` there, then give the same command.",
            )
    return globs


def exclude(services: Services, document: ErasedDocument) -> str:
    """Let its source leave a document's path out from now on; returns the glob.

    Raises:
        ConfigurationError: The file of sources says otherwise, or no glob matches that path.
    """
    glob = exclusions(services, [document]).get(document.id, "")
    spec = register_declared(services, document.source)
    if spec is not None or not glob:
        return glob
    spec = services.catalog.sources.get(document.source)
    if spec is not None and (
        glob not in spec.exclude or PathFilter(exclude=spec.exclude).selects(document.name)
    ):
        others = tuple(item for item in spec.exclude if item != glob)
        services.catalog.sources.register(replace(spec, exclude=(*others, glob)))
    return glob


def forget(services: Services, document: ErasedDocument, progress: Progress | None = None) -> Proof:
    """Remove a document from Milvus, PostgreSQL, the workspace and the caches.

    Args:
        services: Open services.
        document: The document.
        progress: Advanced for every file that was looked at.

    Raises:
        TransientError: A run works on its source, or a service does not answer; it may be done in part, and
            the same command goes on.
        LockLostError: Another run took its source over meanwhile; the same holds.
    """
    with _undisturbed(services, document) as lease:
        rows = _rows(services, lease)
        with rows.undisturbed(document.id):
            traces = services.catalog.erasure.traces(document)
            shown = progress or NoProgress()
            proof = _Forgetting(services, document, traces, rows, lease, progress=shown).run()
    _log.info("document forgotten", document=document.id, source=document.source, proven=proof.holds)
    return proof


@contextmanager
def _undisturbed(services: Services, document: ErasedDocument) -> Iterator[Lease]:
    owner = here_owner(f"forget__{secrets.token_hex(4)}")
    timeout_s = services.settings.ingest.lock_timeout_s
    hint = f"`rubrica forget {document.id}` goes on from here."
    with hold_source(services, document.source, owner, timeout_s=timeout_s, hint=hint) as lease:
        if lease is None:
            other = services.catalog.locks.owner(document.source)
            raise TransientError(
                f"Run {other!r} is still working on the source {document.source!r}; nothing was removed.",
                hint="Wait for it, or raise RUBRICA_LOCK_TIMEOUT_S.",
            )
        yield lease


def _rows(services: Services, lease: Lease) -> IndexedRows:
    from indexing.forget import IndexedRows

    store = CheckedStore(services.store, lease).as_store()
    return IndexedRows(services.catalog, store, services.settings.indexing.alias)


class _Forgetting:
    """One document on its way out."""

    def __init__(
        self,
        services: Services,
        document: ErasedDocument,
        traces: Traces,
        rows: IndexedRows,
        lease: Lease,
        *,
        progress: Progress,
    ) -> None:
        from pipeline.forgotten_files import ForgottenFiles

        self._services = services
        self._document = document
        self._traces = traces
        self._rows = rows
        self._lease = lease
        self._progress = progress
        self._files: ForgottenFiles = ForgottenFiles(services, document, traces)
        self._vectors = _cached_vectors(services)

    def run(self) -> Proof:
        """Count, delete, and count again.

        The catalog goes last of all that is deleted: without it, nobody could go on.

        Raises:
            LockLostError: Another run took its source over; nothing has been removed since.
            ServiceUnavailableError: Redis does not answer; nothing has been removed yet.
        """
        self._check_redis()
        catalog, document = self._services.catalog, self._document
        rows, tables = self._rows.counts(document.id), catalog.erasure.counts(document, self._traces)
        files = self._files.find(self._progress)
        cached = self._forget_vectors()
        self._rows.delete(document.id)
        self._lease.renew()
        self._files.delete(files)
        self._files.rename_shared()
        answers = self._forget_answers()
        self._lease.renew()
        catalog.erasure.delete(document, self._traces)
        left_files = self._files.find(NoProgress())
        traces = [
            *_compared(rows, self._rows.counts(document.id)),
            *_compared(_in_catalog(tables), _in_catalog(catalog.erasure.counts(document, self._traces))),
            *_compared(_lengths(files), _lengths(left_files)),
            *cached,
            *answers,
        ]
        return Proof(document, tuple(traces), (*self._files.notes, *_kept(self._vectors)))

    def _check_redis(self) -> None:
        if self._vectors is not None and self._vectors.count([self._document.id]) is None:
            raise ServiceUnavailableError(
                "Redis does not answer, so its vectors cannot be removed; nothing was removed.",
                hint="Run `rubrica up`, or check RUBRICA_REDIS_URL.",
            )

    def _forget_vectors(self) -> list[Trace]:
        """Vectors are found by the texts of the chunks, so they go before the chunks do."""
        from indexing.forget import Trace, texts_of

        if self._vectors is None:
            return []
        before, after = 0, 0
        known = True
        for texts in texts_of(self._services.catalog, self._document.id):
            before += self._vectors.count(texts) or 0
            self._lease.renew()
            self._vectors.delete(texts)
            left = self._vectors.count(texts)
            known = known and left is not None
            after += left or 0
        self._vectors.close()
        note = "" if known else "Redis does not answer."
        return [Trace("Redis, vectors of passages", before, after if known else None, note)]

    def _forget_answers(self) -> list[Trace]:
        """All that a language model said, of whatever document: an answer does not tell what it is about."""
        from indexing.forget import CachedAnswers, Trace

        url = self._services.settings.services.redis_url.get_secret_value()
        if not url or not _asked_a_model(self._services):
            return []
        answers = CachedAnswers(url)
        before = answers.count() or 0
        answers.delete()
        after = answers.count()
        answers.close()
        return [Trace("Redis, answers of the language model", before, after)]


def _cached_vectors(services: Services) -> CachedVectors | None:
    from indexing.forget import CachedVectors

    url = services.settings.services.redis_url.get_secret_value()
    if not url:
        return None
    limits = services.settings.chunking
    return CachedVectors(
        url,
        services.catalog.generations.all(services.settings.indexing.alias),
        days=limits.vector_cache_days,
        megabytes=limits.vector_cache_mb,
    )


def _asked_a_model(services: Services) -> bool:
    known = services.catalog.generations.all(services.settings.indexing.alias)
    return any(item.settings.get("strategy") == "agentic" for item in known)


def _compared(before: dict[str, int], after: dict[str, int]) -> list[Trace]:
    from indexing.forget import Trace

    return [Trace(where, count, after[where]) for where, count in before.items()]


def _in_catalog(counts: dict[str, int]) -> dict[str, int]:
    return {f"PostgreSQL, {table}": count for table, count in counts.items()}


def _kept(vectors: CachedVectors | None) -> tuple[str, ...]:
    cached = () if vectors is None else (_PAIRS, _VECTORS)
    return (*cached, _FIGURES, _OUTSIDE)


def _lengths(found: dict[str, list[str]]) -> dict[str, int]:
    return {place: len(keys) for place, keys in found.items()}
