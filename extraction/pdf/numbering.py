"""Tells the numbers that structure a document from those that only illustrate."""

from __future__ import annotations

from collections.abc import Sequence

Number = tuple[int, ...]

_LONGEST_EXAMPLE = 30


def find_examples(numbers: Sequence[tuple[int, Number]]) -> set[int]:
    """Find stretches that start again at 1 in the middle of the numbering, as quoted examples do.

    After 4.1.3 come «1 Типы», «2 Требования», «3 Методы» and then 4.1.4: the three are an example.

    Args:
        numbers: Index and number of each block that opens with one, in order; an empty number stands
            for a named part («Приложение А»), behind which numbering may start anew.

    Returns:
        The indices inside such stretches.
    """
    found: set[int] = set()
    start = 1
    while start < len(numbers):
        before, number = numbers[start - 1][1], numbers[start][1]
        restarts = number[:1] == (1,) and before > number and len(before) > 1
        end = _resumes(numbers, start, before) if restarts else None
        if end is not None:
            found.update(index for index, _ in numbers[start:end])
            start = end
        start += 1
    return found


def _resumes(numbers: Sequence[tuple[int, Number]], start: int, before: Number) -> int | None:
    """Position after ``start`` at which the numbering goes on from ``before``."""
    following = _successors(before)
    for position in range(start + 1, min(len(numbers), start + _LONGEST_EXAMPLE)):
        number = numbers[position][1]
        if not number:
            return None
        if number in following:
            return position
    return None


def _successors(number: Number) -> set[Number]:
    """What may follow a number of at least two parts: its child, its next sibling or an ancestor's."""
    deeper = {(*number, 1)}
    return deeper | {(*number[: i - 1], number[i - 1] + 1) for i in range(2, len(number) + 1)}
