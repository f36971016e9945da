"""Where on a page its own text is."""

from __future__ import annotations

from typing import Any

from extraction.html.visibility import Visibility

_MIN_TEXT = 200  # characters that the marked content must have to be believed
_MIN_SHARE = 0.2  # of the page's text


def content_roots(root: Any, visibility: Visibility) -> list[Any]:
    """The elements that are read: the page's only ``main`` and a heading before it, else the whole page."""
    mains = [
        node
        for node in root.iter("main", "div", "section")
        if (node.tag == "main" or node.get("role") == "main") and not _is_hidden(node, visibility)
    ]
    if len(mains) != 1:
        return [root]
    text = _length(mains[0])
    if text < _MIN_TEXT or text < _MIN_SHARE * _length(root):
        return [root]
    headings = [node for node in root.iter("h1") if not _is_hidden(node, visibility)]
    return (
        [headings[0]] if len(headings) == 1 and mains[0] not in headings[0].iterancestors() else []
    ) + mains


def _is_hidden(node: Any, visibility: Visibility) -> bool:
    return visibility.hides(node) or any(visibility.hides(parent) for parent in node.iterancestors())


def _length(node: Any) -> int:
    skipped = ("script", "style", "noscript", "svg", "template")
    total = 0
    for child in node.iter():
        if isinstance(child.tag, str) and child.tag not in skipped:
            total += len((child.text or "").strip())
        total += len((child.tail or "").strip()) if child is not node else 0
    return total
