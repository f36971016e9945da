"""Reads the tables of a page, ruled and not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from pdfplumber.page import Page  # noqa: TID253 - this module is imported lazily

from extraction.pdf.glyphs.characters import PageGlyphs, clean_characters
from extraction.pdf.glyphs.lines import build_pieces
from extraction.pdf.layout import Glyph, Line, TableRegion
from extraction.pdf.tables.aligned import find_aligned
from extraction.pdf.tables.grid import Grid
from extraction.pdf.tables.picture_rules import is_scan, scanned_rules
from extraction.pdf.tables.rows import level_rows
from extraction.pdf.tables.ruled import Reading, Sheet, find_grids, read_grids
from extraction.pdf.tables.rules import Rule, drawn_rules, merge_rules
from rubrica.model import BBox

_NARROW = 0.25
_FEW_ROWS = 3
_FEW_LINES = 4
_STEP = 8.0


def find_tables(page: Page) -> list[TableRegion]:
    """Read the tables of a page, top to bottom."""
    tables, _ = take_tables(page, clean_characters(page.chars, page.bbox))
    return sorted(tables, key=lambda table: (table.top, table.x0))


def take_tables(page: Page, glyphs: PageGlyphs) -> tuple[list[TableRegion], PageGlyphs]:
    """Read the tables of a page.

    Args:
        page: The page, for its rules.
        glyphs: Its characters.

    Returns:
        The tables, and the characters that stand outside all of them.
    """
    sheet = Sheet(page.page_number, float(page.width), float(page.height))
    rules, shades = drawn_rules(page)
    if is_scan(page) and _may_hold_table(glyphs, sheet):
        rules = merge_rules([*rules, *scanned_rules(page)])
        sheet = sheet._replace(scanned=True)
    grids = list(find_grids(rules, shades, sheet))
    ruled = read_grids([grid for grid in grids if len(grid.slots) > 1], glyphs, sheet)
    free = [rule for rule in rules if rule.horizontal and not _is_inside(rule, ruled.tables)]
    aligned, rest = _take_aligned(ruled, free, sheet)
    # Upright rules alone may stand beside some columns of a table only; its text tells more.
    single = [grid for grid in grids if len(grid.slots) == 1]
    rows = read_grids([grid for grid in single if _may_stand_alone(grid, rest, sheet)], rest, sheet)
    return [*ruled.tables, *aligned, *rows.tables], rows.rest


def _may_hold_table(glyphs: PageGlyphs, sheet: Sheet) -> bool:
    """Whether a few rows of a page hold narrow pieces beside others; drawing it for its rules takes time."""
    rows = level_rows(build_pieces(glyphs.upright, sheet.number))
    edges = [edge for row in rows for edge in (row[0].x0, row[-1].x1)]
    narrow = _NARROW * (max(edges) - min(edges)) if edges else 0.0
    return sum(len(row) > 1 and any(line.width < narrow for line in row) for row in rows) >= _FEW_ROWS


def _may_stand_alone(grid: Grid, glyphs: PageGlyphs, sheet: Sheet) -> bool:
    """Whether a ruled row may be the rest of a table over a page break, or holds rows that nothing parts.

    Elsewhere on a page it is a box with a few words beside each other.
    """
    _, top, _, bottom = grid.bbox
    lines = build_pieces(glyphs.upright, sheet.number)
    above = sum(line.bottom <= top for line in lines)
    below = sum(line.top >= bottom for line in lines)
    inside = [line for line in lines if top <= line.middle <= bottom]
    return min(above, below) <= _FEW_LINES or len(level_rows(inside)) >= _FEW_ROWS


def _take_aligned(
    ruled: Reading, rules: Sequence[Rule], sheet: Sheet
) -> tuple[list[TableRegion], PageGlyphs]:
    glyphs = ruled.rest
    pieces = build_pieces(glyphs.upright, sheet.number)
    outside = [line for line in pieces if not _is_drawn(line, ruled.drawings)]
    tables, used = find_aligned(outside, glyphs.upright, rules, sheet.number, sheet.width)
    return tables, replace(glyphs, upright=_without(glyphs.upright, used)) if tables else glyphs


def _is_drawn(line: Line, drawings: Sequence[BBox]) -> bool:
    return any(x0 <= line.center <= x1 and top <= line.middle <= bottom for x0, top, x1, bottom in drawings)


def _is_inside(rule: Rule, tables: Sequence[TableRegion]) -> bool:
    middle = (rule.start + rule.end) / 2
    return any(t.x0 - 3 <= middle <= t.x1 + 3 and t.top - 3 <= rule.at <= t.bottom + 3 for t in tables)


def _without(glyphs: Sequence[Glyph], used: Sequence[Line]) -> list[Glyph]:
    """The glyphs that stand in none of the pieces of tables."""
    lines: dict[int, list[Line]] = defaultdict(list)
    for line in used:
        for height in range(int(line.top // _STEP), int(line.bottom // _STEP) + 1):
            lines[height].append(line)

    def is_used(glyph: Glyph) -> bool:
        x, y = (glyph.x0 + glyph.x1) / 2, (glyph.top + glyph.bottom) / 2
        near = lines.get(int(y // _STEP), ())
        return any(line.x0 - 0.1 <= x <= line.x1 + 0.1 and line.top <= y <= line.bottom for line in near)

    return [glyph for glyph in glyphs if not is_used(glyph)]
