"""Functions, and whether a chunk holds them."""

from __future__ import annotations

from benchmarks.chunkers.code import functions, whole
from benchmarks.chunkers.model import Piece

_SOURCE = """\
NAME = "ё"


class Kind:
    def method(self):
        def inner(): return "ё"
        return inner


async def last(): ...
"""


def test_functions_are_found_with_those_inside() -> None:
    texts = sorted(_SOURCE[slice(*span)] for span in functions(_SOURCE))
    assert texts == [
        "async def last(): ...",
        'def inner(): return "ё"',
        'def method(self):\n        def inner(): return "ё"\n        return inner',
    ]


def test_a_function_is_whole_in_one_chunk_only() -> None:
    pieces = [Piece(0, 0, 10, ""), Piece(0, 10, 20, "")]
    assert whole((0, 10), pieces)
    assert whole((12, 19), pieces)
    assert not whole((8, 12), pieces)
