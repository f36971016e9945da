"""MathML on one line: fractions with a slash, indices with ``_`` and ``^``, roots with ``√``."""

from __future__ import annotations

import re
from typing import Any

_SIMPLE = re.compile(r"[^\W_]*|\d+[.,]?\d*|√?\([^()]*\)|.", re.DOTALL)
_GONE = frozenset({"annotation", "annotation-xml"})
_MARKS = {"msub": "_", "msup": "^", "munder": "_", "mover": "^"}


def closed(text: str) -> str:
    """A text that what is next to it cannot tear apart, in brackets where it needs them."""
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def linear(node: Any) -> str:
    """The text of a formula or a part of one."""
    name = node.tag.rpartition("}")[2] if isinstance(node.tag, str) else "annotation"
    if name in _GONE:
        return ""
    parts = [linear(child) for child in node]
    parts = [part.strip() for part, child in zip(parts, node, strict=True) if isinstance(child.tag, str)]
    if name == "mfrac" and len(parts) == 2:
        return f"{closed(parts[0])}/{closed(parts[1])}"
    if name in _MARKS and len(parts) == 2:
        return f"{closed(parts[0])}{_MARKS[name]}{closed(parts[1])}"
    if name in ("msubsup", "munderover") and len(parts) == 3:
        return f"{closed(parts[0])}_{closed(parts[1])}^{closed(parts[2])}"
    return _other(name, parts, node)


def _other(name: str, parts: list[str], node: Any) -> str:
    if name == "msqrt":
        return f"√({' '.join(parts)})"
    if name == "mroot" and len(parts) == 2:
        return f"{closed(parts[1])}√({parts[0]})"
    if name == "mtable":
        return "; ".join(parts)
    if name == "mtr":
        return ", ".join(parts)
    return "".join([" ".join((node.text or "").split()), *parts])
