"""What every text goes through before it leaves extraction."""

from __future__ import annotations

import re
import unicodedata

_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NUL_BETWEEN_WORDS = re.compile(r"(?<=\S)\x00+(?=\S)")
_CONTROL = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff]"
)
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][\w])")
_NEWLINE = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile(r"[^\S\n]+")
# Everything that the steps of ``clean`` look for; most texts hold none of it.
_DIRTY = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_SOFT_BREAK = re.compile(r"(?<=[^\W\d_])\u00ad[^\S\n]*\n\s*(?=[^\W\d_])")


def _join_pair(match: re.Match[str]) -> str:
    return match.group().encode("utf-16", "surrogatepass").decode("utf-16")


def clean(text: str) -> str:
    r"""Make text safe to store, hash and send.

    Newlines become ``\n``, surrogate halves are joined or replaced by U+FFFD, a NUL between words
    becomes a space, other control and invisible formatting characters go, and the result is in NFC.
    Soft hyphens stay, for a caller that joins lines; ``drop_soft_hyphens`` takes them out.
    """
    if _DIRTY.search(text) is None:
        return unicodedata.normalize("NFC", text)
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


def drop_soft_hyphens(text: str) -> str:
    """Join words that a soft hyphen breaks over two lines and drop all other soft hyphens."""
    return _SOFT_BREAK.sub("", text).replace("\u00ad", "") if "\u00ad" in text else text


def drop_terminal_codes(text: str) -> str:
    """Take out what colours text on a terminal or moves its cursor."""
    return _TERMINAL.sub("", text) if "\x1b" in text else text


def word_set(text: str) -> frozenset[str]:
    """The words of a string, for sets that read better as prose than as a list of quoted words."""
    return frozenset(text.split())
