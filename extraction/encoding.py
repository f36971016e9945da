"""Bytes to text, without mojibake.

The order of trust: byte order mark, strict UTF-8, UTF-16 without a mark, the file's own declaration
(HTML ``meta``, XML declaration), then the candidate encoding whose letters look most like language.
"""

from __future__ import annotations

import codecs
import math
import re

import charset_normalizer

from rubrica.errors import CorruptDocumentError
from rubrica.log import get_logger

_log = get_logger(__name__)

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARATION = re.compile(
    rb"""<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]+)|<meta[^>]{0,500}\bcharset\s*=\s*["']?\s*([\w.:-]+)""",
    re.IGNORECASE,
)
_DECLARED_WITHIN = 4096
_SAMPLE = 65536
_HIGH_BYTES = b"\x00\x04\x20"  # Latin, Cyrillic, punctuation
_HIGH = bytes(range(0x80, 0x100))
_ALIASES = {
    "x-mac-cyrillic": "mac_cyrillic",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
}

_CYRILLIC = ("cp1251", "koi8_r", "cp866", "mac_cyrillic", "iso8859_5")
# Letters of Russian prose in percent (Lyashevskaya, Sharov: Frequency dictionary, 2009).
_RUSSIAN = {
    "о": 10.97, "е": 8.45, "а": 8.01, "и": 7.35, "н": 6.70, "т": 6.26, "с": 5.47, "р": 4.73, "в": 4.54,
    "л": 4.40, "к": 3.49, "м": 3.21, "д": 2.98, "п": 2.81, "у": 2.62, "я": 2.01, "ы": 1.90, "ь": 1.74,
    "г": 1.70, "з": 1.65, "б": 1.59, "ч": 1.44, "й": 1.21, "х": 0.97, "ж": 0.94, "ш": 0.73, "ю": 0.64,
    "ц": 0.48, "щ": 0.36, "э": 0.32, "ф": 0.26, "ъ": 0.04, "ё": 0.04,
}  # fmt: skip
_GAIN = {letter: max(math.log(share / 100 * len(_RUSSIAN)), -0.5) for letter, share in _RUSSIAN.items()}
_TYPOGRAPHY = frozenset("«»—–„“”‘’…№§°©®\u00a0±·×•")
_WESTERN = (
    frozenset("àâäáãåæçèéêëìíîïñòóôöõøœùúûüßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØŒÙÚÛÜ¡¿ªº£€¥¹²³½¼¾µ´¶™¢") | _TYPOGRAPHY
)
_OTHER_CYRILLIC = re.compile("[\u0400-\u04ff]")
# Of all files in single-byte Cyrillic, those in windows-1251 are by far the most: what a few letters
# must outweigh, and many easily do.
_PRIOR = {"cp1251": 1.0}
_ENOUGH_LETTERS = 10  # to overrule what a file says of itself
_TRUSTED = 0.2  # mean gain per character from which a decoding counts as Russian


def decode(content: bytes) -> str:
    """Decode a text file.

    Args:
        content: The whole file.

    Raises:
        CorruptDocumentError: The bytes are not text in any encoding that can be told.
    """
    for attempt in (_by_mark, _as_utf8, _as_utf16, _as_declared, _as_damaged_utf8, _as_guessed):
        text = attempt(content)
        if text is not None:
            return text
    raise CorruptDocumentError(
        "The text is in an encoding that cannot be told.", hint="Save the file as UTF-8."
    )


def has_byte_order_mark(content: bytes) -> bool:
    """Whether the content opens with the mark of a Unicode encoding."""
    return content.startswith(tuple(mark for mark, _ in _BOMS))


def looks_like_utf16(content: bytes) -> bool:
    """Whether content without a byte order mark is UTF-16 all the same."""
    return _utf16_codec(content) is not None


def _by_mark(content: bytes) -> str | None:
    for mark, codec in _BOMS:
        if content.startswith(mark):
            return content.decode(codec, "replace")
    return None


def _try(content: bytes, codec: str) -> str | None:
    try:
        return content.decode(codec)
    except (LookupError, UnicodeError):
        return None


