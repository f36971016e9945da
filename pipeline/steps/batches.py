"""What the three steps of a batch begin with."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.artefacts import ExtractedDocument, Plan, RunFolder, batch_number
from pipeline.services import Services


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
    """Open a batch and renew the lock of its source."""
    folder = RunFolder(services.workspace, run_id)
    plan = folder.read_plan()
    services.catalog.locks.refresh(plan.source, run_id, ttl_s=services.lock_ttl_s)
    return OpenBatch(folder, plan, batch_number(batch_key))


def read_extracted(services: Services, batch_key: str) -> list[ExtractedDocument]:
    """The documents of a batch that was extracted."""
    return [ExtractedDocument(**item) for item in services.workspace.read_json(batch_key)]
