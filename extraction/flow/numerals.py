"""Numbers in Roman numerals and letters."""

from __future__ import annotations

_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_MAX_ROMAN = 3999
_MOST_REPEATS = 10
LATIN = "abcdefghijklmnopqrstuvwxyz"
RUSSIAN = "абвгдежзиклмнопрстуфхцчшщэюя"
"""Word's list of Russian letters: without ё, й, ъ, ы, ь."""


def roman(number: int) -> str:
    """A number in Roman numerals; in digits where they have no way to write it."""
    if not 0 < number <= _MAX_ROMAN:
        return str(number)
    text = ""
    for value, digits in _ROMAN:
        count, number = divmod(number, value)
        text += digits * count
    return text


def letters(number: int, alphabet: str) -> str:
    """A number as a letter; after the last one they are doubled: "aa", "bb"."""
    if number < 1:
        return str(number)
    repeats, index = divmod(number - 1, len(alphabet))
    return alphabet[index] * min(repeats + 1, _MOST_REPEATS)
