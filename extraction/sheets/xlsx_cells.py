"""The cells of an Excel sheet's XML as texts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from lxml import etree
from openpyxl.formula.translate import Translator, TranslatorError
from openpyxl.utils.cell import column_index_from_string

from extraction.sheets.formats import GENERAL, shown
from extraction.sheets.model import Sheet

_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


@dataclass(frozen=True, slots=True)
class Context:
    """What the cells of all sheets refer to."""

    strings: list[str]
    formats: list[str]
    since_1904: bool


@dataclass(slots=True)
class _Shared:
    """Formulas that a range of cells shares: number → text and the cell that it is written in."""

    origins: dict[str, tuple[str, str]] = field(default_factory=dict)


class SheetReader:
    """Turns the rows of a sheet's XML into texts."""

    def __init__(self, sheet: Sheet, context: Context) -> None:
        self._sheet = sheet
        self._context = context
        self._shared = _Shared()
        self._row = 0

    def row(self, node: Any) -> None:
        """Take over one row."""
        self._row = int(node.get("r", self._row + 1))
        column = 0
        for cell in node.iterchildren("{*}c"):
            match = _REFERENCE.fullmatch(cell.get("r", ""))
            column = column_index_from_string(match[1]) if match else column + 1
            text = self._text(cell)
            if text:
                self._sheet.put(self._row, column, text)

    def _text(self, cell: Any) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            inline = cell.find("{*}is")
            return "" if inline is None else rich_text(inline)
        formula = cell.find("{*}f")
        value = cell.findtext("{*}v")
        if not value and kind != "str" and formula is not None:
            return self._formula(formula, cell.get("r", ""))
        if formula is not None and formula.get("t") == "shared" and formula.text:
            self._formula(formula, cell.get("r", ""))
        return self._value(kind, value or "", cell)

    def _value(self, kind: str, value: str, cell: Any) -> str:
        if not value:
            text = ""
        elif kind == "s":
            strings = self._context.strings
            index = int(value)
            text = strings[index] if 0 <= index < len(strings) else ""
        elif kind == "b":
            text = "TRUE" if value.strip() in ("1", "true") else "FALSE"
        elif kind == "n":
            text = self._number(value, cell)
        elif kind == "d":
            text = value.replace("T", " ").removesuffix("Z").removesuffix(" 00:00:00")
        else:  # a formula's string, or an error such as #REF!
            text = _unescaped(value)
        return text

    def _number(self, value: str, cell: Any) -> str:
        formats = self._context.formats
        style = int(cell.get("s", "0"))
        code = formats[style] if 0 <= style < len(formats) else GENERAL
        try:
            return shown(float(value), code, since_1904=self._context.since_1904)
        except ValueError:
            return value  # some programs write texts as numbers

    def _formula(self, node: Any, reference: str) -> str:
        """A formula that has no value, as it would be typed in its cell."""
        key = node.get("si", "") if node.get("t") == "shared" else ""
        if node.text:
            if key:
                self._shared.origins[key] = (node.text, reference)
            return f"={node.text}"
        origin = self._shared.origins.get(key)
        if origin is None:
            return ""
        try:
            return str(Translator(f"={origin[0]}", origin=origin[1]).translate_formula(reference))
        except TranslatorError:
            return f"={origin[0]}"


def rich_text(node: Any) -> str:
    """The runs of a text, without the readings of East Asian characters."""
    texts = (
        item.text or "" for item in node.iter("{*}t") if etree.QName(item.getparent()).localname != "rPh"
    )
    return _unescaped("".join(texts))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text
