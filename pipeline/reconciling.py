"""Reconcile: PostgreSQL against Milvus, in every generation that somebody reads or writes.

Nothing is removed before the removal guard has seen how much it would be, in all generations.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

from pipeline.holding import CheckedStore, hold_source
from pipeline.locking import here_owner
from pipeline.services import Services
from rubrica.errors import ConfigurationError, RemovalGuardError, TransientError
from rubrica.log import get_logger
from rubrica.protocols import NoProgress, Progress

if TYPE_CHECKING:
    from indexing.catalog.generations import Generation
    from indexing.reconcile import Reconciler, Repair, Survey

_AGAIN = "`rubrica reconcile` goes on from here."
_log = get_logger(__name__)

OnRepair = Callable[["Repair", int], None]
"""Called with a repair and the number of its generation."""


@dataclass(frozen=True, slots=True)
class ReconcileRequest:
    """The parameters of a reconciliation.

    Attributes:
        source: Only rows of this source; empty: of all.
        generation: Only the generation of this number; 0: all that are live, soaking or being built.
        dry_run: Report only.
        allow_removals: Go on where the removal guard would stop.
    """

    source: str = ""
    generation: int = 0
    dry_run: bool = False
    allow_removals: bool = False

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Self:
        """Read the parameters of a DAG run."""
        return cls(
            str(params.get("source") or ""),
            int(params.get("generation") or 0),
            bool(params.get("dry_run")),
            bool(params.get("allow_removals")),
        )


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What was compared, and what was wrong.

    Attributes:
        generations: Numbers of the generations that were compared.
        chunks: Chunks that PostgreSQL knows of them.
        rows: Rows that Milvus holds of them.
        found: Rows that were wrong, by kind of trouble.
        guarded: Sources of which more would be removed than the guard allows; only in a dry run.
        busy: Sources that were left alone because a run worked on them.
        dry_run: Nothing was changed.
        seconds: How long it took.
    """

    generations: tuple[int, ...]
    chunks: int
    rows: int
    found: Mapping[str, int]
    guarded: tuple[str, ...]
    busy: tuple[str, ...]
    dry_run: bool
    seconds: float

    @property
    def clean(self) -> bool:
        """Whether nothing was wrong."""
        return not any(self.found.values())

    def as_dict(self) -> dict[str, Any]:
        """As ``rubrica reconcile --json`` reports it."""
        from indexing.reconcile import Trouble

        values = asdict(self)
        counts = values.pop("found")
        return {kind.value: counts.get(kind.value, 0) for kind in Trouble} | {"clean": self.clean} | values


@dataclass(slots=True)
class _Tally:
    """What was seen so far."""

    report: OnRepair
    found: Counter[str] = field(default_factory=Counter)

    def note(self, repair: Repair, number: int) -> None:
        self.found[repair.kind.value] += repair.count
        _log.info("reconciled", generation=number, **asdict(repair))
        self.report(repair, number)


def reconcile(
    services: Services,
    request: ReconcileRequest,
    report: OnRepair = lambda *_: None,
    progress: Progress | None = None,
) -> Reconciled:
    """Compare and mend.

    Args:
        services: Open services.
        request: What to compare.
        report: Hears of everything that was wrong.
        progress: Advanced by one for every row that was read on either side.

    Raises:
        ConfigurationError: There is no such source or generation.
        RemovalGuardError: Too much would be removed; nothing has been changed yet.
        GenerationMismatchError: A chunk is missing, and the embedder of its generation is another one now.
        LockLostError: A run took a source over while it was mended; what was mended until then stays so.
        TransientError: A service does not answer, or a run works on a source all the time; the other
            sources are mended.
    """
    begun = time.monotonic()
    tally = _Tally(report)
    generations = _generations(services, request)
    reconcilers = [
        _reconciler(services, request, generation, tally, progress or NoProgress())
        for generation in generations
    ]
    surveys = [item.survey() for item in reconcilers]
    guarded = _guard(services, request, generations, surveys)
    for item, survey in zip(reconcilers, surveys, strict=True):
        item.mend(survey)
    done = Reconciled(
        generations=tuple(generation.number for generation in generations),
        chunks=sum(services.catalog.audit.count(item.id, request.source or None) for item in generations),
        rows=sum(survey.rows.total() for survey in surveys),
        found=dict(tally.found),
        guarded=guarded,
        busy=tuple(sorted(set().union(*(item.busy for item in reconcilers)))),
        dry_run=request.dry_run,
        seconds=time.monotonic() - begun,
    )
    _log.info("reconciliation ended", **done.as_dict())
    return done


