"""From documents to a scorer folder: what the command and the reproduction both do."""

from __future__ import annotations

import random
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from chunking.scorers.devices import choose_device
from chunking.scorers.onnx import OnnxPairScorer
from rubrica.errors import ConfigurationError
from rubrica.identity import content_hash, digest
from rubrica.protocols import Progress
from training.corpus import Corpus, build_corpus
from training.documents import StructuredDocument
from training.e5_weights import load_e5
from training.export import export_scorer
from training.loop import Trainer, TrainOptions, TrainState
from training.network import read_template
from training.pairs import PairSampler
from training.report import HeldOutPrecision, held_out_precision, write_card
from training.weights import load_network

CHECKPOINT = "checkpoint.pt"
_HELD_OUT_GROUPS = 24
_HELD_OUT_SEED = 7
_MEASURED_DOCUMENTS = 12
_LONGEST_MEASURED = 120  # sentences: a long document would outweigh the time of all others


class Bars(Protocol):
    """Makes a progress bar for each step of a long job."""

    def __call__(self, title: str, total: int | None = None) -> AbstractContextManager[Progress]:
        """A listener while the block runs."""
        ...


@dataclass(frozen=True, slots=True)
class Start:
    """Where training starts.

    Attributes:
        scorer: Folder of a scorer: sizes, tokenizer and, by default, weights.
        weights: Better weights of the same network.
        from_base: Start from multilingual-e5-small instead.
    """

    scorer: Path
    weights: Path | None = None
    from_base: bool = False


@dataclass(frozen=True, slots=True)
class Tuned:
    """What came of it: average precision on held-out documents before and after, and the run."""

    before: HeldOutPrecision
    after: HeldOutPrecision
    state: TrainState


def tune(
    documents: Iterable[StructuredDocument], start: Start, out: Path, options: TrainOptions, bars: Bars
) -> Tuned:
    """Train a scorer on documents and write its folder; a run that was cut short is taken up again.

    Args:
        documents: What to learn from; one in 25 is held out, by the digest of its name.
        start: Where to start.
        out: Folder of the scorer; its checkpoint lies there while it is trained.
        options: How to train.
        bars: Shows how far it has come.

    Raises:
        ConfigurationError: There is no such device, too few documents have sections, weights do not fit, the
            folder cannot be made, or another run's checkpoint lies in it.
    """
    choose_device(options.device, setting="--device")  # before all is read
    old = OnnxPairScorer(start.scorer)
    _make_folder(out)
    with bars("Reading") as bar:
        corpus = build_corpus(documents, old, bar)
    network = load_e5(start.scorer) if start.from_base else load_network(start.scorer, start.weights)
    with bars("Training", options.pairs) as bar:
        trainer = Trainer(
            network,
            read_template(start.scorer),
            options,
            checkpoint=out / CHECKPOINT,
            origin=_origin(start, old, corpus),
            progress=bar,
        )
        held_out = PairSampler(corpus.held_out).draw(_HELD_OUT_GROUPS, random.Random(_HELD_OUT_SEED))  # noqa: S311
        state = trainer.train(PairSampler(corpus.training), held_out)
    export_scorer(network, start.scorer, out)
    short = [pair for pair in corpus.held_out if len(pair[1].tokens) <= _LONGEST_MEASURED]
    measured = short[:_MEASURED_DOCUMENTS]
    with bars("Measuring", 2 * sum(len(encoded.tokens) - 1 for _, encoded in measured)) as bar:
        before = held_out_precision(old, measured, bar)
        after = held_out_precision(OnnxPairScorer(out), measured, bar)
    write_card(out, corpus.training, options, state, {start.scorer.name: before, out.name: after})
    (out / CHECKPOINT).unlink(missing_ok=True)
    return Tuned(before, after, state)


def _origin(start: Start, scorer: OnnxPairScorer, corpus: Corpus) -> str:
    weights = content_hash(start.weights.read_bytes()) if start.weights else ""
    pairs = (*corpus.training, *corpus.held_out)
    texts = [sentence.text for document, _ in pairs for sentence in document.sentences]
    return digest(
        scorer.signature, weights, str(start.from_base), *(document.name for document, _ in pairs), *texts
    )


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The folder {out} cannot be made: {error.strerror}.", hint="Name another with --out."
        ) from error
