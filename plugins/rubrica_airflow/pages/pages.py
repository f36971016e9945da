"""The pages themselves."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from pipeline.pages import asking, charting, documents, failing, glance, measuring
from pipeline.services import Services
from rubrica.errors import ConfigurationError
from rubrica_airflow.pages import guards
from rubrica_airflow.pages.answers import missing
from rubrica_airflow.pages.rendering import render, texts_of

router = APIRouter(dependencies=[Depends(guards.reader)], default_response_class=HTMLResponse)

PageNumber = Annotated[int, Query(ge=1, le=100_000)]
Text = Annotated[str, Query(max_length=500)]


def opened(request: Request) -> Services:
    """The services behind the pages."""
    services: Services = request.app.state.backend.services
    return services


Opened = Annotated[Services, Depends(opened)]
MayTrigger = Annotated[bool, Depends(guards.may_trigger)]


@router.get("/")
def first_page(request: Request, services: Opened) -> HTMLResponse:
    """Is it right, is it fresh, what failed."""
    return render(request, "home", {"now": glance.glance(services)})


@router.get("/search")
def search_page(request: Request, services: Opened) -> HTMLResponse:
    """A question and its hits."""
    question = asking.Question.of(request.query_params)
    values: dict[str, Any] = {"question": question, "choices": asking.choices(services)}
    try:
        values["answer"] = asking.answer(services, question) if question.q else None
    except ConfigurationError as error:
        return render(request, "search", values | {"answer": None, "wrong": error}, status=400)
    return render(request, "search", values | {"wrong": None})


@router.get("/documents")
def documents_page(
    request: Request, services: Opened, source: Text = "", words: Text = "", page: PageNumber = 1
) -> HTMLResponse:
    """The documents of the live index."""
    found = documents.listing(services, source=source, words=words, page=page)
    names = [item.spec.name for item in services.catalog.sources.all()]
    return render(request, "documents", {"found": found, "sources": names, "source": source, "words": words})


@router.get("/documents/{document_id}")
def document_page(request: Request, services: Opened, document_id: str) -> HTMLResponse:
    """One document, its chunks and its history; its text is fetched by the page in stretches."""
    view = documents.view(services, document_id)
    if view is None:
        raise missing()
    return render(request, "document", {"view": view, "data": _data(request, view)})


@router.get("/chunks/{chunk_id}")
def chunk_page(request: Request, services: Opened, chunk_id: str) -> RedirectResponse:
    """A chunk in its document."""
    document_id = documents.place(services, chunk_id)
    if document_id is None:
        raise missing()
    base = request.scope.get("root_path", "")
    return RedirectResponse(f"{base}/documents/{document_id}#chunk-{chunk_id}", 303)


@router.get("/failures")
def failures_page(
    request: Request,
    services: Opened,
    *,
    may_retry: MayTrigger,
    source: Text = "",
    stage: Text = "",
    page: PageNumber = 1,
) -> HTMLResponse:
    """The documents that failed, and another try."""
    found = failing.failures(services, source=source, stage=stage, page=page)
    values = {"found": found, "source": source, "stage": stage, "may_retry": may_retry}
    return render(request, "failures", values | {"words": texts_of(request).below("js.")})


@router.get("/recall")
def recall_page(
    request: Request,
    services: Opened,
    set_: Annotated[str, Query(alias="set", max_length=200)] = "",
    evaluation: Annotated[int, Query(ge=0, le=2**62)] = 0,
) -> HTMLResponse:
    """How well questions are answered, over time and one by one."""
    view = measuring.recall_view(services, set_, evaluation)
    values = {
        "view": view,
        "chart": charting.chart(view.history, view.floor) if view.history else None,
        "picture": charting,
    }
    return render(request, "recall", values)


def _data(request: Request, view: documents.DocumentView) -> dict[str, Any]:
    """What the script draws: rows instead of objects, for there may be thousands."""
    base = request.scope.get("root_path", "")
    return {
        "text": f"{base}/api/documents/{view.info.id}/chunks",
        "stretch": documents.STRETCH,
        "limit": view.figures.limit,
        "least": view.figures.least,
        "chunks": [
            [chunk.id, chunk.end - chunk.start, chunk.tokens, chunk.page_from, _rounded(chunk.score)]
            for chunk in view.chunks
        ],
        "words": texts_of(request).below("js."),
    }


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 3)
