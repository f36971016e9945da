"""How fast chunking is, beside smart_chunker 0.0.5 on the same network, and how it grows.

Run it with ``python -m benchmarks.chunk_speed [--write]``; it reads ``../shared/data/segmentation`` and the
float32 weights of the bundled scorer (``../shared/models/recipe/scorer.pt``).

Both sides are given the same sentences, one a line, and the texts as they take them: smart_chunker one
after the other, ours in one call, as the pipeline does. The three float32 sides score the same pairs on the
same windows and cut at the same places, which is checked. The sides take turns and the median of the
rounds' ratios counts, so that other programs on the machine disturb it least. ``--threads 1`` gives every
side one core. *Padded* tokens are those that the network reads, padding of its batches included. The last
line is no chunker: numpy multiplies the matrices of the float32 network for the same pairs, and that is all.
What is not faster than that line by far has little left to gain without another network or precision.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import mean, median

import torch
from rich.console import Console
from rich.table import Table

from benchmarks.chunk_speed_growth import Measured, measure_growth
from benchmarks.chunk_speed_products import Shape, multiplication
from benchmarks.chunk_speed_sides import Side, Starts, network_folder, sides
from benchmarks.chunkers.sets import SegmentedText, segmentation_sets
from benchmarks.chunkers.workshop import Workshop
from benchmarks.segmentation_metrics import pk
from chunking.cores import available_cores

_ROOT = Path(__file__).resolve().parents[1]
_DATA = _ROOT.parent / "shared" / "data"
_CACHE = _ROOT / ".cache" / "benchmarks"
_RESULT = _ROOT / "benchmarks" / "results" / "chunk_speed.md"
# smart_chunker splits longer sentences, in tokens of a chunk's limit; words are a safe measure of tokens.
_MOST_WORDS = 50

Multiply = Callable[[Sequence[int]], object]


def main() -> None:
    """Run and print, or write, the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chunk_speed", description=__doc__)
    parser.add_argument("--data", type=Path, default=_DATA, help="folder with segmentation/")
    parser.add_argument("--cache", type=Path, default=_CACHE, help="folder of the float32 network")
    parser.add_argument("--limit", type=int, default=256, help="most tokens of a chunk")
    parser.add_argument("--sentences", type=int, default=120, help="sentences of each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0, help="cores of each side; 0: all")
    parser.add_argument("--write", action="store_true", help=f"write {_RESULT.relative_to(_ROOT)}")
    arguments = parser.parse_args()
    threads = arguments.threads or available_cores()
    torch.set_num_threads(threads)
    workshop = Workshop(arguments.cache, arguments.data, remember=False)
    texts = short_texts(arguments.data, arguments.sentences)
    console = Console(width=160, record=True)
    contenders = sides(arguments.limit, threads, workshop)
    multiply = multiplication(Shape.of(network_folder(workshop)), threads)
    console.print(side_table(contenders, texts, arguments.rounds, multiply))
    console.print(growth_table(measure_growth(every_sentence(arguments.data), threads)))
    if arguments.write:
        heading = f"# Speed of chunking\n\n{arguments.rounds} rounds on {threads} cores"
        options = f"`python -m benchmarks.chunk_speed --threads {threads} --write`"
        text = console.export_text()
        _RESULT.write_text(f"{heading}, by {options}.\n\n```\n{text}```\n", encoding="utf-8")


def short_texts(data: Path, sentences: int) -> list[SegmentedText]:
    """Texts of every set in turn, without very long sentences, until there are enough sentences."""
    sets = [read().texts for read in segmentation_sets(data).values()]
    usable = [[text for text in texts if _is_short(text)] for texts in sets]
    chosen: list[SegmentedText] = []
    for text in chain.from_iterable(zip(*usable, strict=False)):
        if sum(len(known.sentences) for known in chosen) >= sentences:
            break
        chosen.append(text)
    return chosen


def every_sentence(data: Path) -> list[str]:
    """The sentences of all sets, in order."""
    texts = chain.from_iterable(read().texts for read in segmentation_sets(data).values())
    return list(chain.from_iterable(text.sentences for text in texts))


def _is_short(text: SegmentedText) -> bool:
    longest = max(len(sentence.split()) for sentence in text.sentences)
    return longest <= _MOST_WORDS and any(text.boundaries)


# --- Side by side --------------------------------------------------------------------------------------


def side_table(
    contenders: Sequence[Side], texts: Sequence[SegmentedText], rounds: int, multiply: Multiply
) -> Table:
    """Let the sides take turns on the texts, and the products of their network alone with them.

    Raises:
        AssertionError: The sides on the same windows cut at different places.
    """
    sentences = [text.sentences for text in texts]
    starts = [side.cut(sentences) for side in contenders]
    assert all(cuts == starts[0] for cuts in starts[1:-1]), "boundaries differ"
    lengths = [list(side.work.lengths) for side in contenders]
    padded = [side.work.padded for side in contenders]
    works = [partial(side.cut, sentences) for side in contenders]
    seconds = take_turns([*works, partial(multiply, lengths[0])], rounds)
    table = Table(
        *("side", "backend", "pairs", "tokens", "padded", "chunks", "Pk", "seconds", "times as fast"),
        title=f"{len(texts)} texts, {sum(map(len, sentences))} sentences",
    )
    for i, side in enumerate(contenders):
        work = (str(len(lengths[i])), str(sum(lengths[i])), str(padded[i]))
        outcome = (str(sum(map(len, starts[i]))), f"{100 * _mean_pk(texts, starts[i]):.1f}")
        table.add_row(side.name, side.backend, *work, *outcome, *_speed(seconds[0], seconds[i]))
    work = (str(len(lengths[0])), str(sum(lengths[0])), str(sum(lengths[0])))
    speed = _speed(seconds[0], seconds[-1])
    table.add_row("the float32 network's products", "numpy float32, nothing else", *work, "", "", *speed)
    return table


def take_turns(works: Sequence[Callable[[], object]], rounds: int) -> list[list[float]]:
    """Seconds of each work in each round; every round begins with another."""
    seconds: list[list[float]] = [[] for _ in works]
    for number in range(rounds):
        for i in range(len(works)):
            turn = (number + i) % len(works)
            seconds[turn].append(_seconds(works[turn]))
    return seconds


def _speed(peer: Sequence[float], own: Sequence[float]) -> tuple[str, str]:
    ratios = [theirs / ours for theirs, ours in zip(peer, own, strict=True)]
    return f"{median(own):.2f}", f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _mean_pk(texts: Sequence[SegmentedText], starts: Sequence[Starts]) -> float:
    def cuts(text: SegmentedText, opening: Starts) -> list[bool]:
        return [gap + 1 in set(opening) for gap in range(len(text.boundaries))]

    return mean(pk(text.boundaries, cuts(text, own)) for text, own in zip(texts, starts, strict=True))


# --- Growth --------------------------------------------------------------------------------------------


def growth_table(rows: Sequence[Measured]) -> Table:
    """The figures of ``measure_growth``."""
    table = Table("what", "figure", "of", title="Growth, cache, partition, and the literal algorithm")
    for row in rows:
        table.add_row(row.what, row.figure, row.of)
    return table


if __name__ == "__main__":
    main()
