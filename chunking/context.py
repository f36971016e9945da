"""The context line: where in its document a chunk stands."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from chunking.fragments import fragment
from chunking.tokens import TokenBudget
from chunking.units import Unit
from rubrica.model import Document, ElementKind

SEPARATOR = " › "
# A context line may take this part of a chunk's tokens at most.
_SHARE = 4
# A definition's comment and signature stand in its first characters.
_FIRST_LINES = 600


class ContextLine:
    """Writes context lines: title, headings above (outermost first), clause and table that go on."""

    def __init__(self, budget: TokenBudget) -> None:
        self._budget = budget
        self._most = most_context(budget)
        self._lines: dict[tuple[str, ...], str] = {}

    def of(
        self, document: Document, unit: Unit, clause: str | None = None, announced: str | None = None
    ) -> str:
        """The context line of a chunk that starts with ``unit``; empty where there is nothing to say.

        Parts that do not fit are left out from the outermost inwards; a last one too long by itself
        is cut at a word.

        Args:
            document: The document.
            unit: The chunk's first unit.
            clause: Number of the clause that the chunk continues.
            announced: Caption of the table, or lead-in of the list, that it continues.
        """
        parts = _parts(document, unit, clause, announced)
        if parts not in self._lines:
            self._lines[parts] = self._fit(parts)
        return self._lines[parts]

    def _fit(self, parts: tuple[str, ...]) -> str:
        for line in shortenings(SEPARATOR.join(parts)):
            if self._fits(line):
                return line
        if not parts or not self._fits(parts[-1][:1]):
            return ""
        start, end = next(fragment(parts[-1], (0, len(parts[-1])), self._fits))
        return parts[-1][start:end]

    def _fits(self, text: str) -> bool:
        return self._budget.cost(text + "\n") <= self._most


def most_context(budget: TokenBudget) -> int:
    """Tokens that a context line may take at most, its line break included."""
    return min(budget.limit // _SHARE, budget.room // 2)


def noted(line: str, wordings: Sequence[str], budget: TokenBudget) -> Iterator[str]:
    """A context line with a note behind it, richest first; headings go before the note's last wording does.

    Args:
        line: The context line.
        wordings: The note, the richest wording first.
        budget: Token limit; only what keeps the part of a context line is given.
    """
    lines = [SEPARATOR.join(filter(None, (line, wording))) for wording in wordings]
    shorter = [*lines[:-1], *shortenings(lines[-1])] if lines else []
    return (text for text in shorter if budget.cached_cost(text + "\n") <= most_context(budget))


def shortenings(line: str) -> Iterator[str]:
    """A context line, then what is left of it as its outermost parts go, down to the innermost."""
    while line:
        yield line
        line = line.partition(SEPARATOR)[2]


def _parts(document: Document, unit: Unit, clause: str | None, announced: str | None) -> tuple[str, ...]:
    above = _above(document, unit)
    said = above[-1] if above else ""
    if clause and not _numbered(said, clause) and not _numbered(announced or "", clause):
        above = (*above, clause)
    return (*above, announced) if announced and announced != said else above


def _numbered(line: str, clause: str) -> bool:
    """Whether a line says the number itself."""
    return line.startswith(clause) and not line[len(clause) : len(clause) + 1].isalnum()


def _above(document: Document, unit: Unit) -> tuple[str, ...]:
    above = tuple(filter(None, (" ".join(part.split()) for part in unit.element.heading_path)))
    if unit.opens and unit.element.kind is ElementKind.CODE and _says(document, unit, above[-1:]):
        above = above[:-1]
    title = _title(document)
    own = " ".join(document.text[unit.start : unit.end].split()) if unit.heading else ""
    if not title or title in {own, *above[:1]}:
        return above
    return (title, *above)


def _says(document: Document, unit: Unit, last: tuple[str, ...]) -> bool:
    """Whether a definition's first lines are its own signature."""
    begin = document.text[unit.start : min(unit.element.end, unit.start + _FIRST_LINES)]
    return bool(last) and last[0] in " ".join(begin.split())


def _title(document: Document) -> str:
    """The title, unless it is only the file's name: a rename must not change a chunk."""
    title = " ".join(document.title.split())
    name = posixpath.basename(document.path)
    return "" if title in {name, posixpath.splitext(name)[0]} else title
