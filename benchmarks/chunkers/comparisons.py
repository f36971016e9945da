"""The default against every peer: tests of significance, and what they say about the requirements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.chunkers.ours import DEFAULT
from benchmarks.chunkers.run import Result
from benchmarks.chunkers.significance import SIGNIFICANT, Difference, holm, paired_bootstrap

POOLED = "all"
_TESTED = (1, 5)

BySet = Mapping[str, Result]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The default's recall minus a peer's, on one set or on the questions of all.

    Attributes:
        peer: The peer.
        target: Mean tokens.
        set_name: The set, or ``all``.
        depth: ``k`` of recall@k.
        difference: The difference, its interval and p value.
        p: The p value after Holm's correction over all comparisons of the run.
        on_target: Whether both sides have the mean tokens that were asked for.
    """

    peer: str
    target: int
    set_name: str
    depth: int
    difference: Difference
    p: float
    on_target: bool

    @property
    def verdict(self) -> str:
        """``better`` or ``worse`` where the default is so significantly, else ``even``."""
        if self.p >= SIGNIFICANT:
            return "even"
        return "better" if self.difference.mean > 0 else "worse"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A requirement, whether the run meets it, and what speaks against that."""

    requirement: str
    met: bool
    against: tuple[str, ...] = ()


def compare(results: Sequence[Result], default: str = DEFAULT) -> list[Comparison]:
    """All comparisons of a run, their p values corrected as one family.

    Sides whose chunks have another mean number of tokens are compared too, and marked.
    """
    tests = list(_tests(results, default))
    corrected = holm([difference.p for *_, difference in tests])
    return [
        Comparison(peer, target, set_name, depth, difference, p, on_target)
        for (peer, target, set_name, depth, on_target, difference), p in zip(tests, corrected, strict=True)
    ]


def _tests(results: Sequence[Result], default: str) -> Iterator[tuple[str, int, str, int, bool, Difference]]:
    for target in dict.fromkeys(result.target for result in results):
        sides = by_chunker([result for result in results if result.target == target])
        ours = sides.get(default, {})
        for peer, theirs in sides.items():
            if not ours or next(iter(theirs.values())).ours:
                continue
            shared = [name for name in ours if name in theirs]
            groups = [(name, [name]) for name in shared] + [(POOLED, shared)] * (len(shared) > 1)
            for set_name, names in groups:
                both = [side[name] for side in (ours, theirs) for name in names]
                on_target = all(result.on_target for result in both)
                for depth in _TESTED:
                    pair = (_recalls(ours, names, depth), _recalls(theirs, names, depth))
                    yield peer, target, set_name, depth, on_target, paired_bootstrap(*pair)


def by_chunker(results: Sequence[Result]) -> dict[str, dict[str, Result]]:
    """Results by chunker, then by set."""
    sides: dict[str, dict[str, Result]] = {}
    for result in results:
        sides.setdefault(result.name, {})[result.set_name] = result
    return sides


def _recalls(side: BySet, names: Sequence[str], depth: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.concatenate([side[name].answers.recall[depth] for name in names])


def verdicts(comparisons: Sequence[Comparison]) -> list[Verdict]:
    """Whether the default meets what is asked of it."""
    singles = [item for item in comparisons if item.set_name != POOLED]
    pooled = [item for item in comparisons if item.set_name == POOLED]
    return [
        _verdict(
            "No peer is significantly better than the default in recall@1 or recall@5 on any set.",
            [item for item in singles if item.verdict == "worse"],
            asked=bool(singles),
        ),
        _verdict(
            "Over the questions of all sets the default is significantly better than every peer in recall@1.",
            [item for item in pooled if item.depth == 1 and item.verdict != "better"],
            asked=bool(pooled),
        ),
        _verdict(
            "Over the questions of all sets no peer is significantly better in recall@5.",
            [item for item in pooled if item.depth == 5 and item.verdict == "worse"],
            asked=bool(pooled),
        ),
    ]


def _verdict(requirement: str, against: Sequence[Comparison], *, asked: bool) -> Verdict:
    reasons = tuple(
        f"{item.peer}, {item.target} tokens, {item.set_name}, recall@{item.depth}: "
        f"{100 * item.difference.mean:+.1f} points, p = {item.p:.4f}"
        for item in against
    )
    return Verdict(requirement, asked and not against, reasons if asked else ("nothing was compared",))
