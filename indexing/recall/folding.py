"""A text by its letters and digits alone, with the way back to its offsets.

What another extraction of the same file changes is mostly what is left out here: blanks, hyphens at line
ends, quotation marks, dashes, the bars between cells of a table. Letters are folded besides: case, ё and е,
and letters of the Latin and Cyrillic alphabets that look alike and that OCR takes for each other.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np
import numpy.typing as npt

from indexing.recall.model import CharSpan

_CODE = "<u4"
# Lower case after upper: "H" and "h" must stay one letter.
_ALIKE = dict(zip("abcehkmoptxyё", "авсенкмортхуе", strict=True))


class Folded:
    """The letters and digits of a text, folded.

    Attributes:
        letters: One character for each that counts.
        offsets: Of each its offset in the text as it was.
    """

    def __init__(self, text: str) -> None:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), _CODE)
        table = np.zeros(int(codes.max(initial=0)) + 1, _CODE)
        for code in np.flatnonzero(np.bincount(codes)):
            table[code] = _folded(int(code))
        folded = table[codes]
        self.offsets: npt.NDArray[np.int64] = np.flatnonzero(folded).astype(np.int64)
        self.letters = str(folded[self.offsets].tobytes().decode("utf-32-le"))

    def span(self, place: int, length: int) -> CharSpan:
        """Offsets in the text of ``length`` letters from the one at ``place``; there must be one."""
        return int(self.offsets[place]), int(self.offsets[place + length - 1]) + 1

    def place(self, offset: int) -> int:
        """How many letters stand before an offset of the text."""
        return int(np.searchsorted(self.offsets, offset))

    def opens_word(self, place: int) -> bool:
        """Whether the letter at ``place`` is the first of its word."""
        return place == 0 or bool(self.offsets[place] > self.offsets[place - 1] + 1)

    def ends_word(self, place: int) -> bool:
        """Whether the letter at ``place`` is the last of its word."""
        return place + 1 >= len(self.offsets) or bool(self.offsets[place + 1] > self.offsets[place] + 1)


def fold(text: str) -> str:
    """The folded letters and digits of a quote."""
    return Folded(unicodedata.normalize("NFC", text)).letters


@cache
def _folded(code: int) -> int:
    """Code point that a character is compared by; 0 where it is not compared."""
    character = chr(code)
    if not character.isalnum():
        return 0
    lower = character.lower()
    return ord(_ALIKE.get(lower, lower)) if len(lower) == 1 else code
