"""What the scripts of the pages ask for."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from pipeline.pages import documents, failing
from pipeline.plots.visible import visible
from rubrica.log import get_logger
from rubrica.model import Chunk
from rubrica_airflow.pages import guards
from rubrica_airflow.pages.pages import Opened

router = APIRouter(prefix="/api", dependencies=[Depends(guards.reader)])
_log = get_logger(__name__)


class Wanted(BaseModel):
    """A failed document."""

    model_config = ConfigDict(extra="forbid")

    source: Annotated[str, Field(max_length=100)]
    path: Annotated[str, Field(max_length=4096)]


class RetryRequest(BaseModel):
    """Failed documents to try again."""

    model_config = ConfigDict(extra="forbid")

    documents: Annotated[list[Wanted], Field(min_length=1, max_length=failing.LISTED)]


@router.get("/documents/{document_id}/chunks")
def chunks(
    services: Opened, document_id: str, first: Annotated[int, Query(ge=0, le=10_000_000)] = 0
) -> list[dict[str, Any]]:
    """A stretch of a document's chunks, with their texts."""
    return [shown(chunk) for chunk in documents.stretch(services, document_id, first)]


def shown(chunk: Chunk) -> dict[str, Any]:
    """A chunk as the document page shows it."""
    return {
        "id": chunk.id,
        "ordinal": chunk.ordinal,
        "body": visible(chunk.body),
        "clauses": [visible(clause) for clause in chunk.clauses],
        "headings": [visible(heading) for heading in chunk.heading_path],
        "kind": chunk.kind.value,
        "page_to": chunk.page_to,
    }


@router.post("/retry", dependencies=[Depends(guards.same_origin), Depends(guards.trigger)])
def retry(request: Request, services: Opened, asked: RetryRequest) -> dict[str, Any]:
    """Try failed documents again; answers with the runs that do."""
    wanted = [failing.FailedPath(item.source, item.path) for item in asked.documents]
    runs = failing.retry(services, wanted)
    _log.info("retry asked for", runs=[run.run_id for run in runs])
    root = request.app.state.airflow_root
    return {
        "runs": [
            {
                "source": run.source,
                "id": run.run_id,
                "state": run.state,
                "documents": run.documents,
                "url": f"{root}dags/ingest/runs/{run.run_id}",
            }
            for run in runs
        ]
    }


@router.get("/runs/{run_id}")
def run_state(
    services: Opened, run_id: Annotated[str, Path(max_length=250, pattern=r"^[A-Za-z0-9_.~:+-]+$")]
) -> dict[str, str]:
    """State of a run of ``ingest``."""
    return {"id": run_id, "state": failing.state_of(services, run_id)}
