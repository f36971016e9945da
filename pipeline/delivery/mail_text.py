"""Letters: HTML that the template escapes, so that foreign text stays text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from jinja2 import Environment, StrictUndefined, Template

from pipeline.delivery.facts import Facts


@dataclass(frozen=True, slots=True)
class Letter:
    """An e-mail."""

    subject: str
    html: str
    headers: MappingProxyType[str, str]


def letter(said: Facts) -> Letter:
    """The letter of an alarm.

    The same message always has the same id, so that a mail server or reader that gets it twice shows it once;
    those of one cause are a thread.
    """
    thread = f"<{said.label}@rubrica.invalid>"
    headers = {
        "Message-ID": f"<{said.label}.{said.mark}@rubrica.invalid>",
        "In-Reply-To": thread,
        "References": thread,
        "Auto-Submitted": "auto-generated",
    }
    parts = (("Alerts", said.holders), ("Labels that are stale", said.stale), ("What changed", said.changes))
    return Letter(said.title, _template().render(said=said, parts=parts), MappingProxyType(headers))


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    source = files("pipeline").joinpath("delivery/assets/mail.html").read_text(encoding="utf-8")
    return environment.from_string(source)
