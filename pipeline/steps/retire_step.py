"""Retire: take what is gone from the source out of the index."""

from __future__ import annotations

from pipeline.artefacts import Plan, RunFolder
from pipeline.converging import followers
from pipeline.services import Services
from pipeline.steps.batches import check_generation, holding
from pipeline.steps.index_step import sum_writes
from rubrica.log import get_logger
from rubrica.model import Stage, WriteStats

_log = get_logger(__name__)


def retire(services: Services, run_id: str) -> list[int]:
    """Remove the documents that the plan names; without a plan, nothing.

    It runs whatever became of the batches: a document that is gone must not be found because another
    one could not be indexed.

    Returns:
        Ids of the generations that the run must be mirrored to.

    Raises:
        LockLostError: Another run took the source over.
    """
    folder = RunFolder(services.workspace, run_id)
    if not folder.has("plan.json"):
        _log.info("nothing is retired, because the run has no plan")
        return []
    plan = folder.read_plan()
    check_generation(services, plan)
    removed = _remove(services, run_id, plan)
    services.catalog.runs.add_counters(run_id, Stage.RETIRE, "", sum_writes(removed))
    return [generation.id for generation in followers(services)] if plan.changes else []


def _remove(services: Services, run_id: str, plan: Plan) -> list[WriteStats]:
    removed = []
    with holding(services, plan.source, run_id) as lease:
        for document in plan.removed:
            lease.renew()
            removed.append(services.writer.remove_document(document))
        services.writer.settle()
    return removed
