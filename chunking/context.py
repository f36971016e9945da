"""The context line: where in its document a chunk stands."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from chunking.fragments import fragment
from chunking.tokens import TokenBudget
from chunking.units import Unit
from extraction.text import clean_line
from rubrica.model import Document, ElementKind

SEPARATOR = " › "
# A context line may take this part of a chunk's tokens at most.
_SHARE = 4
# A definition's comment and signature stand in its first characters.
_FIRST_LINES = 600
_NUMBER = re.compile(r"(\d{1,3})(?:\.\d+)*\.?\s")
_DOTTED = re.compile(r"(\d{1,3})\.\d")
_CAPITALS = re.compile(r"\b[A-ZА-ЯЁ]+(?:[ -]+[A-ZА-ЯЁ]+)*\b")
_ACRONYM = 5  # letters that an acronym has at most


class ContextLine:
    """Writes context lines: title, headings above (outermost first), clause and table that go on."""

    def __init__(self, budget: TokenBudget) -> None:
        self._budget = budget
        self._most = most_context(budget)
        self._lines: dict[tuple[str, ...], str] = {}

    def of(
        self,
        document: Document,
        unit: Unit,
        clause: str | None = None,
        announced: str | None = None,
        *,
        within: str | None = None,
    ) -> str:
        """The context line of a chunk that starts with ``unit``; empty where there is nothing to say.

        Where not all parts fit, those between the outermost, which is the title, and the innermost are left
        out first, then the title; a last one too long by itself is cut at a word.

        Args:
            document: The document.
            unit: The chunk's first unit.
            clause: Number of the clause that the chunk continues.
            announced: Caption of the table, or lead-in of the list, that it continues.
            within: Number of the clause that the chunk starts in, if only as its first unit.
        """
        parts = tuple(map(_calm, _parts(document, unit, clause, announced, within)))
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
    """A context line, then what may stand for it, best first: title and innermost parts, then parts alone."""
    if line:
        yield line
    title, *below = line.split(SEPARATOR)
    for first in range(1, len(below)):
        yield SEPARATOR.join((title, *below[first:]))
    for first in range(len(below)):
        yield SEPARATOR.join(below[first:])


def _parts(
    document: Document, unit: Unit, clause: str | None, announced: str | None, within: str | None
) -> tuple[str, ...]:
    above = tuple(part for part in _above(document, unit) if not _passed(part, within))
    said = above[-1] if above else ""
    if clause and not _numbered(said, clause) and not _numbered(announced or "", clause):
        above = (*above, clause)
    return (*above, announced) if announced and announced != said else above


def _passed(heading: str, clause: str | None) -> bool:
    """Whether the numbering has left a section.

    Where the title of section 6 was not seen, clause 6.1 seems to stand below «5 Методы». Numbers that start
    anew are no sign.
    """
    number, section = _DOTTED.match(clause or ""), _NUMBER.match(heading)
    return number is not None and section is not None and int(section[1]) < int(number[1])


def _calm(part: str) -> str:
    """A line with its words in capitals as in a sentence: tokenizers cut capitals to twice as many pieces."""
    return _CAPITALS.sub(lambda run: _as_in_a_sentence(run[0]), part)


def _as_in_a_sentence(run: str) -> str:
    longest = max(map(len, re.split("[ -]+", run)))
    return run[0] + run[1:].lower() if longest > _ACRONYM else run


def _numbered(line: str, clause: str) -> bool:
    """Whether a line says the number itself."""
    return line.startswith(clause) and not line[len(clause) : len(clause) + 1].isalnum()


def _above(document: Document, unit: Unit) -> tuple[str, ...]:
    above = tuple(filter(None, (" ".join(part.split()) for part in unit.element.heading_path)))
    if unit.opens and unit.element.kind is ElementKind.CODE and _says(document, unit, above[-1:]):
        above = above[:-1]
    title = _title(document.title, document.path)
    own = " ".join(document.text[unit.start : unit.end].split()) if unit.heading else ""
    if not title or title in {own, *above[:1]}:
        return above
    return (title, *above)


def _says(document: Document, unit: Unit, last: tuple[str, ...]) -> bool:
    """Whether a definition's first lines are its own signature."""
    begin = document.text[unit.start : min(unit.element.end, unit.start + _FIRST_LINES)]
    return bool(last) and last[0] in " ".join(begin.split())


@lru_cache(16)  # asked for at every unit of a document
def _title(title: str, path: str) -> str:
    """The title, unless it is only the file's name: a rename must not change a chunk."""
    title = " ".join(title.split())
    name = clean_line(posixpath.basename(path))  # as the title was cleaned when it was made of the name
    return "" if title in {name, posixpath.splitext(name)[0]} else title
