r"""Documents' paths for addresses of a site, and back.

A path is the address without its escapes, so that people can read it; what would not be safe or not be
clear stays escaped. The way back needs nothing but the path, because a document may be read on another
machine than the one that listed it:

========================  =============================  =========================================
address                   path                           rule
========================  =============================  =========================================
``/a/%D1%82%20(1).pdf``   ``a/т (1).pdf``                escapes are undone
``/a%2Fb%00%25``          ``a%2Fb%00%25``                but not those of ``/ \ % ? # +`` and controls
``/notes.md?v=2.1``       ``notes?v=2%2E1.md``           a query stands before the suffix
``/docs/``                ``docs/index.html``            the mark of the file remembers the slash
``/a/../b``, ``/a//b``    none                           such an address is no document
========================  =============================  =========================================
"""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote, quote_from_bytes, unquote_to_bytes

INDEX = "index.html"

_LONGEST = 2000
_ESCAPED = "/\\%?#+"
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ESCAPE = re.compile(r"(%[0-9A-F]{2})")
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")
_RAW = "!$&'()*+,;=:@~"
"""What may stand in a path as it is (RFC 3986, ``pchar``), besides letters, digits, ``-``, ``.``, ``_``."""
_QUERY_RAW = _RAW + "/?"
_QUERY_ESCAPED = {".": "%2E", "/": "%2F", "?": "%3F", "\\": "%5C"}


def document_path(target: str) -> str | None:
    """The path of the document at an address.

    Args:
        target: Path and query of the address, ``/docs/a.md?v=2``.

    Returns:
        ``None`` where the address cannot be a document's: it climbs, is empty between two slashes, or is
        too long.
    """
    raw, _, query = target.partition("?")
    segments = [_decode(part) for part in raw.removeprefix("/").split("/")]
    segments[-1] = segments[-1] or INDEX
    if not {"", ".", ".."}.isdisjoint(segments):
        return None
    if query:
        stem, suffix = posixpath.splitext(segments[-1])
        if not _SUFFIX.fullmatch(suffix):
            stem, suffix = segments[-1], ""
        segments[-1] = f"{stem}?{_decode_query(query)}{suffix}"
    path = "/".join(segments)
    return path if len(path) <= _LONGEST else None


def target_of(path: str, *, is_folder: bool = False) -> str:
    """The address of a document.

    Args:
        path: A path that ``document_path`` gave.
        is_folder: Whether its address ends in a slash.
    """
    folder, _, name = path.rpartition("/")
    stem, marked, rest = name.partition("?")
    query, dot, suffix = rest.partition(".")
    name = "" if is_folder else f"{stem}{dot}{suffix}"
    parts = [*folder.split("/"), name] if folder else [name]
    target = "/" + "/".join(_encode(part) for part in parts)
    return f"{target}?{_encode_query(query)}" if marked else target


def is_folder(target: str) -> bool:
    """Whether an address ends in a slash, its query aside."""
    return target.partition("?")[0].endswith("/")


def _decode(segment: str) -> str:
    text = _ESCAPES.sub(lambda match: _unescaped(match[0], _ESCAPED), segment)
    # What is left of per cent signs and of unsafe letters stood there raw.
    return "".join(_made_safe(part) for part in _ESCAPE.split(text))


def _decode_query(query: str) -> str:
    """A query with only letters beyond ASCII unescaped: its other escapes may mean something."""
    text = _ESCAPES.sub(lambda match: _unescaped(match[0], None), query)
    text = "".join(_made_safe(part) for part in _ESCAPE.split(text))
    # As it will be asked for: a path must not tell two ways apart of writing one address.
    text = re.sub(r"[^%\x80-\U0010ffff]+", lambda match: quote(match[0], safe=_QUERY_RAW), text)
    return "".join(_QUERY_ESCAPED.get(letter, letter) for letter in text)


def _made_safe(part: str) -> str:
    if _ESCAPE.fullmatch(part):
        return part
    return "".join(quote(x, safe="") if x in "\\%#" or not _is_clear(x) else x for x in part)


def _unescaped(escapes: str, keep: str | None) -> str:
    """Bytes as letters, but for those that must stay escaped; ``keep=None`` keeps all of ASCII."""
    text = unquote_to_bytes(escapes).decode("utf-8", "surrogateescape")
    return "".join(_unescaped_letter(letter, keep) for letter in text)


def _unescaped_letter(letter: str, keep: str | None) -> str:
    kept = letter.isascii() if keep is None else letter in keep
    if kept or not _is_clear(letter):
        return "".join(f"%{byte:02X}" for byte in letter.encode("utf-8", "surrogateescape"))
    return letter


def _is_clear(letter: str) -> bool:
    return letter == " " or letter.isprintable()


def _encode(segment: str) -> str:
    return "".join(
        part if _ESCAPE.fullmatch(part) else quote_from_bytes(part.encode(), safe=_RAW)
        for part in _ESCAPE.split(segment)
    )


def _encode_query(query: str) -> str:
    for letter, escape in _QUERY_ESCAPED.items():
        if letter != "\\":
            query = query.replace(escape, letter)
    return "".join(
        part if _ESCAPE.fullmatch(part) else quote(part, safe=_QUERY_RAW) for part in _ESCAPE.split(query)
    )
