"""PostgreSQL against Milvus: finds where a generation's rows differ from the catalog, and mends them.

PostgreSQL is the truth. It keeps the text of every chunk, so a row that Milvus has lost is embedded again
from there: no file is read. Both sides are read page by page, so memory does not grow with the index.

What looks wrong may be the work of an ingestion that is under way. So nothing is judged twice wrong before it
is looked at again while the lock of its source is held.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from operator import itemgetter

from indexing.catalog.audit import HeldChunk, Suspect
from indexing.catalog.catalog import Catalog
from indexing.catalog.generations import Generation, GenerationState
from indexing.generations import check_generation
from indexing.store.batches import batched
from indexing.store.rows import Row, full_row, scalar_row
from indexing.store.store import VectorStore
from rubrica.errors import IndexVerificationError
from rubrica.protocols import Embedder, NoProgress, Progress

_PAGE_ROWS = 1_000
_BUFFERED = 2_000  # rows that look wrong, until their sources are locked and they are looked at again
_REMEMBERED = 10_000  # strays kept in memory between counting and removing them
_MENDED = 256  # rows mended between two reports

_Suspects = dict[str, list[tuple[str, str]]]
"""Document and chunk of rows that look wrong, by source."""

Hold = Callable[[str], AbstractContextManager[bool]]
"""Holds the lock of a source while its block runs; gives whether it is held."""


class Trouble(StrEnum):
    """What can be wrong.

    ``MISSING``: Milvus has lost a chunk. ``DIFFERENT``: its fields are not those of the catalog. ``ORPHAN``:
    a row in Milvus that the catalog does not know. ``WITHOUT_PATH``: rows of a document that is gone.
    ``CHUNK_COUNT``: the catalog has more or fewer chunks of a document than it says. ``ALIAS``: readers are
    led elsewhere. ``COLLECTION``: Milvus has lost the whole collection.
    """

    MISSING = "missing"
    DIFFERENT = "different"
    ORPHAN = "orphan"
    WITHOUT_PATH = "without_path"
    CHUNK_COUNT = "chunk_count"
    ALIAS = "alias"
    COLLECTION = "collection"


OPEN = frozenset({GenerationState.LIVE, GenerationState.SOAKING, GenerationState.BUILDING})
"""States of generations that somebody reads or writes, or may again."""

REMOVING = frozenset({Trouble.ORPHAN, Trouble.WITHOUT_PATH})


@dataclass(frozen=True, slots=True)
class Repair:
    """Something that was wrong, and was mended unless only a report was wanted.

    Attributes:
        kind: What was wrong.
        count: Rows; for ``ALIAS`` one.
        source: Source of the document; empty where it is about all.
        path: Path of the document; empty where the catalog does not know it.
        document_id: The document; empty where it is about all.
    """

    kind: Trouble
    count: int
    source: str = ""
    path: str = ""
    document_id: str = ""


@dataclass(frozen=True, slots=True)
class Survey:
    """How many rows Milvus holds, and how many of them it should not.

    Attributes:
        rows: Rows by source, the strays among them.
        strays: Rows that the catalog does not know, or whose document is gone, by source.
        seen: Document and chunk of the first strays, by source.
    """

    rows: Counter[str] = field(default_factory=Counter)
    strays: Counter[str] = field(default_factory=Counter)
    seen: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, known: Iterable[str], strays: Sequence[Row]) -> None:
        """Count a page of Milvus.

        Args:
            known: Sources of the rows that the catalog knows.
            strays: The other rows.
        """
        self.rows.update(known)
        for row in strays:
            self.rows[row["source"]] += 1
            self.strays[row["source"]] += 1
            if self.strays.total() <= _REMEMBERED:
                self.seen[row["source"]].append((row["document_id"], row["chunk_id"]))

    @property
    def complete(self) -> bool:
        """Whether all strays are in ``seen``."""
        return self.strays.total() <= _REMEMBERED


class Reconciler:
    """Compares one generation, and mends it."""

    def __init__(
        self,
        catalog: Catalog,
        store: VectorStore,
        embedder: Callable[[], Embedder],
        generation: Generation,
        hold: Hold,
        *,
        source: str | None = None,
        dry_run: bool = False,
        embed_batch: int = 32,
        report: Callable[[Repair], None] = lambda _: None,
        progress: Progress | None = None,
    ) -> None:
        """Prepare; nothing is read yet.

        Args:
            catalog: PostgreSQL.
            store: Milvus.
            embedder: Gives the embedder of the generation; it is asked for only when a chunk is missing.
            generation: What is compared.
            hold: Holds the lock of a source.
            source: Only rows of this source.
            dry_run: Report only.
            embed_batch: Passages embedded per call.
            report: Hears of every repair; of one document perhaps more than once.
            progress: Hears of every row that was read.
        """
        self._catalog = catalog
        self._store = store
        self._embedder = embedder
        self._generation = generation
        self._collection = generation.collection
        self._hold = hold
        self._source = source
        self._dry_run = dry_run
        self._embed_batch = embed_batch
        self._report = report
        self._progress = progress or NoProgress()
        self._unsettled = 0
        self.busy: set[str] = set()
        """Sources that were left alone, because their lock could not be had."""

    def survey(self) -> Survey:
        """Count what would be removed; changes nothing."""
        found = Survey()
        if self._store.has(self._collection):
            for known, strays in self._pages():
                found.add(known, strays)
        return found

    def mend(self, survey: Survey) -> None:
        """Report everything that is wrong, and mend it unless only a report is wanted.

        Args:
            survey: What ``survey`` has counted; whoever calls decides that as much may be removed.

        Raises:
            GenerationMismatchError: A chunk is missing, and the embedder is no longer that of the generation.
            IndexVerificationError: Milvus did not return what was written.
        """
        if self._check_collection():
            self._fill()
            self._sweep(survey)
        for suspect in self._catalog.audit.without_path(self._generation.id, self._source):
            self._locked(suspect.source, self._retire, suspect)
        for suspect in self._catalog.audit.miscounted(self._generation.id, self._source):
            self._locked(suspect.source, self._recount, suspect)
        self._check_alias()

    # --- The collection and its alias -----------------------------------------------------------------

    def _check_collection(self) -> bool:
        """Whether there is something to compare: a lost collection is made anew, and then filled."""
        if self._store.has(self._collection):
            return True
        lost = self._catalog.audit.count(self._generation.id)
        self._report(Repair(Trouble.COLLECTION, lost))
        if not self._dry_run:
            with self._catalog.exclusive(f"generations:{self._generation.alias}"):
                now = self._catalog.generations.get(self._generation.id)
                if now is not None and now.state in OPEN:
                    self._store.create(self._collection, self._generation.dimension)
        return self._store.has(self._collection)

    def _check_alias(self) -> None:
        alias = self._generation.alias
        with self._catalog.exclusive(f"generations:{alias}"):
            live = self._catalog.generations.live(alias)
            if live is None or live.id != self._generation.id or live.state != GenerationState.LIVE:
                return
            if self._store.alias_target(alias) == self._collection:
                return
            self._report(Repair(Trouble.ALIAS, 1))
            if not self._dry_run:
                self._store.point_alias(alias, self._collection)

    # --- What the catalog knows must be in Milvus -----------------------------------------------------

    def _fill(self) -> None:
        suspects: _Suspects = defaultdict(list)
        for page in self._catalog.audit.pages(self._generation.id, self._source):
            found = self._store.fetch(self._collection, [held.chunk.id for held in page])
            for held in page:
                if found.get(held.chunk.id) != _row(held):
                    suspects[held.document.source].append((held.document.id, held.chunk.id))
            self._progress.advance(len(page))
            self._drain(suspects, self._mend_chunks)
        self._drain(suspects, self._mend_chunks, at_least=1)

    def _mend_chunks(self, chunk_ids: Sequence[str]) -> None:
        """Write the chunks that Milvus has lost, and correct those that it holds otherwise."""
        held = self._catalog.audit.chunks(self._generation.id, chunk_ids)
        found = self._store.fetch(self._collection, list(held))
        missing = [item for id_, item in held.items() if id_ not in found]
        different = [item for id_, item in held.items() if id_ in found and found[id_] != _row(item)]
        if not self._dry_run:
            self._write(missing)
            with self._writing():
                self._store.update(self._collection, [_row(item) for item in different])
        self._report_chunks(Trouble.MISSING, missing)
        self._report_chunks(Trouble.DIFFERENT, different)

    def _write(self, missing: Sequence[HeldChunk]) -> None:
        if not missing:
            return
        embedder = self._embedder()
        check_generation(self._generation, embedder)
        for batch in batched(missing, self._embed_batch):
            vectors = embedder.embed_passages([item.chunk.text for item in batch])
            rows = [
                full_row(item.document, item.chunk, vector)
                for item, vector in zip(batch, vectors, strict=True)
            ]
            with self._writing():
                self._store.upsert(self._collection, rows)
            self._unsettled += len(rows)
        self._verify([item.chunk.id for item in missing])

    def _verify(self, chunk_ids: Sequence[str]) -> None:
        lost = len(chunk_ids) - len(self._store.existing(self._collection, chunk_ids))
        if lost:
            raise IndexVerificationError(
                f"Milvus did not return {lost} of {len(chunk_ids)} chunks that were written again."
            )

    def _report_chunks(self, kind: Trouble, chunks: Iterable[HeldChunk]) -> None:
        by_document: dict[str, list[HeldChunk]] = defaultdict(list)
        for item in chunks:
            by_document[item.document.id].append(item)
        for items in by_document.values():
            document = items[0].document
            self._report(Repair(kind, len(items), document.source, document.path, document.id))

    # --- What Milvus holds must be known to the catalog -----------------------------------------------

    def _pages(self) -> Iterator[tuple[list[str], list[Row]]]:
        """For each page of Milvus: the sources of the rows that are known, and the rows that are not."""
        for page in batched(self._store.chunk_ids(self._collection), _PAGE_ROWS):
            known = self._catalog.audit.sources(self._generation.id, page)
            unknown = [chunk_id for chunk_id in page if chunk_id not in known]
            rows = self._store.fetch(self._collection, unknown).values()
            self._progress.advance(len(page))
            yield (
                [source for source in known.values() if self._is_mine(source)],
                [row for row in rows if self._is_mine(row["source"])],
            )

    def _is_mine(self, source: str) -> bool:
        return self._source is None or source == self._source

    def _sweep(self, survey: Survey) -> None:
        suspects = survey.seen
        if not survey.complete:
            # More than are kept in memory: what is wrong is looked for once more, and removed on the way.
            suspects = defaultdict(list)
            for _, strays in self._pages():
                for row in strays:
                    suspects[row["source"]].append((row["document_id"], row["chunk_id"]))
                self._drain(suspects, self._remove_orphans)
        self._drain(suspects, self._remove_orphans, at_least=1)

    def _remove_orphans(self, chunk_ids: Sequence[str]) -> None:
        """Delete rows of which the catalog still knows nothing; a document that is gone has its own turn."""
        known = self._catalog.audit.sources(self._generation.id, chunk_ids)
        rows = self._store.fetch(self._collection, [id_ for id_ in chunk_ids if id_ not in known])
        by_document: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row in rows.values():
            by_document[row["source"], row["document_id"]].append(row["chunk_id"])
        names = self._catalog.audit.names(self._generation.id, [id_ for _, id_ in by_document])
        retired = {document_id for document_id, name in names.items() if name.retired}
        removed = {key: orphans for key, orphans in by_document.items() if key[1] not in retired}
        self._delete([chunk_id for orphans in removed.values() for chunk_id in orphans])
        for (source, document_id), orphans in removed.items():
            path = names[document_id].path if document_id in names else ""
            self._report(Repair(Trouble.ORPHAN, len(orphans), source, path, document_id))

    def _retire(self, suspect: Suspect) -> None:
        with self._alone(suspect.document_id):
            name = self._catalog.audit.names(self._generation.id, [suspect.document_id])
            if not (suspect.document_id in name and name[suspect.document_id].retired):
                return  # an ingestion was quicker
            rows = set(self._catalog.chunks.ids(self._generation.id, suspect.document_id))
            if self._store.has(self._collection):
                held = list(self._store.chunk_ids(self._collection, suspect.document_id))
                self._delete(held)
                rows.update(held)
            if not self._dry_run:
                self._catalog.indexed.remove(self._generation.id, [suspect.document_id])
        self._report(
            Repair(Trouble.WITHOUT_PATH, len(rows), suspect.source, suspect.path, suspect.document_id)
        )

    def _recount(self, suspect: Suspect) -> None:
        if self._dry_run or self._catalog.audit.recount(self._generation.id, suspect.document_id):
            wrong = abs(suspect.said - suspect.held)
            self._report(
                Repair(Trouble.CHUNK_COUNT, wrong, suspect.source, suspect.path, suspect.document_id)
            )

    # --- Locks ----------------------------------------------------------------------------------------

    def _drain(
        self, suspects: _Suspects, mend: Callable[[Sequence[str]], None], *, at_least: int = _BUFFERED
    ) -> None:
        """Mend what was collected, source by source, once there is enough of it."""
        if sum(map(len, suspects.values())) < at_least:
            return
        for source, rows in suspects.items():
            self._locked(source, self._in_portions, mend, rows)
        suspects.clear()
        self._settle()

    def _in_portions(self, mend: Callable[[Sequence[str]], None], rows: Sequence[tuple[str, str]]) -> None:
        if self._generation.state == GenerationState.LIVE:
            for portion in batched(rows, _MENDED):
                mend([chunk_id for _, chunk_id in portion])
            return
        for document_id, of_document in groupby(sorted(rows), key=itemgetter(0)):
            with self._alone(document_id):
                mend([chunk_id for _, chunk_id in of_document])

    def _alone(self, document_id: str) -> AbstractContextManager[None]:
        """No rebuild writes the document meanwhile: it holds no source, but the document that it writes."""
        if self._generation.state == GenerationState.LIVE:
            return nullcontext()
        return self._catalog.exclusive(f"converge:{self._generation.id}:{document_id}")

    def _locked(self, source: str, act: Callable[..., None], *arguments: object) -> None:
        if source in self.busy:
            return
        with self._hold(source) as held:
            if held:
                act(*arguments)
            else:
                self.busy.add(source)

    # --- Writing --------------------------------------------------------------------------------------

    def _delete(self, chunk_ids: Sequence[str]) -> None:
        if chunk_ids and not self._dry_run:
            with self._writing():
                self._store.delete(self._collection, chunk_ids)

    def _settle(self) -> None:
        # Milvus Lite goes through what it has not flushed row by row.
        if self._unsettled and self._store.single_writer:
            with self._writing():
                self._store.flush(self._collection)
        self._unsettled = 0

    def _writing(self) -> AbstractContextManager[None]:
        """Nobody else writes meanwhile, where the server cannot bear two writers."""
        if self._store.single_writer:
            return self._catalog.exclusive(f"milvus:{self._collection}")
        return nullcontext()


def _row(held: HeldChunk) -> Row:
    return scalar_row(held.document, held.chunk)
