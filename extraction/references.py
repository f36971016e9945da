"""References of XML: the characters that HTML has names for, and ampersands that begin no reference."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from html.entities import html5
from typing import Any

from lxml import etree

from extraction.border import refuse_want_of_memory

_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})
# What is left open takes all the rest: searching on from each opening would cost the square of the length.
_COMMENT = r"<!--.*?(?:-->|\Z)"
_INSTRUCTION = r"<\?.*?(?:\?>|\Z)"
_QUOTED = r"\"[^\"]*\"|'[^']*'"
_PROLOGUE = re.compile(
    rf"((?:\s++|{_COMMENT}|{_INSTRUCTION})*+)"
    rf"(<!DOCTYPE(?:{_QUOTED}|[^\"'\[>])*+"
    rf"(?:\[(?:{_QUOTED}|{_COMMENT}|{_INSTRUCTION}|[^\]\"'])*+\]\s*+)?+>)?",
    re.DOTALL,
)
_NAME = r"[^\W\d][\w.:-]*+"
_REFERENCE = re.compile(
    rf"{_COMMENT}|{_INSTRUCTION}|<!\[CDATA\[.*?(?:\]\]>|\Z)"
    rf"|(?P<sign>&)(?:(?P<name>{_NAME});|\#(?P<number>[0-9]{{1,99}}|x[0-9a-fA-F]{{1,99}});)?",
    re.DOTALL,
)
_NAMED = re.compile(rf"&(?P<name>{_NAME});")


@dataclass(frozen=True, slots=True)
class _Declared:
    """The entities of a document.

    Attributes:
        names: Those that its own declaration has.
        elsewhere: Whether there may be more in a file that is not read.
    """

    names: frozenset[str] = _PREDEFINED
    elsewhere: bool = False


def mend_references(text: str, *, strays: bool = True) -> str:
    """XML in which the entities of HTML are characters, whether or not a declaration knows them.

    What the document declares itself is left as it is, and so are comments and CDATA. Characters are
    written as numbers, so that none of them is taken for markup. XML with sound references only, and
    without a declaration that is not read, is not changed.

    Args:
        text: A document in XML.
        strays: Escape ampersands that begin no reference, and those of names that nobody declares.
    """
    if "&" not in text:
        return text
    _, before, doctype, body = _PROLOGUE.split(text, maxsplit=1)
    declared = _declared(doctype) if doctype else _Declared()
    head = _NAMED.sub(partial(_in_value, declared=declared), doctype or "")
    return before + head + _REFERENCE.sub(partial(_in_text, declared=declared, strays=strays), body)


def _declared(doctype: str) -> _Declared:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, encoding="utf-8")
    try:
        root: Any = etree.fromstring(f"{doctype}<x/>".encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        refuse_want_of_memory(error)
        return _Declared(elsewhere=True)
    info = root.getroottree().docinfo
    names = frozenset(entity.name for entity in info.internalDTD.iterentities())
    return _Declared(_PREDEFINED | names, elsewhere=bool(info.system_url) or "%" in doctype)


def _in_text(match: re.Match[str], *, declared: _Declared, strays: bool) -> str:
    if match["sign"] is None:
        return match[0]
    name, number = match["name"], match["number"]
    if name is not None and name not in declared.names and f"{name};" in html5:
        return _numbered(html5[f"{name};"])
    is_sound = _is_character(number) if number else name is not None and _may_be_known(name, declared)
    return match[0] if is_sound or not strays else f"&amp;{match[0][1:]}"


def _in_value(match: re.Match[str], *, declared: _Declared) -> str:
    """A reference in the value of an entity, where the number of a sign would become the sign itself."""
    characters = html5.get(f"{match['name']};", "")
    is_plain = characters and not characters.isascii() and match["name"] not in declared.names
    return _numbered(characters) if is_plain else match[0]


def _may_be_known(name: str, declared: _Declared) -> bool:
    return declared.elsewhere or name in declared.names


def _numbered(characters: str) -> str:
    return "".join(f"&#{ord(character)};" for character in characters)


def _is_character(number: str) -> bool:
    """Whether XML has the character of a number; it has no control characters and no surrogates."""
    code = int(number[1:], 16) if number.startswith("x") else int(number)
    return (
        code in (0x9, 0xA, 0xD)
        or 0x20 <= code < 0xD800
        or 0xE000 <= code < 0xFFFE
        or 0xFFFF < code < 0x110000
    )
