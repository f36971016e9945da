"""The matrix products of a network alone: the part of its work that no engine can save.

Whoever runs the same network in float32 on the same pairs multiplies these matrices. Their time, with all
else for nothing, tells how much faster than the peer anyone could be on a machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

Floats = npt.NDArray[np.float32]


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


def multiply_all(shape: Shape, lengths: Sequence[int], threads: int) -> None:
    """Do the products of every layer for pairs of these lengths, one pair a core, the longest first.

    Args:
        shape: Sizes of the network.
        lengths: Tokens of each pair.
        threads: Pairs at the same time.
    """
    factors = {length: list(_factors(shape, length)) for length in set(lengths)}

    def multiply(length: int) -> None:
        for _ in range(shape.layers):
            for left, right in factors[length]:
                np.matmul(left, right)

    with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        list(pool.map(multiply, sorted(lengths, reverse=True)))


def _factors(shape: Shape, tokens: int) -> Iterator[tuple[Floats, Floats]]:
    dice = np.random.default_rng(tokens)

    def matrix(*sizes: int) -> Floats:
        return dice.standard_normal(sizes, dtype=np.float32)

    states, head = matrix(tokens, shape.width), shape.width // shape.heads
    for _ in ("query", "key", "value", "output"):
        yield states, matrix(shape.width, shape.width)
    yield matrix(shape.heads, tokens, head), matrix(shape.heads, head, tokens)
    yield matrix(shape.heads, tokens, tokens), matrix(shape.heads, tokens, head)
    yield states, matrix(shape.width, shape.inner)
    yield matrix(tokens, shape.inner), matrix(shape.inner, shape.width)
