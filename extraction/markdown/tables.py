"""Tables that CommonMark does not know: YFM's ``#| |#`` and those drawn with ``+---+``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from extraction.markdown.blocks import INTERRUPTS, Searches, line_start, line_text

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_PIECE = re.compile(r"(?P<code>(`+)(?!`).*?(?<!`)\2(?!`))|(?P<escape>\\.)|(?P<bar>\|)|[^`\\|]+|.", re.DOTALL)
_MOST_LINES = 20_000
_BORDER = re.compile(r"\+(?:[-=:]{2,}\+)+")


def tables_plugin(parser: MarkdownIt) -> None:
    """Teach a parser these tables; their tokens carry source, which the writer reads."""
    parser.block.ruler.before("fence", "wide_table", _wide_table, INTERRUPTS)
    parser.block.ruler.before("fence", "grid_table", _grid_table, INTERRUPTS)


def _wide_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start) or not state.src.startswith("#|", line_start(state, start)):
        return False
    close = _closing_line(state, start, end)
    if close is None:
        return False
    if not silent:
        token = state.push("wide_table", "", 0)
        token.content = state.getLines(start, close + 1, state.blkIndent, keepLastLF=False)
        state.line = close + 1
    return True


def _closing_line(state: StateBlock, start: int, end: int) -> int | None:
    """The line of the ``|#`` that belongs to the ``#|`` on line ``start``."""
    depth, fence = 0, ""
    searches = Searches(state.env, "wide_table")
    if searches.pointless:
        return None
    for line in range(start, min(end, start + _MOST_LINES)):
        text = line_text(state, line)
        fence, is_code = _fenced(text, fence)
        if not is_code:
            depth += text.startswith("#|") - text.rstrip().endswith("|#")
            if depth <= 0:
                return line
    searches.failed()
    return None


def _fenced(line: str, fence: str) -> tuple[str, bool]:
    """The fence that is open after a line, and whether the line is code."""
    mark = _FENCE.match(line)
    if not fence:
        return (mark[1], True) if mark else ("", False)
    closes = mark is not None and mark[1].startswith(fence) and not line.strip().strip(fence[0])
    return ("" if closes else fence), True


def _grid_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start) or not _BORDER.fullmatch(line_text(state, start).rstrip()):
        return False
    last = start
    while last < end and state.src.startswith(("+", "|"), line_start(state, last)):
        last += 1
    if last - start < 3:
        return False
    if not silent:
        token = state.push("drawn_table", "", 0)
        token.content = state.getLines(start, last, state.blkIndent, keepLastLF=False)
        state.line = last
    return True


def wide_rows(source: str) -> list[list[str]]:
    """The cells of a YFM table, as Markdown source; ``>`` and ``^`` mark cells that are merged.

    Args:
        source: From ``#|`` to ``|#``.
    """
    inner = source.strip()
    inner = inner[2 : inner.rindex("|#")]
    return [list(_cells(cells)) for cells in _row_sources(inner)]


def _row_sources(inner: str) -> Iterator[str]:
    """What stands between one ``||`` and the next, blanks aside: writers forget some of them."""
    row: list[str] = []
    for piece in (*_pieces(inner), "||"):
        if piece != "||":
            row.append(piece)
        elif row:
            text = "".join(row)
            row = []
            if text.strip():
                yield text


def _cells(row: str) -> Iterator[str]:
    cell: list[str] = []
    for piece in _pieces(row):
        if piece == "|":
            yield "".join(cell)
            cell = []
        else:
            cell.append(piece)
    yield "".join(cell)


def _pieces(text: str) -> Iterator[str]:
    """Text in pieces: fenced code, tables in cells, code, escapes, ``||``, ``|`` and all between."""
    fence, depth = "", 0
    for line in text.splitlines(keepends=True):
        fence, is_code = _fenced(line, fence)
        depth += 0 if is_code else line.lstrip().startswith("#|")
        if is_code or depth:
            depth -= not is_code and line.rstrip().endswith("|#")
            yield line
        else:
            yield from _line_pieces(line)


def _line_pieces(line: str) -> Iterator[str]:
    bars = 0
    for match in _PIECE.finditer(line):
        if match["bar"]:
            bars += 1
            continue
        yield from _bars(bars)
        bars = 0
        yield match[0]
    yield from _bars(bars)


def _bars(count: int) -> Iterator[str]:
    """``|||`` is a cell's end and a row's end."""
    if count % 2:
        yield "|"
    yield from ["||"] * (count // 2)
