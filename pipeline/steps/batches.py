"""What the three steps of a batch begin with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pipeline.artefacts import ExtractedDocument, Plan, RunFolder, batch_number
from pipeline.locking import Lease, keep_alive
from pipeline.services import Services
from rubrica.errors import FatalError


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch, its run and the plan that it is part of.

    Attributes:
        folder: The run's artefacts.
        plan: The run's plan.
        number: Name of the batch.
        lease: The lock of the source.
    """

    folder: RunFolder
    plan: Plan
    number: str
    lease: Lease

    def chunks_key(self, document_id: str) -> str:
        """Where the chunks of a document of this batch lie."""
        return self.folder.key(f"chunks/{self.number}/{document_id}.jsonl")


@contextmanager
def open_batch(services: Services, run_id: str, batch_key: str) -> Iterator[OpenBatch]:
    """Open a batch and hold the lock of its source while the block runs.

    Raises:
        FatalError: Another index went live since the plan was made.
        LockLostError: The run no longer has the lock.
    """
    folder = RunFolder(services.workspace, run_id)
    plan = folder.read_plan()
    check_generation(services, plan)
    with holding(services, plan.source, run_id) as lease:
        yield OpenBatch(folder, plan, batch_number(batch_key), lease)


@contextmanager
def holding(services: Services, source: str, run_id: str) -> Iterator[Lease]:
    """Go on only with the lock of a source that the run has taken, and keep it while the block runs.

    Raises:
        LockLostError: The run no longer has it: what it planned may undo what another run has done since.
    """
    locks, ttl_s = services.catalog.locks, services.lock_ttl_s
    with keep_alive(locks, [source], run_id, ttl_s=ttl_s) as lease:
        lease.renew()
        yield lease


def check_generation(services: Services, plan: Plan) -> None:
    """Make sure that the plan is carried out on the index that it was made for.

    Raises:
        FatalError: Another index went live meanwhile: the run lost its lock, or was started again.
    """
    if services.generation.id != plan.generation:
        raise FatalError(
            f"Another index went live while the source {plan.source!r} was ingested.",
            hint=f"`rubrica ingest {plan.source}` brings it up to date.",
        )


def read_extracted(services: Services, batch_key: str) -> list[ExtractedDocument]:
    """The documents of a batch that was extracted."""
    return [ExtractedDocument(**item) for item in services.workspace.read_json(batch_key)]
