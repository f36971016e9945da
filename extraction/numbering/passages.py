"""A document as its numbers see it."""

from __future__ import annotations

from dataclasses import dataclass

from extraction.clauses import Number, Opening


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, heading or list item of a document, as far as its number is concerned.

    Attributes:
        text: Its text.
        heading: Whether it stands out, by markup or by type.
        silent: Whether its number can open no clause: a line of contents, a table, a caption.
        known: Number that the format itself states.
        listed: Whether the format marks it as the item of a list.
    """

    text: str
    heading: bool = False
    silent: bool = False
    known: str | None = None
    listed: bool = False


@dataclass(slots=True, eq=False)
class Candidate:
    """A number that may open a clause, and the best chain that ends with it.

    Attributes:
        index: Index of its passage.
        opening: The number.
        weight: How much it looks like that of a clause by itself.
        heading: Whether its passage stands out.
        names: How many named parts stand before it.
        borders: How many passages stand before it that a numbering may start behind, names included.
        score: Weight of the best chain that ends with it.
        previous: The one before it in that chain.
        restarts: Whether a numbering starts with it.
        outer: Where the numbering stopped that this one stands inside.
        resumes: The one that it goes on from, where another numbering stood between.
    """

    index: int
    opening: Opening
    weight: float
    heading: bool
    names: int
    borders: int
    score: float = 0.0
    previous: Candidate | None = None
    restarts: bool = True
    outer: Candidate | None = None
    resumes: Candidate | None = None

    @property
    def number(self) -> Number:
        """The number, to count with."""
        return self.opening.number
