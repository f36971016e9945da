"""How a step sets a bad document aside."""

from __future__ import annotations

from pipeline.artefacts import ExtractedDocument, Plan, PlannedDocument
from pipeline.services import Services
from rubrica.errors import EmptyDocumentError, PoisonDocumentError, RubricaError
from rubrica.log import get_logger
from rubrica.model import Failure, Stage

_log = get_logger(__name__)


def set_aside(
    services: Services,
    run_id: str,
    made: Plan,
    document: PlannedDocument | ExtractedDocument,
    *,
    error: RubricaError,
    stage: Stage,
) -> None:
    """Put a document on the dead-letter list.

    A poisoned document is not tried again until it changes or somebody asks; what its last good
    version left in the index stays searchable. One that was emptied counts as done only when ``index``
    has taken its old chunks out.
    """
    failure = Failure(made.source, document.path, stage, type(error).__name__, error.reason, error.hint)
    services.catalog.failures.record(failure, document_id=document.id, run_id=run_id)
    if isinstance(error, PoisonDocumentError) and not isinstance(error, EmptyDocumentError):
        services.catalog.indexed.mark_failed(
            services.generation.id, document.id, mark=document.mark, config_sig=made.config_sig
        )
    _log.info("document set aside", path=document.path, error=failure.error, reason=failure.reason)
