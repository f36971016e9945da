"""Sentence boundaries: ours beside plain razdel and Punkt, on human sentences and on sentences of norms.

Run it with ``python -m benchmarks.sentences [--data FOLDER] [--show]``. UD Taiga is the human gold set: its
sentences, joined by blanks, are split again. The paragraphs under ``sentence_truth/`` were written for this
project, of the kinds that norms, manuals, statutes and papers bring; they are no sample of real text, and
the rules were made with most of them in sight. ``--show`` prints where ours differs from the truth.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import punkt
from razdel import sentenize  # type: ignore[import-untyped]
from rich.console import Console
from rich.table import Table

from chunking.sentences import split_sentences

_HERE = Path(__file__).resolve().parent
_DATA = _HERE.parents[1] / "shared" / "data"
_TRUTH = _HERE / "sentence_truth"
_TAIGA = "sentences/ud_taiga_sentences.jsonl"

Splitter = Callable[[str], set[int]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text and the offsets at which its second and later sentences begin."""

    text: str
    starts: frozenset[int]


@dataclass(frozen=True, slots=True)
class Score:
    """How boundaries found compare with true ones, in numbers of boundaries."""

    hits: int
    found: int
    true: int

    @property
    def precision(self) -> float:
        """Share of the boundaries found that are true."""
        return self.hits / max(self.found, 1)

    @property
    def recall(self) -> float:
        """Share of the true boundaries that are found."""
        return self.hits / max(self.true, 1)

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        return 2 * self.hits / max(self.found + self.true, 1)


def read_truth(path: Path) -> Iterator[Passage]:
    """Paragraphs of a truth file; ``" | "`` and ``"||"`` stand at boundaries."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            parts = [part.split("||") for part in line.split(" | ")]
            yield _joined(
                [(i > 0 and j == 0, text) for i, row in enumerate(parts) for j, text in enumerate(row)]
            )


def read_taiga(path: Path) -> Iterator[Passage]:
    """All sentences of the treebank as one text."""
    lines = path.read_text(encoding="utf-8").splitlines()
    texts = [text for line in lines if (text := json.loads(line).get("text"))]
    yield _joined([(i > 0, text) for i, text in enumerate(texts)])


def _glued(part: str, *, spaced: bool) -> Iterator[tuple[bool, str]]:
    first, *others = part.split("||")
    yield spaced, first
    yield from ((False, other) for other in others)


def _joined(sentences: list[tuple[bool, str]]) -> Passage:
    """Sentences as one text; each says whether a blank goes before it."""
    starts, pieces, length = [], [], 0
    for spaced, sentence in sentences:
        piece = f" {sentence}" if spaced else sentence
        starts.append(length + spaced)
        pieces.append(piece)
        length += len(piece)
    return Passage("".join(pieces), frozenset(starts[1:]))


def splitters(language: str) -> dict[str, Splitter]:
    """Ours and its peers for a language."""
    plain = punkt.tokenizer_for("russian" if language == "ru" else "english", prefixes=False)
    ours = {"ours": lambda text: _starts(split_sentences(text, language, newline_ends=False))}
    peers: dict[str, Splitter] = {"Punkt": lambda text: _starts(plain.span_tokenize(text))}
    if language == "ru":
        peers["razdel"] = lambda text: _starts((item.start, item.stop) for item in sentenize(text))
    return ours | peers


def _starts(spans: object) -> set[int]:
    return {start for start, _ in spans if start}  # type: ignore[attr-defined]


def measure(passages: list[Passage], split: Splitter) -> Score:
    """Boundaries of all passages together."""
    hits = found = true = 0
    for passage in passages:
        starts = split(passage.text)
        hits += len(starts & passage.starts)
        found += len(starts)
        true += len(passage.starts)
    return Score(hits, found, true)


def load(data: Path) -> dict[str, tuple[str, list[Passage]]]:
    """The sets at hand: name to language and passages."""
    sets = {}
    taiga = data / _TAIGA
    if taiga.is_file():
        sets["UD Taiga"] = ("ru", list(read_taiga(taiga)))
    for language in ("ru", "en"):
        sets[f"norms and manuals, {language}"] = (language, list(read_truth(_TRUTH / f"{language}.txt")))
    return sets


def show(sets: dict[str, tuple[str, list[Passage]]]) -> Table:
    """The table of all sets and splitters."""
    table = Table("set", "boundaries", "splitter", "precision, %", "recall, %", "F1, %")
    for name, (language, passages) in sets.items():
        for label, split in splitters(language).items():
            score = measure(passages, split)
            shares = (f"{100 * share:.2f}" for share in (score.precision, score.recall, score.f1))
            table.add_row(name, str(score.true), label, *shares)
    return table


def differences(passages: list[Passage], split: Splitter) -> Iterator[str]:
    """Where boundaries are missing or false, with the text around them."""
    for passage in passages:
        for start in sorted(split(passage.text) ^ passage.starts):
            label = "missing" if start in passage.starts else "false"
            yield f"{label}: {passage.text[max(0, start - 50) : start]}|{passage.text[start : start + 30]}"


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=_DATA)
    parser.add_argument("--show", action="store_true", help="print where ours differs from the truth")
    arguments = parser.parse_args()
    sets = load(arguments.data)
    console = Console()
    console.print(show(sets))
    if arguments.show:
        for language, passages in sets.values():
            for line in differences(passages, splitters(language)["ours"]):
                console.print(line, markup=False)


if __name__ == "__main__":
    main()
