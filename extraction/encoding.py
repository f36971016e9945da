"""Bytes to text, without mojibake.

The order of trust: byte order mark, strict UTF-8, UTF-16 without a mark, UTF-8 with surrogates, with
words in another encoding or with a few broken bytes.
For the rest, each encoding that comes into question is tried and the text weighed that comes out: the
likelier its letters, the better. What the file says of itself (HTML ``meta``, XML declaration) weighs as
much as a few words; more text than that overrules a declaration that is wrong.
"""

from __future__ import annotations

import codecs
import math
import re

import charset_normalizer

from extraction.likelihood import unlikeliness
from extraction.mixture import Mixture
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

# Encodings that are tried, with the bits by which each is less common among files than windows-1251.
_PRIORS = {
    "cp1251": 0.0,
    "koi8_r": 5.5,
    "cp866": 4.0,
    "iso8859_5": 5.0,
    "mac_cyrillic": 6.0,
    "cp1252": 1.5,
}
_DECLARED_BITS = 18.0  # that a declaration is worth
_VALID_PER_BROKEN = (
    3  # sequences of UTF-8 that outweigh a broken byte: one-byte encodings make them by chance
)
_READABLE_BITS = 6.0  # per byte that is not ASCII, up to which words among UTF-8 are text in this encoding
_MAX_BITS = 8.5  # per byte that is not ASCII, from which a text is in none of these encodings


def decode(content: bytes) -> str:
    """Decode a text file.

    Args:
        content: The whole file.

    Raises:
        CorruptDocumentError: The bytes are not text in any encoding that can be told.
    """
    for attempt in _ATTEMPTS:
        text = attempt(content)
        if text is not None:
            return text
    raise CorruptDocumentError(
        "The text is in an encoding that cannot be told.", hint="Save the file as UTF-8."
    )


def byte_order_mark(content: bytes) -> bytes:
    """The mark of a Unicode encoding that the content opens with; empty where there is none."""
    return next((mark for mark, _ in _BOMS if content.startswith(mark)), b"")


def looks_like_utf16(content: bytes) -> bool:
    """Whether content without a byte order mark is UTF-16 all the same."""
    return _utf16_codec(content) is not None


def _by_mark(content: bytes) -> str | None:
    for mark, codec in _BOMS:
        if content.startswith(mark):
            return content.decode(codec, "replace")
    return None


def _try(content: bytes, codec: str, errors: str = "strict") -> str | None:
    try:
        return content.decode(codec, errors)
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


def _as_seven_bit(content: bytes) -> str | None:
    """A declared encoding that writes everything in ASCII, of which no weighing can tell."""
    name = _declared(content)
    return _try(content, name) if name and content.isascii() else None


def _as_utf8_with_surrogates(content: bytes) -> str | None:
    """UTF-8 as programs write it that cut UTF-16 into halves and encode each (CESU-8)."""
    return _try(content, "utf-8", "surrogatepass")


def _as_mixed_utf8(content: bytes) -> str | None:
    """UTF-8 with words in another encoding, as in a file that was put together from several."""
    mixture = Mixture.of(content)
    if mixture is None:
        return None
    sample = b" ".join(mixture.foreign)[:_SAMPLE]
    bits = _weighed(sample, _declared(content))
    codec = min(bits, key=lambda name: bits[name])
    if bits[codec] > _READABLE_BITS * _high_bytes(sample):
        return None
    _log.warning("text is UTF-8 with words in another encoding", encoding=codec, words=len(mixture.foreign))
    return mixture.decoded(codec)


def _as_damaged_utf8(content: bytes) -> str | None:
    """UTF-8 with a few broken bytes, which become U+FFFD."""
    text = content.decode("utf-8", "replace")
    broken = text.count("\N{REPLACEMENT CHARACTER}")
    foreign = sum(char > "\x7f" for char in text) - broken
    if broken * _VALID_PER_BROKEN > foreign:
        return None
    _log.warning("text is UTF-8 with broken bytes", broken=broken)
    return text


def _as_weighed(content: bytes) -> str | None:
    """The decoding whose text is the likeliest, if it is likely at all."""
    sample = _sample(content)
    declared = _declared(content)
    bits = _weighed(sample, declared)
    codec = min(bits, key=lambda name: bits[name])
    if declared in bits and _same_codec(codec, declared):
        return content.decode(declared, "replace")
    if bits[codec] > _MAX_BITS * _high_bytes(sample) + _DECLARED_BITS:
        return None
    if declared in bits:
        _log.warning("declared encoding is wrong", declared=declared, really=codec)
    return content.decode(codec, "replace")


def _as_guessed(content: bytes) -> str | None:
    """What a detector for all languages says."""
    best = charset_normalizer.from_bytes(content[:_SAMPLE]).best()
    if best is None:
        return None
    return content.decode(_ALIASES.get(best.encoding, best.encoding), "replace")


def _sample(content: bytes) -> bytes:
    """The lines of a file that tell most: those with bytes that are not ASCII."""
    if len(content) <= _SAMPLE:
        return content
    lines = (line for line in content[: _SAMPLE * 16].split(b"\n") if not line.isascii())
    return b"\n".join(lines)[:_SAMPLE] or content[:_SAMPLE]


def _weighed(sample: bytes, declared: str | None) -> dict[str, float]:
    """How unlikely a sample is in each encoding that comes into question, in bits."""
    bits = {codec: prior + _bits(sample, codec) for codec, prior in _PRIORS.items()}
    if declared and _try(sample, declared) is not None:
        bits[declared] = _bits(sample, declared) - _DECLARED_BITS
    return bits


def _high_bytes(sample: bytes) -> int:
    return len(sample) - len(sample.translate(None, _HIGH))


def _bits(sample: bytes, codec: str) -> float:
    try:
        return unlikeliness(sample.decode(codec, "replace"))
    except (LookupError, UnicodeError):
        return math.inf


def _same_codec(one: str, other: str) -> bool:
    return codecs.lookup(one).name == codecs.lookup(other).name


_ATTEMPTS = (
    _by_mark,
    _as_utf8,
    _as_utf16,
    _as_seven_bit,
    _as_utf8_with_surrogates,
    _as_mixed_utf8,
    _as_damaged_utf8,
    _as_weighed,
    _as_guessed,
)
