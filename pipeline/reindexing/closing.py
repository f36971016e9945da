"""Close: say how a rebuild ended, and let the next one begin."""

from __future__ import annotations

from typing import Any

from pipeline.artefacts import RunFolder
from pipeline.reindexing.locking import release_lock
from pipeline.reindexing.request import Decision, Outcome, read_decision, read_failures
from pipeline.services import Services
from pipeline.steps.runner import noted_errors
from rubrica.errors import RunFailedError


def close(services: Services, run_id: str) -> dict[str, Any]:
    """End a rebuild, whatever became of its tasks.

    Returns:
        The report.

    Raises:
        RunFailedError: A new index should be live and is not; the message says why.
    """
    decision = read_decision(services, run_id)
    RunFolder(services.workspace, run_id).delete("converge")
    release_lock(services, run_id)
    found = report(services, run_id, decision) if decision else {"state": "failed"}
    building = decision is None or decision.outcome is Outcome.BUILD
    if building and found["state"] != "live":
        reasons = noted_errors(services, run_id) or ["The rebuild did not end; see the logs of its tasks."]
        raise RunFailedError(" ".join(reasons), hint=_hint(found["state"]))
    return found


def _hint(state: str) -> str:
    return "`rubrica reindex` goes on from here." if state == "building" else ""


def report(services: Services, run_id: str, decision: Decision) -> dict[str, Any]:
    """A rebuild as ``rubrica reindex`` reports it."""
    generation = services.catalog.generations.get(decision.generation) if decision.generation else None
    sizes = services.catalog.generations.sizes(services.settings.indexing.alias)
    documents, chunks = sizes.get(decision.generation, (0, 0))
    failures = read_failures(services, run_id)
    return {
        "generation": generation.number if generation else None,
        "state": generation.state if generation else "unchanged",
        "outcome": decision.outcome.value,
        "drift": decision.drift,
        "documents": documents,
        "chunks": chunks,
        "failed": len(failures),
        "failures": failures,
        "note": generation.note if generation else "",
    }
