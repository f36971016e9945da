"""Fonts and styles of a Rich Text file, and the code pages that the fonts imply."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

# Windows' character sets and their code pages (RTF 1.9.1, "Font Table").
_CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
SYMBOL_CHARSET = 2
_PAGES = {65001: "utf-8", 10000: "mac_roman", 10007: "mac_cyrillic", 936: "gb18030", 20866: "koi8_r"}
_SUFFIXES = {" cyr": "cp1251", " ce": "cp1250", " greek": "cp1253", " tur": "cp1254", " baltic": "cp1257"}


@dataclass(slots=True)
class Font:
    """A font of the font table.

    Attributes:
        name: Its name.
        encoding: The code page of text set in it; empty for the document's own.
        symbol: Whether its codes are those of the typeface Symbol or another of its kind.
    """

    name: str = ""
    encoding: str = ""
    symbol: bool = False


@dataclass(slots=True)
class Style:
    """A paragraph style: its name in lower case and its outline level, 1 at the top."""

    name: str = ""
    level: int | None = None


def page_encoding(number: int) -> str:
    """Python's name of a code page; empty where it has none."""
    name = _PAGES.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return ""


def charset_encoding(number: int) -> str:
    """The code page of one of Windows' character sets; empty for the document's own."""
    return _CHARSETS.get(number, "")


def name_encoding(name: str) -> str:
    """The code page that the end of a font's name tells: «Times New Roman Cyr»."""
    return next((page for suffix, page in _SUFFIXES.items() if name.casefold().endswith(suffix)), "")
