"""The words of the pages, in the reader's language: one file of messages a language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

LANGUAGES = ("en", "ru")
_FOLDER = Path(__file__).with_name("messages")

Message = str | list[str]
"""A text with ``{names}``, or its forms by number: English one and many, Russian one, few and many."""


@cache
def messages(language: str) -> Mapping[str, Message]:
    """Every message of a language by its key."""
    found: dict[str, Message] = json.loads((_FOLDER / f"{language}.json").read_text("utf-8"))
    return found


class Texts:
    """Looks messages up.

    Args:
        language: One of ``LANGUAGES``.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._messages = messages(language)

    def __call__(self, key: str, **values: object) -> str:
        """The message of a key with its values filled in; ``n`` chooses the form of one that has forms."""
        message = self._messages[key]
        if isinstance(message, list):
            number = values["n"]
            message = message[plural(self.language, number if isinstance(number, int) else 0)]
        filled = any(isinstance(value, Markup) for value in values.values())
        return (escape(message) if filled else message).format(**values)

    def get(self, key: str, otherwise: str, **values: object) -> str:
        """The message of a key that may be missing: a stage or state that is newer than the messages."""
        return self(key, **values) if key in self._messages else otherwise

    def below(self, prefix: str) -> dict[str, Message]:
        """Messages whose keys begin with ``prefix``, without it: what scripts say."""
        return {
            key.removeprefix(prefix): text for key, text in self._messages.items() if key.startswith(prefix)
        }


def plural(language: str, number: int) -> int:
    """Which form a number takes, as Unicode's CLDR has it."""
    if language != "ru":
        return int(number != 1)
    tens, ones = number % 100, number % 10
    if ones == 1 and tens != 11:
        return 0
    return 1 if 2 <= ones <= 4 and not 12 <= tens <= 14 else 2


def language_of(asked: str, remembered: str, accepted: str) -> str:
    """The language of a reader.

    Args:
        asked: What the address asks for.
        remembered: What was asked for before.
        accepted: The header ``Accept-Language``.
    """
    for wanted in (asked, remembered, *_by_weight(accepted)):
        if wanted in LANGUAGES:
            return wanted
    return LANGUAGES[0]


def _by_weight(accepted: str) -> list[str]:
    """Languages that a browser accepts, without their regions, best first."""
    weighed = []
    for item in accepted[:500].split(","):
        name, _, weight = item.partition(";q=")
        try:
            weighed.append((-float(weight or 1), name.strip().lower().partition("-")[0]))
        except ValueError:
            continue
    return [name for _, name in sorted(weighed, key=lambda pair: pair[0])]
