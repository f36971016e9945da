"""What rules say about a cut."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum


class Severity(IntEnum):
    """What a cut does to the structure; higher is worse."""

    FORCED = -1
    FREE = 0
    GLUED = 1
    TORN = 2
    HEADING = 3


@dataclass(frozen=True, slots=True)
class CutRules:
    """What the structure says about every cut; cut ``i`` lies between unit ``i`` and ``i + 1``.

    Attributes:
        severity: Per cut, what it does to the structure.
        standing: Per cut its fixed standing, in spreads around the centre of the document's scores;
            ``None`` where the scorer decides.
        clauses: Per unit the number of the clause that it belongs to.
        continued: Per unit the number of the clause that a chunk starting there continues; ``None`` where
            it starts one, and where a heading says the number.
        announced: Per unit, under what a chunk starting there goes on: the caption of its table, the lead-in
            of its list.
    """

    severity: list[Severity]
    standing: list[float | None]
    clauses: list[str | None]
    continued: list[str | None] = field(default_factory=list)
    announced: list[str | None] = field(default_factory=list)
