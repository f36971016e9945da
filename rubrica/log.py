"""Structured logs on standard error, with secrets taken out."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any, TypedDict

import structlog


class LogOptions(TypedDict):
    """How logs are shown; the arguments of ``configure_logging``."""

    json_lines: bool
    level: str


_chosen = LogOptions(json_lines=False, level="INFO")

_SECRET_KEY = re.compile(r"password|secret|token|authorization|api_?key", re.IGNORECASE)
_COUNT_KEY = re.compile(r"_?tokens$", re.IGNORECASE)
# The second form is for a password with a slash or the like: what stands behind the colon is no port. Every
# repetition ends at a slash or after a fixed length, so that no text takes long.
_LOGIN = re.compile(
    r"""(?<=://)(?!git@)(?:[^/?#\s"'<>]*|[^/?#\s"'<>:@\[]*:(?!\d*(?:[/?#\s"'<>,;).]|$))[^\s]{1,1000})@"""
)
_PARAMETER = re.compile(r"""([?&;#])([\w.%-]{1,64})=([^&;#\s"'<>]+)""")
_SECRET_PARAMETER = re.compile(
    r"password|passwd|passphrase|pwd|secret|token|signature|credential|authori[sz]ation|(?:api|access|private)key"
    r"|(?:^|[-_.])(?:key|sig|sas|jwt|auth)$",
    re.IGNORECASE,
)


def hide_secrets(text: str) -> str:
    """Replace the login of any URL in ``text``, and the values of parameters whose names speak of a secret.

    The user ``git`` is shown: it is that of every SSH address.
    """
    return _PARAMETER.sub(_shown_parameter, _LOGIN.sub("***@", text))


def _shown_parameter(found: re.Match[str]) -> str:
    separator, name, _ = found.groups()
    secret = _SECRET_PARAMETER.search(name) and not _COUNT_KEY.search(name)
    return f"{separator}{name}=***" if secret else found[0]


def _redact(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if _SECRET_KEY.search(key) and not _COUNT_KEY.search(key):
            event[key] = "***"
        elif isinstance(value, str):
            event[key] = hide_secrets(value)
    return event


def configure_logging(*, json_lines: bool = False, level: str = "INFO") -> None:
    """Send logs to standard error.

    Args:
        json_lines: One JSON object a line instead of text for people.
        level: Lowest level that is shown.
    """
    _chosen.update(LogOptions(json_lines=json_lines, level=level))
    renderer: structlog.types.Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if json_lines
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            _redact,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        # Looked up for every line: whoever replaces or closes standard error must not break a log.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def logging_options() -> LogOptions:
    """What this process chose, for those that it starts: a fresh process would log to standard output."""
    return LogOptions(**_chosen)


def get_logger(name: str) -> Any:
    """A structured logger; call it with an event and fields: ``log.info("indexed", path=path)``."""
    return structlog.get_logger(component=name)
