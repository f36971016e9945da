"""Footnotes and references below a text."""

from __future__ import annotations

import re
from typing import Any

_CLASSES = frozenset(
    {"footnote", "footnotes", "endnotes", "references", "mw-references-wrap", "reflist", "msofootnotetext",
     "msoendnotetext", "sdfootnote", "sdendnote", "footnote-list"}
)  # fmt: skip
_ROLES = frozenset(
    {"doc-footnote", "doc-footnotes", "doc-endnote", "doc-endnotes", "doc-rearnote", "doc-rearnotes"}
)
_IDS = re.compile(r"(?:ftn|edn|sdfootnote|sdendnote)\d+")
_PRINTED = re.compile(r"\s*(?:<\d{1,3}>|\*{1,3}\))\s*(?=\S)")


def is_note(node: Any) -> bool:
    """Whether an element holds notes, by its classes, role or id."""
    names = set(map(str.lower, node.get("class", "").split()))
    roles = set(node.get("role", "").lower().split())
    return not (
        names.isdisjoint(_CLASSES) and roles.isdisjoint(_ROLES) and not _IDS.fullmatch(node.get("id", ""))
    )


def is_printed_note(text: str) -> bool:
    """Whether a paragraph is a note as legal databases print them: «<1> Часть 2 статьи …»."""
    return bool(_PRINTED.match(text))
