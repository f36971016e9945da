"""Finds the cells that the rules of a page enclose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pdfplumber.page import Page  # noqa: TID253 - this module is imported lazily
from pdfplumber.table import TableFinder  # noqa: TID253

from rubrica.log import get_logger
from rubrica.model import BBox

log = get_logger(__name__)

Edge = dict[str, Any]

# The search for crossings takes vertical times horizontal edges; a drawing of this many is no table.
_MAX_CROSSINGS = 4_000_000
_MAX_EDGES = 30_000
_NEAR = 3.0
_MIN_PARALLEL = 3


def find_cells(page: Page) -> Iterator[list[BBox]]:
    """The cells of each ruled table of a page."""
    if page.edges:
        yield from (table.cells for table in _Finder(page, {}).tables)


class _Finder(TableFinder):
    """pdfplumber's finder, which also closes tables that are open at a side."""

    def get_edges(self) -> list[Edge]:
        if len(self.page.edges) > _MAX_EDGES:
            log.warning("page has too many rules to look for tables", page=self.page.page_number)
            return []
        edges: list[Edge] = super().get_edges()
        edges += _closing_edges(edges)
        vertical = sum(edge["orientation"] == "v" for edge in edges)
        if vertical * (len(edges) - vertical) > _MAX_CROSSINGS:
            log.warning("page has too many rules to look for tables", page=self.page.page_number)
            return []
        return edges


def _closing_edges(edges: Sequence[Edge]) -> list[Edge]:
    """Borders that an open table lacks: where three or more parallel rules end side by side.

    A table that goes on over a page break often has no rule at the break, and tables of norms often
    have no rules at their left and right sides.
    """
    vertical = [edge for edge in edges if edge["orientation"] == "v"]
    horizontal = [edge for edge in edges if edge["orientation"] == "h"]
    if not vertical or not horizontal:
        return []
    found = [
        *_close(vertical, horizontal, along=("top", "bottom"), across=("x0", "x1")),
        *_close(horizontal, vertical, along=("x0", "x1"), across=("top", "bottom")),
    ]
    return [_edge(*box) for box in found]


def _close(
    rules: list[Edge], crossing: list[Edge], *, along: tuple[str, str], across: tuple[str, str]
) -> list[BBox]:
    """Boxes of the missing rules at the ends of ``rules``.

    Args:
        rules: Parallel rules.
        crossing: The rules at right angles to them.
        along: Keys of start and end in the direction of ``rules``.
        across: Keys of start and end in the direction of ``crossing``.
    """
    boxes: list[BBox] = []
    for key in along:
        for group in _side_by_side(rules, key):
            at = group[0][key]
            low, high = min(e[across[0]] for e in group), max(e[across[1]] for e in group)
            inside = [e for e in crossing if e[across[0]] < high - _NEAR and e[across[1]] > low + _NEAR]
            if any(abs(e[along[0]] - at) <= _NEAR for e in inside):
                continue
            if any(_meets(e, group, along, across) for e in inside):
                boxes.append((at, low, at, high) if along[0] == "x0" else (low, at, high, at))
    return boxes


def _meets(edge: Edge, group: list[Edge], along: tuple[str, str], across: tuple[str, str]) -> bool:
    """Whether an edge crosses at least two rules of a group somewhere between their ends."""
    hits: int = sum(
        rule[along[0]] - _NEAR <= edge[along[0]] <= rule[along[1]] + _NEAR
        and edge[across[0]] - _NEAR <= rule[across[0]] <= edge[across[1]] + _NEAR
        for rule in group
    )
    return hits >= 2


def _side_by_side(rules: list[Edge], key: str) -> list[list[Edge]]:
    groups: list[list[Edge]] = []
    for edge in sorted(rules, key=lambda edge: edge[key]):
        if groups and edge[key] - groups[-1][0][key] <= _NEAR:
            groups[-1].append(edge)
        else:
            groups.append([edge])
    return [group for group in groups if len(group) >= _MIN_PARALLEL]


def _edge(x0: float, top: float, x1: float, bottom: float) -> Edge:
    return {
        "object_type": "line",
        "orientation": "h" if top == bottom else "v",
        "x0": x0,
        "x1": x1,
        "top": top,
        "bottom": bottom,
        "width": x1 - x0,
        "height": bottom - top,
    }
