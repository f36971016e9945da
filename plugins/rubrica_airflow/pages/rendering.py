"""Templates, filled in the reader's language; whatever a document says is text and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipeline.delivery.words import numbered, web_address
from pipeline.plots.visible import one_line, visible
from rubrica_airflow.pages.texts import LANGUAGES, Texts, language_of

FOLDER = Path(__file__).parent
LANGUAGE_COOKIE = "rubrica_lang"
_YEAR_S = 365 * 24 * 3600


def render(request: Request, page: str, values: Mapping[str, Any], *, status: int = 200) -> HTMLResponse:
    """A page.

    Args:
        request: What asked for it.
        page: Name of the template, without suffix.
        values: What it shows.
        status: Of the answer.
    """
    texts = texts_of(request)
    base = request.scope.get("root_path", "")
    common = {
        "t": texts,
        "lang": texts.language,
        "languages": LANGUAGES,
        "base": base,
        "page": page,
        "airflow": request.app.state.airflow_root,
        "asset": lambda name: f"{base}/static/{name}?v={_version()}",
        "here": lambda **changed: _here(request, base, changed),
    }
    html = _templates().get_template(f"{page}.html").render({**common, **values})
    answer = HTMLResponse(html, status)
    if request.query_params.get("lang") in LANGUAGES:
        answer.set_cookie(LANGUAGE_COOKIE, texts.language, max_age=_YEAR_S, path=base or "/", samesite="lax")
    return answer


def texts_of(request: Request) -> Texts:
    """The messages in the reader's language."""
    return Texts(
        language_of(
            request.query_params.get("lang", ""),
            request.cookies.get(LANGUAGE_COOKIE, ""),
            request.headers.get("accept-language", ""),
        )
    )


def _here(request: Request, base: str, changed: Mapping[str, str | int]) -> str:
    """The address of this page with some parameters changed; empty ones go."""
    values = {**request.query_params, **{name: str(value) for name, value in changed.items()}}
    query = urlencode({name: value for name, value in values.items() if value})
    path = request.url.path.removeprefix(base)
    return f"{base}{quote(path)}" + (f"?{query}" if query else "")


@cache
def _version() -> str:
    """Changes with any of the static files, so that browsers may keep them for long."""
    content = b"".join(file.read_bytes() for file in sorted((FOLDER / "static").iterdir()))
    return hashlib.sha256(content).hexdigest()[:12]


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        one_line=one_line, moment=_moment, numbered=numbered, short=_short, web_address=web_address
    )
    return environment


def _shown(value: object) -> object:
    """Whatever a template prints: text that came from anywhere without its reordering marks."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _moment(value: datetime | None) -> Markup:
    """A moment, which a script turns into the reader's own time."""
    if value is None:
        return Markup("<span class=faint>—</span>")
    utc = value.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        utc.isoformat(timespec="seconds"), utc.strftime("%Y-%m-%d %H:%M UTC")
    )


def _short(revision: str) -> str:
    """A revision as people read it."""
    return revision[:10]
