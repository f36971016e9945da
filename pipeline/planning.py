"""Batches of documents that cost about the same."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TypeVar

_T = TypeVar("_T")

# Bytes of a file per sentence, rounded from the documents that the extraction tests read: text in
# UTF-8 runs to about 150, a page of PDF carries fonts and layout, office formats are compressed.
_BYTES_PER_SENTENCE = {
    ".pdf": 2500,
    ".docx": 400,
    ".docm": 400,
    ".xlsx": 200,
    ".html": 400,
    ".htm": 400,
}
_BYTES_PER_SENTENCE_OF_TEXT = 150


def estimate_pairs(path: str, size: int) -> int:
    """How many pairs a document will have scored, judged by its name and size.

    Args:
        path: Path of the document.
        size: Bytes.

    Returns:
        At least 1, so that empty documents count too.
    """
    suffix = PurePosixPath(path).suffix.lower()
    return 1 + size // _BYTES_PER_SENTENCE.get(suffix, _BYTES_PER_SENTENCE_OF_TEXT)


def balance(
    items: Sequence[_T], weights: Sequence[int], *, batch_weight: int, max_batches: int
) -> list[list[_T]]:
    """Spread items over batches of about equal weight.

    Longest processing time first (Graham 1969): the heaviest item goes to the lightest batch, which
    keeps the heaviest batch within 4/3 of the best possible.

    Args:
        items: What to spread.
        weights: Weight of each item, in the same order.
        batch_weight: Weight that a batch should have.
        max_batches: Most batches.

    Returns:
        Batches, none of them empty, each in the order of ``items``.
    """
    if not items:
        return []
    count = min(max_batches, len(items), max(1, math.ceil(sum(weights) / batch_weight)))
    lightest = [(0, number) for number in range(count)]
    batches: list[list[int]] = [[] for _ in range(count)]
    for index in sorted(range(len(items)), key=lambda i: (-weights[i], i)):
        weight, number = heapq.heappop(lightest)
        batches[number].append(index)
        heapq.heappush(lightest, (weight + weights[index], number))
    return [[items[index] for index in sorted(batch)] for batch in batches]
