"""What every text goes through before it leaves extraction."""

from __future__ import annotations

import re
import unicodedata

_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NUL_BETWEEN_WORDS = re.compile(r"(?<=\S)\x00+(?=\S)")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff]")
_NEWLINE = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile(r"[^\S\n]+")


def _join_pair(match: re.Match[str]) -> str:
    return match.group().encode("utf-16", "surrogatepass").decode("utf-16")


def clean(text: str) -> str:
    r"""Make text safe to store, hash and send.

    Newlines become ``\n``, surrogate halves are joined or replaced by U+FFFD, a NUL between words
    becomes a space, other control characters go, and the result is in NFC.
    """
    text = _NEWLINE.sub("\n", text)
    text = _NUL_BETWEEN_WORDS.sub(" ", text)
    text = _SURROGATE_PAIR.sub(_join_pair, text)
    text = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    text = _CONTROL.sub("", text)
    return unicodedata.normalize("NFC", text)


def clean_line(text: str) -> str:
    """Clean text and fold every run of white space, newlines included, to one space."""
    return " ".join(clean(text).split())


def clean_block(text: str) -> str:
    """Clean text, fold spaces inside its lines and drop blank lines at both ends."""
    lines = (_SPACES.sub(" ", line).strip() for line in clean(text).split("\n"))
    return "\n".join(lines).strip("\n")
