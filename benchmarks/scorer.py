"""How well pair scorers find boundaries: Pk and average precision on the segmentation sets.

Run ``python -m benchmarks.scorer SCORER… --data ../shared/data``. A scorer is what ``RUBRICA_SCORER``
takes (the bundled one, a folder of one's own, a Hugging Face cross-encoder), or ``embedder`` for the
cosine of the embedder's vectors of the same windows, or ``lexical`` for the cosine of their words.

Every gap between sentences is scored on the windows that inference reads. The number of segments is
known: the gaps with the lowest scores are the boundaries. Both figures are means over documents, in
percent. ``filled`` windows are those of inference, all the tokens that a window may have; ``sentences``
hold only the whole sentences that fit, at least one.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from benchmarks.segmentation_metrics import average_precision, lowest_cuts, pk
from chunking.scorers import build_pair_scorer, scorer_folder
from chunking.scorers.base import Pair, PairScorer, TokenIds
from chunking.windows import cut_windows
from pipeline.cli.output import progress_bar
from rubrica.protocols import Progress
from rubrica.settings import ChunkingSettings, IndexingSettings

_BUNDLED = "boundary-ru-en"
Scores = npt.NDArray[np.float32]
Windows = Callable[[Sequence[TokenIds], int], list[Pair]]


@dataclass(frozen=True, slots=True)
class SegmentedText:
    """A text of known segments: its sentences, and for each gap whether a segment ends there."""

    sentences: tuple[str, ...]
    ends: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """Means over the documents of a set, in percent, and how long the scores took."""

    scorer: str
    windows: str
    set_name: str
    pk: float
    precision: float
    pairs: int
    seconds: float


def read_sets(folder: Path) -> dict[str, list[SegmentedText]]:
    """The sets ``*.jsonl`` of a folder; a text of one segment tells nothing and is left out."""
    sets = {}
    for path in sorted(folder.glob("*.jsonl")):
        records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        texts = (_text(record["sentences"], set(record["boundaries"])) for record in records)
        sets[path.name.removesuffix(".jsonl")] = [text for text in texts if any(text.ends)]
    return sets


def _text(sentences: list[str], starts: set[int]) -> SegmentedText:
    return SegmentedText(tuple(sentences), tuple(i in starts for i in range(1, len(sentences))))


def filled_windows(units: Sequence[TokenIds], size: int) -> list[Pair]:
    """The windows of inference, around every gap."""
    return cut_windows(units, range(len(units) - 1), size)


def sentence_windows(units: Sequence[TokenIds], size: int) -> list[Pair]:
    """The same without the sentences that do not fit whole."""
    gaps = range(1, len(units))
    return [(_nearest(units[gap - 1 :: -1], size, -1), _nearest(units[gap:], size, 1)) for gap in gaps]


def _nearest(units: Sequence[TokenIds], size: int, step: int) -> TokenIds:
    """The first of the units that fit, nearest to the cut first; ``step`` is -1 where they run backwards."""
    lengths = accumulate(len(unit) for unit in units)
    fitting = max(1, sum(1 for _ in takewhile(lambda length: length <= size, lengths)))
    joined: TokenIds = np.concatenate(units[:fitting][::step])
    return joined[:size] if step > 0 else joined[-size:]


WINDOWS: dict[str, Windows] = {"filled": filled_windows, "sentences": sentence_windows}


def open_scorer(name: str) -> PairScorer:
    """A scorer by what the command line calls it."""
    if name == "embedder":
        return _SideScorer(_embedder_cosines)
    if name == "lexical":
        return _SideScorer(_lexical_cosines)
    return build_pair_scorer(ChunkingSettings(scorer=name))


class _SideScorer:
    """Compares two texts that were read apart; the bundled tokenizer makes the windows."""

    signature = "sides"
    room = 508

    def __init__(self, similarity: Callable[[Sequence[str]], Scores]) -> None:
        self._tokenizer = Tokenizer.from_file(str(scorer_folder(_BUNDLED) / "tokenizer.json"))
        self._similarity = similarity

    def encode(self, texts: Sequence[str]) -> list[TokenIds]:
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [np.array(encoding.ids, dtype=np.int32) for encoding in encodings]

    def score(self, pairs: Sequence[Pair], progress: Progress) -> Scores:
        scores = self._similarity(
            self._tokenizer.decode_batch([side.tolist() for pair in pairs for side in pair])
        )
        progress.advance(len(pairs))
        return scores


def _embedder_cosines(texts: Sequence[str]) -> Scores:
    from indexing.embedders.factory import build_embedder  # noqa: PLC0415 - only where it is asked for

    known = sorted(set(texts))
    vectors = dict(zip(known, build_embedder(IndexingSettings()).embed_passages(known), strict=True))
    pairs = zip(texts[::2], texts[1::2], strict=True)
    return np.array([vectors[left] @ vectors[right] for left, right in pairs], dtype=np.float32)


def _lexical_cosines(texts: Sequence[str]) -> Scores:
    bags = [Counter(text.lower().split()) for text in texts]
    pairs = zip(bags[::2], bags[1::2], strict=True)
    return np.array([_cosine(left, right) for left, right in pairs], dtype=np.float32)


def _cosine(left: Counter[str], right: Counter[str]) -> float:
    shared = sum(count * right[word] for word, count in left.items())
    return shared / (math.hypot(*left.values()) * math.hypot(*right.values()) or 1.0)


def measure(
    name: str, windows: str, texts: Sequence[SegmentedText], set_name: str, progress: Progress
) -> Result:
    """Score every gap of a set and compare the lowest with its boundaries."""
    scorer = open_scorer(name)
    size = ChunkingSettings().window_tokens
    groups = [WINDOWS[windows](scorer.encode(text.sentences), size) for text in texts]
    pairs = [pair for group in groups for pair in group]
    started = time.perf_counter()
    scores = iter(scorer.score(pairs, progress).tolist())
    seconds = time.perf_counter() - started
    scored = [[next(scores) for _ in text.ends] for text in texts]
    return Result(
        scorer=name,
        windows=windows,
        set_name=set_name,
        pk=_percent(
            pk(text.ends, lowest_cuts(row, sum(text.ends))) for text, row in zip(texts, scored, strict=True)
        ),
        precision=_percent(
            average_precision(text.ends, [-score for score in row])
            for text, row in zip(texts, scored, strict=True)
        ),
        pairs=len(pairs),
        seconds=seconds,
    )


def _percent(values: Iterator[float]) -> float:
    return 100 * float(np.mean(list(values)))


def table(results: Sequence[Result]) -> str:
    """The results as a Markdown table."""
    lines = ["| set | windows | scorer | Pk | AP | pairs a second |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {result.set_name} | {result.windows} | {Path(result.scorer).name} | {result.pk:.1f} "
        f"| {result.precision:.1f} | {result.pairs / result.seconds:.0f} |"
        for result in results
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> str:
    """Measure the named scorers, print the table and return it."""
    given = _parser().parse_args(arguments)
    sets = read_sets(given.data / "segmentation")
    results = list(_results(given.scorers or [_BUNDLED], given.windows, sets))
    shown = table(results)
    print(shown)
    return shown


def _results(
    scorers: Sequence[str], windows: Sequence[str], sets: Mapping[str, Sequence[SegmentedText]]
) -> Iterator[Result]:
    gaps = sum(len(text.ends) for texts in sets.values() for text in texts)
    with progress_bar("Scoring", gaps * len(scorers) * len(windows)) as bar:
        for set_name, texts in sets.items():
            for form in windows:
                for name in scorers:
                    yield measure(name, form, texts, set_name, bar)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("scorers", nargs="*", metavar="SCORER", help=f"default: {_BUNDLED}")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--windows", nargs="+", choices=list(WINDOWS), default=["filled"])
    return parser


if __name__ == "__main__":
    main()
