"""What stands inside a line and is not simply text: raised figures, references to notes, formulas."""

from __future__ import annotations

import re
from typing import Any

_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_RAISABLE = re.compile(r"[-−+]?\d{1,3}|n|\(\d\)")
_NOTE_TARGET = re.compile(
    r"#(?:cite_?note|_?ftn|_?edn|fn|footnote|endnote|sdfootnote|sdendnote|note|ref|n|прим)[-_:.\w]{0,80}",
    re.IGNORECASE,
)
_NOTE_LABEL = re.compile(
    r"[\[({<]?\s*(?:\w{1,3}|\*{1,3}|note \d{1,3}|прим\. \d{1,3})\s*[\])}>]?", re.IGNORECASE
)
_NOTE_CLASSES = frozenset({"reference", "footnote-ref", "footnote-reference", "footnoteref", "fnref"})
_BACK_LINK = re.compile(r"[\s↩↑^⇑←↵\ufe0e]+")
_DISPLAY_STYLE = re.compile(r"^\{\\displaystyle\s*(.*)\}$", re.DOTALL)
_TEX = "annotation[@encoding='application/x-tex']"


def raised(node: Any) -> str | None:
    """A short number in ``sup``, so that «10⁶» is not read as «106»; ``None`` for other elements."""
    if node.tag != "sup" or node.find(".//a") is not None:
        return None
    text = "".join(node.itertext()).strip()
    return text.translate(_RAISED) if _RAISABLE.fullmatch(text) else None


def is_note_reference(node: Any, *, opens_block: bool) -> bool:
    """Whether an element only points from the text to a note, or back from the note.

    Args:
        node: Any inline element.
        opens_block: Whether no text is before it; there a link numbers the note that follows.
    """
    if node.tag not in ("a", "sup", "span"):
        return False
    if not _NOTE_CLASSES.isdisjoint(node.get("class", "").split()) or "doc-noteref" in node.get("role", ""):
        return not opens_block
    if node.tag != "a" or not node.get("href", "").startswith("#"):
        return False
    text = "".join(node.itertext()).strip()
    if text and _BACK_LINK.fullmatch(text):
        return True
    is_reference = _NOTE_TARGET.fullmatch(node.get("href")) and _NOTE_LABEL.fullmatch(text)
    return bool(is_reference and not opens_block)


def formula(node: Any) -> str | None:
    """The TeX source of a formula that a page shows as a picture or as drawn letters."""
    if node.tag == "img":
        text = (node.get("alt") or "").strip()
        found = text if "mwe-math" in node.get("class", "") or text.startswith("{\\displaystyle") else None
    elif node.tag == "script" and node.get("type", "").startswith("math/tex"):
        found = node.text
    elif node.tag == "span" and "katex" in node.get("class", "").split():
        found = next((item.text for item in node.iterfind(f".//{_TEX}")), None)
    else:
        found = None
    return _DISPLAY_STYLE.sub(r"\1", found.strip()).strip() if found else None
