"""Begin: whether the index must be built anew; plan: which documents, in which batches."""

from __future__ import annotations

from indexing.catalog.differences import LiveDocument
from indexing.catalog.generations import Generation, GenerationState
from pipeline.artefacts import RunFolder
from pipeline.planning import balance
from pipeline.reindexing.dropping import discard
from pipeline.reindexing.locking import check_lock, take_lock
from pipeline.reindexing.request import Decision, Outcome, ReindexRequest, target_of, write_decision
from pipeline.services import Services
from rubrica.log import get_logger

_PAIRS_PER_CHUNK = 8  # sentences, roughly
_log = get_logger(__name__)


def begin(services: Services, run_id: str, request: ReindexRequest) -> bool:
    """Decide whether there is anything to build, and open the generation.

    A generation that a rebuild with the same settings has left is taken up again.

    Returns:
        Whether something is built.

    Raises:
        FatalError: Another rebuild is going on; the message names it.
        LockLostError: One began while this one loaded its models.
    """
    alias = services.settings.indexing.alias
    # A run that is started again must not be judged by what it decided first, whatever follows.
    RunFolder(services.workspace, run_id).delete()
    take_lock(services, run_id)
    live = services.catalog.generations.live(alias)
    decision = _decide(services, live, request, run_id) if live else Decision(Outcome.EMPTY)
    write_decision(services, run_id, decision)
    _log.info("rebuild decided", outcome=decision.outcome.value, drift=decision.drift)
    return decision.outcome is Outcome.BUILD


def _decide(services: Services, live: Generation, request: ReindexRequest, run_id: str) -> Decision:
    from indexing.generations import drift

    blueprint = services.blueprint
    changes = drift(live, blueprint)
    check_lock(services, run_id)
    begun = services.catalog.generations.building(live.alias)
    if begun is None or begun.config_sig != blueprint.config_sig:
        if not changes and not request.force:
            _give_up(services, begun)
            return Decision(Outcome.UP_TO_DATE)
        tried = None if request.force else _tried_before(services, live, blueprint.config_sig)
        if tried:
            return Decision(Outcome.TRIED_BEFORE, tried.id, drift=changes)
    return Decision(Outcome.BUILD, _open(services, live), request.gate, changes)


def _open(services: Services, live: Generation) -> int:
    from indexing.generations import begin as begin_generation

    with services.catalog.exclusive(f"generations:{live.alias}"):
        return begin_generation(
            live.alias, services.catalog, services.store, services.embedder, services.blueprint
        ).id


def _give_up(services: Services, begun: Generation | None) -> None:
    if begun is not None:
        discard(services, begun, note="The settings were put back before it was ready.")


def _tried_before(services: Services, live: Generation, config_sig: str) -> Generation | None:
    """A generation of the same settings that was refused, or rolled back from, since the live one is live.

    Otherwise a schedule would build it again every week.
    """
    since = live.live_at or live.created_at
    for generation in reversed(services.catalog.generations.all(live.alias)):
        given_up = generation.state in {GenerationState.REFUSED, GenerationState.SOAKING}
        if given_up and generation.config_sig == config_sig and (generation.ended_at or since) >= since:
            return generation
    return None


def plan(services: Services, run_id: str) -> list[str]:
    """Spread the documents that are to do over batches of about equal cost.

    Returns:
        Keys of the batches; one that is empty when there is nothing to do.
    """
    target = target_of(services, run_id)
    todo = behind(services, target)
    limits, folder = services.settings.ingest, RunFolder(services.workspace, run_id)
    weights = [1 + _PAIRS_PER_CHUNK * document.chunk_count for document in todo]
    batches = balance(todo, weights, batch_weight=limits.batch_pairs, max_batches=limits.max_batches)
    _log.info("rebuild planned", collection=target.collection, documents=len(todo), batches=len(batches))
    return [
        folder.write(f"converge/{number:04}.json", [document.id for document in batch])
        for number, batch in enumerate(batches or [[]])
    ]


def behind(services: Services, target: Generation) -> list[LiveDocument]:
    """Documents that a generation does not hold as the live one does."""
    live = services.catalog.generations.live(target.alias)
    if live is None:
        return []
    return services.catalog.differences.behind(live.id, target.id, services.at(target).config_sig)
