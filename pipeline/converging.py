"""Makes another generation equal to the live one.

Building an index anew, keeping one that soaks up to date, and catching up before a switch or a rollback are
the same work: whatever the live generation holds of a document that the target does not hold is made again
with the target's own settings. It may be killed anywhere and run again.

A document is written under a lock of its own, after a look at what the live generation holds of it then: a
run that goes on meanwhile brings its version itself, after it, under the same lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from indexing.catalog import MeasuredDocument
from indexing.catalog.differences import LiveDocument
from indexing.catalog.generations import Generation, GenerationState
from pipeline.rereading import Rereader
from pipeline.services import Services
from rubrica.errors import FatalError, PoisonDocumentError
from rubrica.log import get_logger
from rubrica.model import ChunkedDocument, Document, Failure, Stage, WriteStats
from rubrica.protocols import NoProgress, Progress

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Converged:
    """What it took.

    Attributes:
        documents: Documents that were written.
        removed: Documents that were removed.
        failed: Documents that the target cannot take, although the live generation could.
        missing: Documents whose text is nowhere to be had any more.
        embedded: Chunks that were embedded.
    """

    documents: int = 0
    removed: int = 0
    failed: int = 0
    missing: int = 0
    embedded: int = 0

    def __add__(self, other: Converged) -> Converged:
        mine, theirs = asdict(self), asdict(other)
        return Converged(**{name: mine[name] + theirs[name] for name in mine})


def converge(
    services: Services,
    target: Generation,
    *,
    ids: Sequence[str] | None = None,
    removed: Sequence[str] = (),
    progress: Progress | None = None,
) -> Converged:
    """Make a generation hold what the live one holds.

    Args:
        services: Open services.
        target: The generation that is written to.
        ids: Only these documents; by default all, and what is gone from the live generation is removed.
        removed: Documents to remove whatever the target is known to hold of them.
        progress: Advanced by one for every document done.

    Raises:
        FatalError: The target was dropped meanwhile.
        GenerationMismatchError: The target cannot be written to by what is installed now.
        SourceError: A document must be read again, and its source is gone.
        TransientError: A service or source does not answer.
    """
    live = services.catalog.generations.live(services.settings.indexing.alias)
    if live is None or live.id == target.id:
        return Converged()
    work = _Converging(services, live, target, progress or NoProgress())
    done = work.remove([*removed, *work.gone(ids)]) + work.bring(ids)
    work.bound.writer.settle()
    if done != Converged():
        _log.info("converged", collection=target.collection, **asdict(done))
    return done


class _Converging:
    """One target on its way."""

    def __init__(self, services: Services, live: Generation, target: Generation, progress: Progress) -> None:
        self.bound = services.at(target)
        self._catalog = services.catalog
        self._live = live
        self._target = target
        self._progress = progress
        self._rereader = Rereader(self.bound, live.config.get("extraction", ""))

    def gone(self, ids: Sequence[str] | None) -> list[str]:
        """Documents that the target should not hold."""
        return self._catalog.differences.gone(self._live.id, self._target.id, ids)

    def remove(self, ids: Sequence[str]) -> Converged:
        """Take documents out of the target, unless the live generation has them again."""
        removed = 0
        for id_ in ids:
            with self._alone(id_):
                if self._now(id_) is None:
                    self.bound.writer.clear_document(id_)
                    self._catalog.indexed.forget(self._target.id, [id_])
                    removed += 1
        return Converged(removed=removed)

    def bring(self, ids: Sequence[str] | None) -> Converged:
        """Bring the documents that the target holds otherwise or not at all."""
        todo = self._catalog.differences.behind(
            self._live.id, self._target.id, self.bound.config_sig, None if ids is None else list(ids)
        )
        done = Converged()
        for document in todo:
            if document.state == "failed":
                done += self._carry_failure(document)
        good = [document for document in todo if document.state != "failed"]
        return sum(self._index(good), start=done)

    # --- One document -----------------------------------------------------------------------------

    def _index(self, documents: Sequence[LiveDocument]) -> Iterator[Converged]:
        """Read, chunk and write documents; pairs are scored across them."""
        opened: dict[str, tuple[LiveDocument, Document]] = {}
        unfit: list[Converged] = []
        texts = self._texts(documents, opened, unfit)
        for chunked in self.bound.chunker.chunk(texts):
            yield self._write(*opened.pop(chunked.document_id), chunked)
            self._progress.advance()
        yield from unfit

    def _texts(
        self,
        documents: Sequence[LiveDocument],
        opened: dict[str, tuple[LiveDocument, Document]],
        unfit: list[Converged],
    ) -> Iterator[Document]:
        """The documents that have a text, each noted in ``opened``; the others in ``unfit``."""
        for document, read in self._rereader.read(documents):
            if isinstance(read, Document):
                opened[document.id] = document, read
                yield read
                continue
            self._progress.advance()
            unfit.append(self._set_aside(document, read) if read else Converged(missing=1))

    def _write(self, live: LiveDocument, document: Document, chunked: ChunkedDocument) -> Converged:
        with self._alone(live.id):
            if not self._is_still(live):
                return Converged()
            # First: what is written is not looked at again after a kill.
            self._measure(live, document, chunked)
            try:
                stats = self._put(live, document, chunked)
            except PoisonDocumentError as error:
                return self._fail(live, error, Stage.INDEX)
        return Converged(documents=1, embedded=stats.embedded)

    def _put(self, live: LiveDocument, document: Document, chunked: ChunkedDocument) -> WriteStats:
        self._catalog.indexed.claim(self._target.id, live.id)
        return self.bound.writer.write_document(
            document, chunked.chunks, mark=live.mark, config_sig=self.bound.config_sig
        )

    def _measure(self, live: LiveDocument, document: Document, chunked: ChunkedDocument) -> None:
        quality = self.bound.quality_meter.measure(document, chunked)
        measured = MeasuredDocument(live.id, live.mark, quality)
        self._catalog.quality.save_rebuilt(measured, config_sig=self.bound.config_sig)

    def _set_aside(self, live: LiveDocument, error: PoisonDocumentError) -> Converged:
        with self._alone(live.id):
            return self._fail(live, error, Stage.EXTRACT) if self._is_still(live) else Converged()

    def _fail(self, live: LiveDocument, error: PoisonDocumentError, stage: Stage) -> Converged:
        failure = Failure(live.source, live.path, stage, type(error).__name__, error.reason, error.hint)
        note_failure(self.bound, self._target, live.id, failure)
        self._catalog.indexed.mark_failed(
            self._target.id, live.id, mark=live.mark, config_sig=self.bound.config_sig
        )
        _log.warning("document set aside", path=live.path, reason=error.reason)
        return Converged(failed=1)

    def _carry_failure(self, live: LiveDocument) -> Converged:
        """A document that failed in the live generation fails here, with the same old version kept.

        It is marked as never tried, so that a run with these settings tries it.
        """
        kept = None
        if live.chunk_count and live.content_hash != live.target_hash:
            kept = self._rereader.stored(live) or self._rereader.stored(live, as_live=True)
        chunked = self.bound.chunker.chunk_one(kept) if kept else None
        with self._alone(live.id):
            if self._is_still(live):
                if kept and chunked:
                    with suppress(PoisonDocumentError):  # too much for the target's embedder, say
                        self._put(live, kept, chunked)
                elif live.emptied and live.target_chunks:
                    self.bound.writer.clear_document(live.id)
                self._catalog.indexed.mark_failed(self._target.id, live.id, mark=live.mark, config_sig="")
        self._progress.advance()
        return Converged(documents=1)

    # --- Beside other writers ---------------------------------------------------------------------

    @contextmanager
    def _alone(self, document_id: str) -> Iterator[None]:
        """Nobody else writes the document to the target meanwhile, nor is the target dropped unseen."""
        with self._catalog.exclusive(f"converge:{self._target.id}:{document_id}"):
            now = self._catalog.generations.get(self._target.id)
            if now is None or now.state == GenerationState.DROPPED:
                raise FatalError(
                    f"Generation {self._target.number} was dropped meanwhile: {now.note if now else ''}"
                )
            yield

    def _now(self, document_id: str) -> LiveDocument | None:
        return self._catalog.differences.get(self._live.id, self._target.id, document_id)

    def _is_still(self, planned: LiveDocument) -> bool:
        now = self._now(planned.id)
        return now is not None and now.version == planned.version


# --- What a target could not take -----------------------------------------------------------------


def _failures_key(target: Generation) -> str:
    return f"generations/{target.collection}/failed"


def note_failure(services: Services, target: Generation, document_id: str, failure: Failure) -> None:
    """Keep why a document fails in a generation that is not live: the list of failures is about that one."""
    services.workspace.write_json(f"{_failures_key(target)}/{document_id}.json", asdict(failure))


def failures_of(services: Services, target: Generation) -> dict[str, Failure]:
    """Documents that are well in the live generation and that the target could not take, by id."""
    live = services.catalog.generations.live(services.settings.indexing.alias)
    found = services.catalog.differences.failed(live.id, target.id) if live else []
    failures = {}
    for document in found:
        key = f"{_failures_key(target)}/{document.id}.json"
        if services.workspace.exists(key):
            noted = services.workspace.read_json(key)
            failures[document.id] = Failure(**noted | {"path": document.path, "stage": Stage(noted["stage"])})
    return failures


def forget_failures(services: Services, target: Generation) -> None:
    """Forget the reasons when the generation is dropped."""
    services.workspace.delete(f"generations/{target.collection}")


# --- Which generations are kept up to date --------------------------------------------------------


def followers(services: Services) -> list[Generation]:
    """Generations that are written to beside the live one: one that is built, and those that soak.

    One that has soaked is only kept; a rollback catches up first, as it always does.
    """
    soak = timedelta(days=services.settings.reindex.soak_days)
    generations = services.catalog.generations.all(services.settings.indexing.alias)
    return [
        generation
        for generation in generations
        if generation.state == GenerationState.BUILDING
        or (generation.state == GenerationState.SOAKING and _ended(generation) + soak > datetime.now(UTC))
    ]


def _ended(generation: Generation) -> datetime:
    return generation.ended_at or generation.created_at
