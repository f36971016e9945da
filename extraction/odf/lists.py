"""Follows the lists of a document while it is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from extraction.odf.numbering import Counter, Level, ListStyles, integer
from extraction.odf.package import get


@dataclass(slots=True)
class _Open:
    """A list that is open: what it counts with and how deep the reader is in it."""

    style: str | None
    counter: Counter
    depth: int = 0
    pending: list[tuple[int, int | None]] = field(default_factory=list)  # items not yet numbered


class Lists:
    """Tells the number of each paragraph; must be asked in order."""

    def __init__(self, styles: ListStyles) -> None:
        self._styles = styles
        self._by_style: dict[str | None, Counter] = {}
        self._by_id: dict[str, Counter] = {}
        self._headings = Counter()
        self._open: list[_Open] = []

    @contextmanager
    def inside(self, node: Any) -> Iterator[None]:
        """Read the items of a ``text:list``."""
        outermost = not self._open or self._open[-1].depth == 0
        if outermost:
            self._open.append(_Open(get(node, "text:style-name"), self._counter(node)))
        current = self._open[-1]
        style = current.style
        current.style = get(node, "text:style-name") or style
        current.depth += 1
        try:
            yield
        finally:
            current.depth -= 1
            current.style = style
            if outermost:
                self._open.pop()

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Read a cell, note or text box, whose lists are none of the ones that are open."""
        self._open.append(_Open(None, Counter()))
        try:
            yield
        finally:
            self._open.pop()

    def item(self, node: Any) -> None:
        """Begin a ``text:list-item``: its first paragraph gets the number."""
        current = self._open[-1]
        start = get(node, "text:start-value")
        current.pending = [(current.depth, integer(start, 1) if start else None)]

    @property
    def depth(self) -> int:
        """Depth of the list that is open, 0 outside of lists."""
        return self._open[-1].depth if self._open else 0

    def label(self, list_style: str | None) -> str | None:
        """The number of a paragraph, "" for a bullet, ``None`` where it has none.

        Args:
            list_style: List style of the paragraph's own style.
        """
        current = self._open[-1] if self._open else None
        if current is None or not current.pending:
            return None
        depth, start = current.pending.pop()
        levels = self._styles.levels(current.style or list_style)
        return _shown(levels, depth, current.counter.next(levels, depth, start))

    def heading(self, node: Any, level: int) -> str | None:
        """The number of a heading outside of lists, by the outline's numbering."""
        if get(node, "text:is-list-header") == "true" or not self._styles.outline:
            return None
        start = None
        if get(node, "text:restart-numbering") == "true":
            start = integer(get(node, "text:start-value"), 1)
        return self._headings.next(self._styles.outline, level, start) or None

    def _counter(self, node: Any) -> Counter:
        style, name = get(node, "text:style-name"), get(node, "xml:id")
        continued = get(node, "text:continue-list")
        if continued in self._by_id and continued is not None:
            counter = self._by_id[continued]
        elif get(node, "text:continue-numbering") == "true" and style in self._by_style:
            counter = self._by_style[style]
        else:
            counter = Counter()
        self._by_style[style] = counter
        if name:
            self._by_id[name] = counter
        return counter


def _shown(levels: dict[int, Level], depth: int, text: str) -> str | None:
    level = levels.get(depth)
    return None if level is not None and level.format == "" and not text else text
