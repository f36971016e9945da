"""Hostile text, made harmless for a line of any message: documents, commits and alerts say what they like."""

from __future__ import annotations

import unicodedata
from urllib.parse import quote, urlsplit

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_SAFE_IN_URL = "/:?#@!$&*+,;=%~.-_"


def one_line(text: object, limit: int = 300) -> str:
    """Text as one line that shows what it says.

    Line breaks become blanks; what steers a terminal, hides or turns the order of letters is left out.

    Args:
        text: Anything.
        limit: Most characters.
    """
    words = " ".join(str(text).split())
    shown = "".join(letter for letter in words if unicodedata.category(letter) not in _HIDDEN)
    return shown if len(shown) <= limit else shown[: limit - 1].rstrip() + "…"


def web_address(text: object) -> str:
    """An address that may be linked to, percent-encoded; empty where it is none of the web."""
    address = str(text).strip()
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.password:
        return ""
    return quote(address, safe=_SAFE_IN_URL)
