"""Hostile text, made harmless for a line of any message: documents, commits and alerts say what they like."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, urlsplit

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_SAFE_IN_URL = "/:?#@!$&*+,;=%~.-_"
_STOP = re.compile(r"(?<=[.!?…])\s+")


def one_line(text: object, limit: int = 300) -> str:
    """Text as one line that shows what it says.

    Line breaks become blanks; what steers a terminal, hides or turns the order of letters is left out.

    Args:
        text: Anything.
        limit: Most characters.
    """
    words = " ".join(str(text).split())
    shown = "".join(letter for letter in words if unicodedata.category(letter) not in _HIDDEN)
    return shortened(shown, limit)


def numbered(line: str, alarm_id: int) -> str:
    """A command of an alarm with the alarm's number for ID; a set or source may be called anything."""
    return re.sub(r"^(rubrica alarms [a-z]+) ID$", rf"\g<1> {alarm_id}", line)


def shortened(text: str, limit: int) -> str:
    """Text that is cut between two words, with a mark, where it is too long.

    A word that fills more than half of it is cut itself.

    Args:
        text: A line.
        limit: Most characters.
    """
    if len(text) <= limit:
        return text
    blank = text.rfind(" ", limit // 2, limit)
    return text[: blank if blank > 0 else limit - 1].rstrip() + "…"


def headline(text: str, limit: int) -> tuple[str, str]:
    """The first sentences of a text that fit, and what they leave out.

    Where not even the first one fits, it is cut, and all of the text is what it leaves out.

    Args:
        text: A line.
        limit: Most characters of the first part.
    """
    if len(text) <= limit:
        return text, ""
    stops = [stop for stop in _STOP.finditer(text) if stop.start() <= limit]
    if not stops:
        return shortened(text, limit), text
    return text[: stops[-1].start()], text[stops[-1].end() :]


def sentence(text: object) -> str:
    """Text that ends as a sentence does; empty where there is none."""
    words = str(text).strip()
    return words if not words or words[-1] in ".!?…" else f"{words}."


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
