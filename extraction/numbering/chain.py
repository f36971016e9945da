"""Finds the chain of numbers that counts through a document best."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from extraction.clauses import LETTER_BASE, Number, Part
from extraction.numbering.passages import Candidate

# How far back a number's predecessor is looked for; its exact predecessor may stand anywhere.
_LOOK_BACK = 40
_NEAR = 4
# What it costs a chain that a numbering starts with another number than 1, or anew at some place.
_START = 0.9
_RESTART = 6.0
_RESTART_AT_BORDER = 1.0
_RESTART_AT_NAME = 0.1
_NESTED = 20.0
_RETURN = 0.3


def best_chain(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The chain of numbers with the greatest weight; fills in what the candidates say of it."""
    return _Search(candidates).run()


class _Search:
    """Grows the best chain to every candidate in turn."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates = candidates
        self._best: list[Candidate] = []  # end of the best chain among the first i + 1 candidates
        self._places: dict[Number, list[int]] = defaultdict(list)
        for position, candidate in enumerate(candidates):
            self._places[candidate.number].append(position)

    def run(self) -> list[Candidate]:
        for position, candidate in enumerate(self._candidates):
            self._start(candidate, position)
            self._return(candidate, position)
            self._step(candidate, position)
            ahead = bool(self._best) and self._best[-1].score >= candidate.score
            self._best.append(self._best[-1] if ahead else candidate)
        chain: list[Candidate] = []
        end = self._best[-1] if self._best and self._best[-1].score > 0 else None
        while end is not None:
            chain.append(end)
            end = end.previous
        return chain[::-1]

    def _start(self, candidate: Candidate, position: int) -> None:
        """Let a numbering start with a number, behind nothing or behind the best chain so far."""
        start = _start_cost(candidate) + (_NESTED if self._is_nested(candidate, position) else 0.0)
        candidate.score = candidate.weight - start
        for other, cost in self._restarts(candidate, position):
            nested = cost == _RESTART and self._goes_on(other.number, position)
            _follow(candidate, other, start + (_NESTED if nested else cost), restarts=True)

    def _return(self, candidate: Candidate, position: int) -> None:
        """Let a number go on where its numbering stopped before another one that stands inside it."""
        for other in self._candidates[max(0, position - _LOOK_BACK) : position]:
            outer = other.outer
            if outer is None or other.index >= candidate.index or outer.names != candidate.names:
                continue
            if candidate.number in _successors(outer.number):
                _follow(candidate, other, _RETURN, resumes=outer)

    def _step(self, candidate: Candidate, position: int) -> None:
        """Let a number follow a lower one."""
        places = self._places
        exact = (p for number in _predecessors(candidate.number) for p in _last(places[number], position))
        for i in (*exact, *range(max(0, position - _LOOK_BACK), position)):
            other = self._candidates[i]
            if other.index < candidate.index and other.number < candidate.number:
                cost = _step_cost(other.number, candidate.number, named=candidate.names > other.names)
                _follow(candidate, other, cost)

    def _restarts(self, candidate: Candidate, position: int) -> Iterator[tuple[Candidate, float]]:
        """The best chains that a new numbering may start behind, and what the start costs."""
        seen = self._candidates
        anywhere = bisect_left(seen, candidate.index, hi=position, key=lambda c: c.index)
        at_border = bisect_left(seen, candidate.borders, hi=position, key=lambda c: c.borders)
        at_name = bisect_left(seen, candidate.names, hi=position, key=lambda c: c.names)
        costs = ((anywhere, _RESTART), (at_border, _RESTART_AT_BORDER), (at_name, _RESTART_AT_NAME))
        for count, cost in costs:
            if count:
                yield self._best[min(count, anywhere) - 1], cost

    def _is_nested(self, candidate: Candidate, position: int) -> bool:
        """Whether a numbering that started here would stand inside another, which goes on behind it."""
        return any(
            self._goes_on(other.number, position)
            for other in self._candidates[max(0, position - _NEAR) : position]
            if other.borders == candidate.borders and other.index < candidate.index
        )

    def _goes_on(self, number: Number, position: int) -> bool:
        """Whether the numbering that ends with ``number`` goes on at or after a position."""
        for successor in _successors(number):
            later = self._places.get(successor, [])
            i = bisect_left(later, position)
            if i == len(later):
                continue
            elders = (p for elder in _predecessors(successor) for p in self._places.get(elder, []))
            if not any(position <= place < later[i] for place in elders):
                return True
        return False


def _last(places: Sequence[int], position: int) -> Sequence[int]:
    """The last places before a position, two at most."""
    end = bisect_left(places, position)
    return places[max(0, end - 2) : end]


def _follow(
    candidate: Candidate,
    other: Candidate,
    cost: float,
    *,
    restarts: bool = False,
    resumes: Candidate | None = None,
) -> None:
    """Let a number follow another, if that makes the best chain so far."""
    score = other.score + candidate.weight - cost
    if score <= candidate.score:
        return
    candidate.score, candidate.previous, candidate.restarts = score, other, restarts
    candidate.resumes = resumes
    if resumes is not None:
        candidate.outer = resumes.outer
    elif restarts and len(other.number) > 1:
        candidate.outer = other
    else:
        candidate.outer = other.outer


def _successors(number: Number) -> Iterator[Number]:
    """What may follow: a child, or the next sibling of the number or of one above it."""
    yield (*number, (1, 0, 0))
    for depth in range(len(number), 0, -1):
        yield (*number[: depth - 1], (number[depth - 1][0] + 1, 0, 0))


def _start_cost(candidate: Candidate) -> float:
    """What it costs that a numbering starts with this number; with «1» nothing."""
    parts = [part for part in candidate.number if part[0] < LETTER_BASE]
    raw = sum(0.25 * (part[0] - 1) for part in parts) + 0.1 * (len(parts) - 1)
    if parts and parts[0][0] > 1:
        raw += 0.3
    return min(raw, _START) if candidate.opening.exact else raw


def _step_cost(before: Number, after: Number, *, named: bool) -> float:
    """What it costs that ``after`` comes next; its proper predecessor makes it free."""
    common = 0
    while common < len(before) and common < len(after) and before[common] == after[common]:
        common += 1
    tail = after[common:]
    cost = sum(0.5 + 0.35 * (part[0] - 1) for part in tail[1:])
    head = tail[0]
    if head[0] > LETTER_BASE:  # a new appendix
        return min(cost, 2.0) - 0.5 + (0.2 if named else 1.5)
    if common == len(before):  # a child
        return cost + 0.35 * min(head[0] - 1, 9)
    return cost + _gap_cost(before[common], head)


def _gap_cost(before: Part, after: Part) -> float:
    if before[0] == after[0]:  # «2(1)» after «2»
        gap = (after[1] - before[1]) if after[1] != before[1] else (after[2] - before[2])
        return 0.2 * min(gap - 1, 9)
    return 0.35 * min(after[0] - before[0] - 1, 9)


def _predecessors(number: Number) -> Iterator[Number]:
    """Numbers that ``number`` comes right after: its parent, its elder sibling and what may follow that."""
    yield number[:-1]
    main, inserted, again = number[-1]
    if main > 1 or inserted or again:
        yield (*number[:-1], (main, inserted, again - 1) if again else _before(main, inserted))


def _before(main: int, inserted: int) -> Part:
    return (main, inserted - 1, 0) if inserted else (main - 1, 0, 0)
