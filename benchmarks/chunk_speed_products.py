"""The matrix products of a network alone: the part of its work that no engine can save.

Whoever runs the same network in float32 on the same pairs multiplies these matrices. The time that BLAS
takes for them, with all else for nothing, tells how much there is left to gain on a machine.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

Floats = npt.NDArray[np.float32]
_LONGEST = 512  # tokens that the network reads
_rooms = threading.local()


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a BERT.

    Attributes:
        layers: How many there are.
        heads: Of attention, a layer.
        width: Of a token's state.
        inner: Of the wide layer behind attention.
    """

    layers: int
    heads: int
    width: int
    inner: int

    @classmethod
    def of(cls, folder: Path) -> Shape:
        """Those that a model's ``config.json`` names."""
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        names = ("num_hidden_layers", "num_attention_heads", "hidden_size", "intermediate_size")
        return cls(*(config[name] for name in names))


def multiplication(shape: Shape, threads: int) -> Callable[[Sequence[int]], None]:
    """What does the products of every layer for pairs of given lengths, one pair a core, the longest first.

    Args:
        shape: Sizes of the network.
        threads: Pairs at the same time.
    """
    products = list(_products(shape, _LONGEST))

    def multiply(tokens: int) -> None:
        for left, right in products * shape.layers:
            cut = _first(left, tokens), _first(right, tokens)
            np.matmul(*cut, out=_room(cut[0].shape[0], cut[1].shape[1]))

    def multiply_all(lengths: Sequence[int]) -> None:
        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
            list(pool.map(multiply, sorted(lengths, reverse=True)))

    return multiply_all


def _first(matrix: Floats, tokens: int) -> Floats:
    """A matrix for fewer tokens than it was made for."""
    rows, columns = (tokens if size == _LONGEST else size for size in matrix.shape)
    return matrix[:rows, :columns]


def _room(rows: int, columns: int) -> Floats:
    """Where a result goes; kept for each thread, so that no product waits for new memory."""
    known: dict[str, Floats] = vars(_rooms)
    key = f"{rows} {columns}"
    if key not in known:
        known[key] = np.empty((rows, columns), np.float32)
    return known[key]


def _products(shape: Shape, tokens: int) -> Iterator[tuple[Floats, Floats]]:
    dice = np.random.default_rng(1)

    def matrix(*sizes: int) -> Floats:
        return dice.standard_normal(sizes, dtype=np.float32)

    states, head = matrix(tokens, shape.width), shape.width // shape.heads
    for _ in ("query", "key", "value", "output"):
        yield states, matrix(shape.width, shape.width)
    for _ in range(shape.heads):
        yield matrix(tokens, head), matrix(head, tokens)
        yield matrix(tokens, tokens), matrix(tokens, head)
    yield states, matrix(shape.width, shape.inner)
    yield matrix(tokens, shape.inner), matrix(shape.inner, shape.width)
