"""Formulas of Word on one line: fractions with a slash, indices with ``_`` and ``^``, roots with ``√``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from extraction.docx.package import MATH, w

_SIMPLE = re.compile(r"[^\W_]*|\d+[.,]?\d*|√?\([^()]*\)|.", re.DOTALL)
_GONE = frozenset({w("del"), w("moveFrom"), w("rPr")})


def m(name: str) -> str:
    """A name of the vocabulary of formulas, as lxml writes it."""
    return f"{{{MATH}}}{name}"


def linear(node: Any | None) -> str:
    """The text of a formula or a part of one."""
    if node is None:
        return ""
    pieces = []
    for child in node:
        tag = child.tag
        if not isinstance(tag, str) or tag in _GONE or (tag.endswith("Pr") and tag.startswith(f"{{{MATH}}}")):
            continue
        if tag in (m("t"), w("t")):
            pieces.append(child.text or "")
        elif write := _WRITERS.get(tag):
            pieces.append(write(child))
        else:
            pieces.append(linear(child))
    return "".join(pieces)


def _part(node: Any, name: str) -> str:
    return linear(node.find(m(name))).strip()


def _closed(text: str) -> str:
    """A text that what is next to it cannot tear apart."""
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def _property(node: Any, name: str, default: str) -> str:
    """A character that an object's properties name; "" where they name an empty one."""
    properties = node.find(m(node.tag.rpartition("}")[2] + "Pr"))
    found = None if properties is None else properties.find(m(name))
    return default if found is None else str(found.get(m("val"), ""))


def _fraction(node: Any) -> str:
    above, below = _part(node, "num"), _part(node, "den")
    if _property(node, "type", "bar") == "noBar":
        return f"({above}; {below})"
    return f"{_closed(above)}/{_closed(below)}"


def _scripts(node: Any) -> str:
    base, below, above = _closed(_part(node, "e")), _part(node, "sub"), _part(node, "sup")
    return base + _marked("_", below) + _marked("^", above)


def _marked(mark: str, text: str) -> str:
    return mark + _closed(text) if text else ""


def _prescripts(node: Any) -> str:
    return _marked("_", _part(node, "sub")) + _marked("^", _part(node, "sup")) + _part(node, "e")


def _root(node: Any) -> str:
    degree = _part(node, "deg")
    return (f"{_closed(degree)}" if degree else "") + f"√({_part(node, 'e')})"


def _large(node: Any) -> str:
    sign = _property(node, "chr", "∫")
    return f"{sign}{_marked('_', _part(node, 'sub'))}{_marked('^', _part(node, 'sup'))} {_part(node, 'e')}"


def _delimited(node: Any) -> str:
    begin, end = _property(node, "begChr", "("), _property(node, "endChr", ")")
    between = _property(node, "sepChr", "|")
    return begin + between.join(linear(part).strip() for part in node.findall(m("e"))) + end


def _function(node: Any) -> str:
    return f"{_part(node, 'fName')} {_part(node, 'e')}"


def _limit(node: Any) -> str:
    return f"{_part(node, 'e')}_({_part(node, 'lim')})"


def _rows(node: Any) -> str:
    return "; ".join(linear(row).strip() for row in node.findall(m("e")))


def _matrix(node: Any) -> str:
    rows = (", ".join(linear(cell).strip() for cell in row.findall(m("e"))) for row in node.findall(m("mr")))
    return "; ".join(rows)


_WRITERS: dict[str, Callable[[Any], str]] = {
    m("f"): _fraction,
    m("sSup"): _scripts,
    m("sSub"): _scripts,
    m("sSubSup"): _scripts,
    m("sPre"): _prescripts,
    m("rad"): _root,
    m("nary"): _large,
    m("d"): _delimited,
    m("func"): _function,
    m("limLow"): _limit,
    m("limUpp"): _limit,
    m("eqArr"): _rows,
    m("m"): _matrix,
}