def _as_utf8(content: bytes) -> str | None:
    if b"\x1b" in content[:_SAMPLE] and _declared(content):
        return None  # seven-bit encodings with escapes, such as ISO-2022-JP, are valid UTF-8 too
    if looks_like_utf16(content):
        return None
    return _try(content, "utf-8")


def _utf16_codec(content: bytes) -> str | None:
    """UTF-16 of Latin and Cyrillic text has every other byte from only a few values."""
    sample = content[: _SAMPLE & ~1]
    for high, codec in ((sample[1::2], "utf-16-le"), (sample[::2], "utf-16-be")):
        other = len(high.translate(None, _HIGH_BYTES))
        if high and other * 10 <= len(high) and _is_plain(sample[: len(high) * 2].decode(codec, "replace")):
            return codec
    return None


def _is_plain(text: str) -> bool:
    return sum(char.isspace() or "\x20" <= char < "\u0530" for char in text) > 0.9 * len(text)


def _as_utf16(content: bytes) -> str | None:
    codec = _utf16_codec(content)
    return content.decode(codec, "replace") if codec else None


def _declared(content: bytes) -> str | None:
    match = _DECLARATION.search(content[:_DECLARED_WITHIN])
    if not match:
        return None
    name = (match[1] or match[2]).decode("ascii", "replace").lower()
    return _ALIASES.get(name, name)


def _as_declared(content: bytes) -> str | None:
    """The declared decoding, unless it reads as nonsense where a Cyrillic encoding reads as Russian."""
    name = _declared(content)
    text = _try(content, name) if name else None
    if text is None:
        return None
    overruled = _letters(content) >= _ENOUGH_LETTERS and _fit(text[:_SAMPLE]) < 0
    if overruled and _best_cyrillic(content)[0] > _TRUSTED:
        _log.warning("declared encoding is wrong", declared=name)
        return None
    return text


def _as_damaged_utf8(content: bytes) -> str | None:
    """UTF-8 with a few broken bytes, which become U+FFFD."""
    text = content.decode("utf-8", "replace")
    broken = text.count("\N{REPLACEMENT CHARACTER}")
    foreign = sum(char > "\x7f" for char in text) - broken
    if broken * 20 > foreign:
        return None
    _log.warning("text is UTF-8 with broken bytes", broken=broken)
    return text


def _as_guessed(content: bytes) -> str | None:
    fit, codec = _best_cyrillic(content)
    if fit > _TRUSTED:
        return content.decode(codec, "replace")
    western = _try(content, "cp1252")
    if western is not None and _WESTERN.issuperset(char for char in western if char > "\x7f"):
        return western
    best = charset_normalizer.from_bytes(content[:_SAMPLE]).best()
    if best is None:
        return None
    return content.decode(_ALIASES.get(best.encoding, best.encoding), "replace")


def _letters(content: bytes) -> int:
    """How many bytes of the sample are not ASCII."""
    sample = content[:_SAMPLE]
    return len(sample) - len(sample.translate(None, _HIGH))


def _best_cyrillic(content: bytes) -> tuple[float, str]:
    sample = content[:_SAMPLE]
    letters = max(_letters(content), 1)
    fits = [
        (_fit(sample.decode(codec, "replace")) + _PRIOR.get(codec, 0.0) / letters, codec)
        for codec in _CYRILLIC
    ]
    return max(fits, key=lambda fit: fit[0])


def _fit(text: str) -> float:
    """How much the non-ASCII characters of a decoding look like Russian: mean log gain over chance."""
    total, count, before = 0.0, 0, " "
    for char in text:
        if char > "\x7f":
            total += _gain(char, before)
            count += 1
        elif before > "\x7f" and before.isalpha() and char.isalpha():
            total -= 1.0  # a Latin letter glued to a Cyrillic one
        before = char
    return total / count if count else 0.0


def _gain(char: str, before: str) -> float:
    lower = char.lower()
    if lower in _GAIN:
        if before.isalpha() and (before.isascii() or (char != lower and before.islower())):
            return -2.0
        return _GAIN[lower]
    if char in _TYPOGRAPHY:
        return 0.0
    return -1.0 if _OTHER_CYRILLIC.match(char) else -3.0
