"""What the three steps of a batch begin with."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.artefacts import ExtractedDocument, Plan, RunFolder, batch_number
from pipeline.services import Services
from rubrica.errors import FatalError


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch, its run and the plan that it is part of.

    Attributes:
        folder: The run's artefacts.
        plan: The run's plan.
        number: Name of the batch.
    """

    folder: RunFolder
    plan: Plan
    number: str

    def chunks_key(self, document_id: str) -> str:
        """Where the chunks of a document of this batch lie."""
        return self.folder.key(f"chunks/{self.number}/{document_id}.jsonl")


def open_batch(services: Services, run_id: str, batch_key: str) -> OpenBatch:
    """Open a batch and renew the lock of its source.

    Raises:
        FatalError: Another index went live since the plan was made.
    """
    folder = RunFolder(services.workspace, run_id)
    plan = folder.read_plan()
    check_generation(services, plan)
    services.catalog.locks.refresh(plan.source, run_id, ttl_s=services.lock_ttl_s)
    return OpenBatch(folder, plan, batch_number(batch_key))


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
