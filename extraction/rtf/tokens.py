"""Cuts a Rich Text file into braces, control words and bytes of text (RTF 1.9.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?"
    rb"|\\'(?P<hex>[0-9a-fA-F]{2})"
    rb"|\\(?P<symbol>[^a-zA-Z'])"
    rb"|(?P<brace>[{}])"
    rb"|(?P<text>[^\\{}\r\n\x00]+)"
    rb"|[\r\n\x00]+|\\",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token; exactly one field besides ``number`` is filled.

    Attributes:
        word: A control word, or a control symbol such as "*" or "~".
        number: The number behind the word; ``None`` where there is none.
        text: Bytes of text in the current code page.
        brace: "{" or "}".
    """

    word: str = ""
    number: int | None = None
    text: bytes = b""
    brace: str = ""


_OPEN = Token(brace="{")
_CLOSE = Token(brace="}")


def tokens(content: bytes) -> Iterator[Token]:
    """The tokens of a file; binary data is passed over."""
    position = 0
    while match := _TOKEN.match(content, position):
        position = match.end()
        kind = match.lastgroup
        if kind == "brace":
            yield _OPEN if match["brace"] == b"{" else _CLOSE
        elif kind == "text":
            yield Token(text=match["text"])
        elif kind == "hex":
            yield Token(text=bytes([int(match["hex"], 16)]))
        elif kind == "symbol":
            yield Token(word=_SYMBOLS.get(match["symbol"], match["symbol"].decode("latin-1")))
        elif kind is not None:
            token = Token(match["word"].decode("ascii"), _number(match["number"]))
            if token.word == "bin":
                position += max(token.number or 0, 0)
            yield token


_SYMBOLS = {b"\n": "par", b"\r": "par"}


def _number(digits: bytes | None) -> int | None:
    return None if digits is None else int(digits)
