"""Bytes that are UTF-8 in part: words of it beside words in another encoding."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Bytes that are not UTF-8, as ``surrogateescape`` decodes them.
_BROKEN = re.compile("[\udc80-\udcff]")
_WORD = re.compile("[A-Za-z\x80-\U0010ffff]+")
# What no other encoding makes by chance: three characters in a row, or an accented letter in a Latin word.
_SURELY_UTF8 = re.compile(
    "[\x80-\ud7ff\ue000-\U0010ffff]{3,}|(?<=[A-Za-z])[\u00c0-\u00ff]|[\u00c0-\u00ff](?=[A-Za-z])"
)
_BROKEN_PER_SURE = 100  # bytes to which a character of UTF-8 that is sure is no chance
_VALID_PER_BROKEN = 3  # characters that outweigh a broken byte: a word of UTF-8 that was damaged
_WHOLE_WORD = 4  # letters; shorter ones may be stray bytes


@dataclass(frozen=True, slots=True)
class Mixture:
    """A text with what of it is not UTF-8.

    Attributes:
        foreign: The words that are in another encoding, in order.
    """

    foreign: tuple[bytes, ...]
    _text: str

    @classmethod
    def of(cls, content: bytes) -> Mixture | None:
        """Tell the words apart; ``None`` where all are in one encoding, or those of another are too few."""
        text = content.decode("utf-8", "surrogateescape")
        sure = sum(len(found) for found in _SURELY_UTF8.findall(text))
        if sure == 0 or len(_BROKEN.findall(text)) > sure * _BROKEN_PER_SURE:
            return None
        foreign = tuple(_as_bytes(word) for word in _WORD.findall(text) if _is_foreign(word))
        if not any(len(word) >= _WHOLE_WORD for word in foreign):
            return None
        return cls(foreign, text)

    def decoded(self, codec: str) -> str:
        """The text with its foreign words read in an encoding; other broken bytes become U+FFFD."""

        def read(match: re.Match[str]) -> str:
            word = match[0]
            return _as_bytes(word).decode(codec, "replace") if _is_foreign(word) else word

        return _BROKEN.sub("\N{REPLACEMENT CHARACTER}", _WORD.sub(read, self._text))


def _is_foreign(word: str) -> bool:
    broken = len(_BROKEN.findall(word))
    if not broken:
        return False
    valid = sum(char > "\x7f" for char in word) - broken
    return broken * _VALID_PER_BROKEN > valid


def _as_bytes(word: str) -> bytes:
    return word.encode("utf-8", "surrogateescape")