def check_busy(done: Reconciled) -> None:
    """Make sure that every source was looked at.

    Raises:
        TransientError: A run worked on some of them all the time.
    """
    if done.busy:
        names = ", ".join(map(repr, done.busy))
        raise TransientError(
            f"A run is still working on {names}; what looks wrong there was left alone.",
            hint="Run `rubrica reconcile` again when it has ended, or raise RUBRICA_LOCK_TIMEOUT_S.",
        )


def run(request: ReconcileRequest) -> dict[str, Any]:
    """Reconcile as a task of its own; returns the report."""
    with Services() as services:
        done = reconcile(services, request)
    check_busy(done)
    return done.as_dict()


def _generations(services: Services, request: ReconcileRequest) -> list[Generation]:
    from indexing.reconcile import OPEN
    from pipeline.searching import check_source

    check_source(services, request.source or None)
    alias = services.settings.indexing.alias
    known = services.catalog.generations.all(alias)
    if not request.generation:
        return [generation for generation in known if generation.state in OPEN]
    for generation in known:
        if generation.number == request.generation:
            if generation.state in OPEN:
                return [generation]
            raise ConfigurationError(
                f"Generation {generation.number} of {alias!r} is {generation.state}; nobody uses it.",
                hint="`rubrica generations` lists those that are in use.",
            )
    raise ConfigurationError(
        f"There is no generation {request.generation} of {alias!r}.", hint="See `rubrica generations`."
    )


def _reconciler(
    services: Services, request: ReconcileRequest, generation: Generation, tally: _Tally, progress: Progress
) -> Reconciler:
    from indexing.reconcile import Reconciler

    bound = services.at(generation)
    owner = here_owner(f"reconcile__{secrets.token_hex(4)}")
    store, timeout_s = CheckedStore(services.store), services.settings.ingest.lock_timeout_s

    @contextmanager
    def hold(source: str) -> Iterator[bool]:
        with hold_source(services, source, owner, timeout_s=timeout_s, hint=_AGAIN) as store.lease:
            yield store.lease is not None

    return Reconciler(
        services.catalog,
        store.as_store(),
        lambda: bound.embedder,
        generation,
        hold,
        source=request.source or None,
        dry_run=request.dry_run,
        embed_batch=services.settings.indexing.embed_batch,
        report=lambda repair: tally.note(repair, generation.number),
        progress=progress,
    )


def _guard(
    services: Services,
    request: ReconcileRequest,
    generations: Sequence[Generation],
    surveys: Sequence[Survey],
) -> tuple[str, ...]:
    """Sources of which too much would be removed; an error unless nothing is removed, or all may be."""
    limit = services.settings.ingest.removal_guard
    over = {
        source: (generation.number, count, survey.rows[source])
        for generation, survey in zip(generations, surveys, strict=True)
        for source, count in survey.strays.items()
        if count > limit * survey.rows[source]
    }
    if over and not (request.dry_run or request.allow_removals):
        source, (number, count, rows) = min(over.items())
        raise RemovalGuardError(
            f"It would remove {count} of {rows} rows of the source {source!r} from generation {number},"
            f" more than RUBRICA_REMOVAL_GUARD allows ({limit:.0%}); nothing was changed.",
            hint="`rubrica reconcile --dry-run` shows which. If PostgreSQL is the one that lost them, ingest"
            " first; if they may go, run `rubrica reconcile --allow-removals`.",
        )
    return tuple(sorted(over))
