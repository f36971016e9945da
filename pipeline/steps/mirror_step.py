"""Mirror: bring what a run wrote to every other index that is kept up to date."""

from __future__ import annotations

from indexing.catalog.generations import Generation, GenerationState
from pipeline.artefacts import Plan, RunFolder
from pipeline.converging import converge
from pipeline.services import Services
from pipeline.steps.batches import check_generation, holding
from rubrica.errors import RubricaError
from rubrica.log import get_logger

_FOLLOWING = {GenerationState.BUILDING, GenerationState.SOAKING}
_log = get_logger(__name__)


def mirror(services: Services, run_id: str, generation_id: int) -> None:
    """Write the run's documents, and only these, to an index that is built or that soaks.

    The live index does not wait for it: trouble is told, and noted at the generation. Whatever is missing
    is made up for before that generation can go live.

    Args:
        services: Open services.
        run_id: The run.
        generation_id: One of those that ``retire`` named.

    Raises:
        LockLostError: Another run took the source over.
    """
    made = RunFolder(services.workspace, run_id).read_plan()
    check_generation(services, made)
    target = services.catalog.generations.get(generation_id)
    if target is not None and target.state in _FOLLOWING:
        with holding(services, made.source, run_id):
            _follow(services, made, target)


def _follow(services: Services, made: Plan, target: Generation) -> None:
    ids = [document.id for document in made.documents]
    try:
        done = converge(services, target, ids=ids, removed=made.removed)
    except RubricaError as error:
        _log.warning("not mirrored", collection=target.collection, reason=error.reason, hint=error.hint)
        services.catalog.generations.note(target.id, f"Behind since a run of {made.source!r}: {error.reason}")
        return
    if done.failed or done.missing:
        _log.warning("mirrored in part", collection=target.collection, failed=done.failed + done.missing)
