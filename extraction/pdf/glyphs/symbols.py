"""Unicode for ligatures, stray Windows codes and the private-use characters of symbol fonts."""

from __future__ import annotations

import re

from extraction.flow.symbols import without_private

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
# Where the Western and the Cyrillic code page of Windows agree: dashes, quotation marks, an ellipsis.
_WINDOWS = {
    code: bytes([code]).decode("cp1252") for code in (*b"\x82\x84\x85\x8b\x99\x9b", *range(0x91, 0x98))
}
_COMMON = str.maketrans({**_LIGATURES, "\N{NO-BREAK SPACE}": " "}) | _WINDOWS
_PRIVATE = re.compile(r"[\uf020-\uf0ff]")
_SUBSET = re.compile(r"^[A-Z]{6}\+")
_SYMBOL_FONT = re.compile(r"symbol|dingbats|marlett|sorts", re.IGNORECASE)
# A font of any other name shifts plain letters into this range, or borrows a bullet.
_SHIFTED = {0xF000 + code: chr(code) for code in range(0x20, 0x7F)}
_BORROWED = {0xF0A7: "▪", 0xF0A8: "◦", 0xF0D8: "➢", 0xF0FC: "✓"}


def to_unicode(text: str, font: str) -> str:
    """Text with ligatures resolved and symbols in place of private-use characters, where they are known.

    Args:
        text: Text of a glyph.
        font: Name of its font, which decides what a private-use character shows.
    """
    text = text.translate(_COMMON)
    if not _PRIVATE.search(text):
        return text
    face = _SUBSET.sub("", font)
    if not _SYMBOL_FONT.search(face) and not face.casefold().startswith("wingdings"):
        text = text.translate(_SHIFTED).translate(_BORROWED)
    return without_private(text, face)
