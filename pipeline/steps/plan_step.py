"""Plan: name the documents, move what only moved, spread the rest over batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.artefacts import Plan, PlannedDocument, RunFolder, write_batch
from pipeline.planning import balance, estimate_pairs
from pipeline.services import Services
from pipeline.steps.batches import holding
from rubrica.log import get_logger
from rubrica.model import Move, SourceFile

_log = get_logger(__name__)


def plan(services: Services, run_id: str, delta_key: str) -> list[str]:
    """Turn a delta into batches of about equal cost.

    Moves are done here: a rename changes one row and embeds nothing.

    Args:
        services: Open services.
        run_id: The run.
        delta_key: Key that ``detect`` returned.

    Returns:
        Keys of the batches; none when there is nothing to index.

    Raises:
        LockLostError: Another run took the source over.
    """
    delta = services.workspace.read_json(delta_key)
    with holding(services, delta["source"], run_id):
        made = _make(services, delta)
        folder = RunFolder(services.workspace, run_id)
        folder.write_plan(made)
        return _write_batches(services, folder, made)


def _make(services: Services, delta: Mapping[str, Any]) -> Plan:
    generation, source, catalog = services.generation.id, delta["source"], services.catalog
    removed = catalog.documents.ids_by_path(source, delta["removed"])
    moves = [Move(item["old_path"], SourceFile(**item["file"])) for item in delta["moved"]]
    catalog.documents.move(generation, source, moves)
    return Plan(
        source=source,
        revision=delta["revision"],
        generation=generation,
        config_sig=services.config_sig,
        documents=_name_documents(services, delta),
        removed=tuple(sorted({*removed.values(), *catalog.indexed.orphans(generation, source)})),
    )


def _name_documents(services: Services, delta: Mapping[str, Any]) -> tuple[PlannedDocument, ...]:
    files = [SourceFile(**item) for item in (*delta["added"], *delta["changed"])]
    ids = services.catalog.documents.register(delta["source"], [file.path for file in files])
    return tuple(PlannedDocument(ids[file.path], file.path, file.mark, file.size) for file in files)


def _write_batches(services: Services, folder: RunFolder, made: Plan) -> list[str]:
    limits = services.settings.ingest
    weights = [estimate_pairs(document.path, document.size) for document in made.documents]
    batches = balance(
        made.documents, weights, batch_weight=limits.batch_pairs, max_batches=limits.max_batches
    )
    _log.info("planned", documents=len(made.documents), batches=len(batches), removals=len(made.removed))
    return [write_batch(folder, "batches", f"{number:04}", batch) for number, batch in enumerate(batches)]
