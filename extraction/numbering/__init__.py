"""Tells the numbers that structure a document from those in lists, examples and quotations.

A number opens a clause if the numbering of the whole document says so. The clauses of a document, read
in order, only ever count up («4.1.3», «4.1.4», «4.2»), and start again behind a named part only («Статья 6»,
«Приложение Б»). So the numbers that open a text are looked at together, and the chain with the greatest
weight is chosen: every number that a chain takes in adds to it, every gap and unexplained restart takes
away. What a chain leaves out are items of lists, worked examples, bibliographies and misread figures.
"""

from __future__ import annotations

from extraction.numbering.clauses import number_clauses
from extraction.numbering.passages import Passage

__all__ = ["Passage", "number_clauses"]
