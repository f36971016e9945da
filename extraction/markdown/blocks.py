"""What the block rules have in common."""

from __future__ import annotations

from typing import Any

from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

# For rules whose blocks need no blank line before them.
INTERRUPTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
_MOST_FAILURES = 20


def line_text(state: StateBlock, line: int) -> str:
    """A line without the indentation and the marks of what it is nested in."""
    return state.src[line_start(state, line) : state.eMarks[line]]


def line_start(state: StateBlock, line: int) -> int:
    """Offset of the first character of a line's own text."""
    return state.bMarks[line] + state.tShift[line]


def ends_line(state: StateBlock, line: int, end_line: int, position: int) -> int | None:
    """The number of the line after ``position``, or ``None`` where more text follows on the same line."""
    while line < end_line and state.eMarks[line] < position:
        line += 1
    if line == end_line or state.src[position : state.eMarks[line]].strip():
        return None
    return line + 1


def lines_until(state: StateBlock, start: int, end_line: int, end: str) -> int:
    """The first line from ``start`` on that holds ``end``; ``end_line`` where none does."""
    found = state.src.find(end, state.bMarks[start] if start < end_line else len(state.src))
    if found < 0:
        return end_line
    line = start
    while line < end_line and state.eMarks[line] < found:
        line += 1
    return line


def push_paragraph(state: StateBlock, text: str, lines: tuple[int, int]) -> None:
    """Add a paragraph of text that the markup carries in an attribute or a title."""
    if not text.strip():
        return
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = text, list(lines), []
    state.push("paragraph_close", "p", -1)


def push_title(state: StateBlock, text: str, lines: tuple[int, int]) -> None:
    """Add the title of what follows: a reader sees both in one box, so no chunk may part them."""
    if text.strip():
        push_paragraph(state, text, lines)
        state.tokens[-2].meta["title"] = True


def push_end(state: StateBlock) -> None:
    """Mark where a container ends: a title that nothing followed is not the next paragraph's."""
    state.push("title_end", "", 0)


def push_verbatim(state: StateBlock, kind: str, start: int, end: int) -> None:
    """Add lines as they stand, as code (``fence``), a formula or markup (``html_block``)."""
    token = state.push(kind, "", 0)
    token.content = state.getLines(start, end, state.blkIndent, keepLastLF=False)
    token.map = [start, end]


class Searches:
    """Counts searches that failed, so that a file of openings without ends does not cost a search each."""

    def __init__(self, environment: Any, name: str) -> None:
        self._failures: dict[str, int] = environment.setdefault("failed_searches", {})
        self._name = name

    @property
    def pointless(self) -> bool:
        """Whether so many failed that no more are made."""
        return self._failures.get(self._name, 0) >= _MOST_FAILURES

    def failed(self) -> None:
        """Count one."""
        self._failures[self._name] = self._failures.get(self._name, 0) + 1
