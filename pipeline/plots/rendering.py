"""Self-contained pages: one file without a request to anywhere, whatever the document holds."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from pipeline.plots.visible import one_line, visible

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")


def render(page: str, values: Mapping[str, Any]) -> str:
    """A page: its template, its style and its script in one text.

    Everything is escaped by the template engine; scripts and styles run by their digests alone, so that
    nothing that stands in a document can become one.

    Args:
        page: Name of the template and of its script, without suffix.
        values: What the template shows; ``data`` is handed to the script as JSON.
    """
    style = _asset("page.css")
    script = _asset("common.js") + _asset(f"{page}.js")
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    # Both come with the program, not from a document.
    code: dict[str, Any] = {"style": Markup(style), "script": Markup(script), "policy": policy}  # noqa: S704
    return _templates().get_template(f"{page}.html").render({**values, **code})


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _asset(name: str) -> str:
    return (files("pipeline.plots") / "assets" / name).read_text("utf-8")


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("pipeline.plots", "assets"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(one_line=one_line, signed=_signed, paragraphs=_paragraphs)
    return environment


def _shown(value: object) -> object:
    """Whatever a template prints: text that came from anywhere without its reordering marks."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _paragraphs(text: str) -> Markup:
    """Text whose blank lines are small gaps."""
    return Markup("<u></u>").join(_BLANK_LINES.split(visible(text)))


def _signed(score: float) -> str:
    """A score with two decimals and a true minus sign."""
    return f"{score:.2f}".replace("-", "−")
