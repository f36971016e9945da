"""What is said about a trained scorer: its data card and how it does on held-out documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sklearn.metrics import average_precision_score  # type: ignore[import-untyped]

from chunking.scorers.base import PairScorer
from chunking.windows import cut_windows
from rubrica.protocols import NoProgress, Progress
from training.documents import StructuredDocument
from training.licences import BASE, licence, repository
from training.loop import TrainOptions, TrainState
from training.pairs import TARGETS, WINDOW_TOKENS, EncodedDocument, Relation

Documents = Sequence[tuple[StructuredDocument, EncodedDocument]]


@dataclass(frozen=True, slots=True)
class HeldOutPrecision:
    """Mean over held-out documents of the average precision of their gaps, in percent.

    Attributes:
        sections: Boundaries are the starts of sections.
        paragraphs: Boundaries are the starts of paragraphs, those of sections included.
        documents: How many documents had both boundaries and other gaps.
    """

    sections: float
    paragraphs: float
    documents: int


def held_out_precision(
    scorer: PairScorer, documents: Documents, progress: Progress | None = None
) -> HeldOutPrecision:
    """Score every gap of the documents as inference does and see whether boundaries come out lowest."""
    sections, paragraphs = [], []
    for _, document in documents:
        opening = set(document.openings)
        section = set(document.cuts.get(Relation.NEXT_SECTION, ()))
        gaps = range(len(document.tokens) - 1)
        if not section or len(opening) > len(gaps):
            continue
        pairs = cut_windows(document.tokens, gaps, WINDOW_TOKENS)
        turns = -scorer.score(pairs, progress or NoProgress())
        sections.append(average_precision_score([gap + 1 in section for gap in gaps], turns))
        paragraphs.append(average_precision_score([gap + 1 in opening for gap in gaps], turns))
    return HeldOutPrecision(_percent(sections), _percent(paragraphs), len(sections))


def _percent(values: Sequence[float]) -> float:
    return round(100 * sum(values) / max(1, len(values)), 1)


def write_card(
    out: Path,
    documents: Documents,
    options: TrainOptions,
    state: TrainState,
    precision: Mapping[str, HeldOutPrecision],
) -> None:
    """Write ``README.md`` beside a scorer: what it is, what it saw, how it does.

    Args:
        out: The scorer's folder.
        documents: What it was trained on.
        options: How it was trained.
        state: How far it came.
        precision: Average precision on held-out documents, by the scorer's name.
    """
    about = (
        "A cross-encoder for Russian and English, tuned for the boundaries of documents: "
        f"`RUBRICA_SCORER={out}` uses it. It is run one pair a call."
    )
    targets = [(relation.value, str(target)) for relation, target in TARGETS.items()]
    parts = [
        f"# {out.name}: do these two stretches of text belong together?",
        about,
        "## Held-out documents\n\n" + _precision_table(precision),
        "## Text\n\n" + _sources_table(documents),
        f"Base: {BASE}.",
        "## Training\n\n" + _training_table(options, state),
        "## Targets\n\n" + _table(("right of the cut", "target"), targets),
    ]
    (out / "README.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _precision_table(precision: Mapping[str, HeldOutPrecision]) -> str:
    rows = [
        (name, f"{value.sections:.1f}", f"{value.paragraphs:.1f}", str(value.documents))
        for name, value in precision.items()
    ]
    return _table(("scorer", "AP of sections", "AP of paragraphs", "documents"), rows)


def _sources_table(documents: Documents) -> str:
    count: Counter[tuple[str, str, str]] = Counter()
    sentences: Counter[tuple[str, str, str]] = Counter()
    for document, _ in documents:
        if document.kind == "raw":  # as prose it is counted again
            key = repository(document.name), document.language, licence(document.name)
            count[key] += 1
            sentences[key] += len(document.sentences)
    rows = [(*key, str(count[key]), str(sentences[key])) for key in sorted(count)]
    return _table(("source", "language", "licence", "documents", "sentences"), rows)


def _training_table(options: TrainOptions, state: TrainState) -> str:
    rows = [(name.replace("_", " "), str(value)) for name, value in asdict(options).items()]
    rows += [("pairs seen", str(state.pairs)), ("best held-out loss", f"{state.best:.4f}")]
    return _table(("setting", "value"), rows)


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
