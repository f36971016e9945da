"""Metrics of retrieval, by trec_eval's own code through ``ir_measures``; the IoU of tokens is ours.

Two views of one ranking are measured. Recall asks for passages: how many of those that a question names are
found among the first k chunks. Precision, MRR and nDCG ask for chunks: how many of those returned, and how
high, are right answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import ir_measures
from ir_measures import RR, Measure, P, R, nDCG

from indexing.recall.coverage import overlap, united
from indexing.recall.model import CharSpan
from rubrica.model import Hit

DEPTHS = (1, 5, 10)
PRECISION_AT = 5
RANKED_TO = 10
IOU_AT = 5
RECALL = "recall@{}"
MRR, NDCG, PRECISION, IOU = "mrr", f"ndcg@{RANKED_TO}", f"precision@{PRECISION_AT}", "iou"
LABELS, QUESTIONS = "labels_resolved", "questions"

_MEASURES = {MRR: RR @ RANKED_TO, NDCG: nDCG @ RANKED_TO, PRECISION: P @ PRECISION_AT}
_TOKEN = re.compile(r"\w+|[^\w\s]")
_NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was found for one question.

    Attributes:
        id: Of the question.
        found: Of each passage the rank at which it is found; ``None`` where it is not.
        right: Ids of the chunks that are right answers, wherever they are ranked.
        ranked: Ids of the chunks that were returned, best first.
    """

    id: str
    found: Sequence[int | None]
    right: Iterable[str]
    ranked: Sequence[str]


def measure(rankings: Sequence[Ranking], depths: Sequence[int] = DEPTHS) -> dict[str, dict[str, float]]:
    """Metrics of each question by name, by id of the question.

    Args:
        rankings: One a question, ids unique.
        depths: The k of recall.
    """
    values: dict[str, dict[str, float]] = {ranking.id: {} for ranking in rankings}
    for depth in depths:
        _add_recall(values, rankings, depth)
    _add(values, _MEASURES, {item.id: dict.fromkeys(item.right, 1) for item in rankings}, _by_rank(rankings))
    return values


def _add_recall(values: dict[str, dict[str, float]], rankings: Sequence[Ranking], depth: int) -> None:
    """Recall of passages; one chunk may hold several, so that each depth is a run of its own."""
    qrels = {item.id: {str(i): 1 for i in range(len(item.found))} for item in rankings}
    run = {
        item.id: {str(i): 1.0 for i, rank in enumerate(item.found) if rank is not None and rank <= depth}
        or {_NOTHING: 0.0}
        for item in rankings
    }
    most = max((len(item.found) for item in rankings), default=1)
    _add(values, {RECALL.format(depth): R @ max(1, most)}, qrels, run)


def _by_rank(rankings: Sequence[Ranking]) -> dict[str, dict[str, float]]:
    """Scores that fall with the rank: those of the search may tie, and trec_eval orders by them alone."""
    return {
        item.id: {chunk: 1.0 / rank for rank, chunk in enumerate(item.ranked, 1)} or {_NOTHING: 0.0}
        for item in rankings
    }


def _add(
    values: dict[str, dict[str, float]],
    measures: Mapping[str, Measure],
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
) -> None:
    names = {str(measure): name for name, measure in measures.items()}
    for metric in ir_measures.iter_calc(list(measures.values()), qrels, run):
        values[metric.query_id][names[str(metric.measure)]] = float(metric.value)


def tokens(text: str) -> int:
    """Words and marks of a text; the IoU counts them, so that it does not depend on an embedder."""
    return len(_TOKEN.findall(text))


def token_iou(texts: Mapping[str, str], wanted: Sequence[tuple[str, CharSpan]], hits: Sequence[Hit]) -> float:
    """Tokens of the answer among those retrieved, over the union of both (Smith and Troynikov 2024).

    What is retrieved twice counts twice: a reader pays for both.

    Args:
        texts: Texts of the documents that hold the answer, by id.
        wanted: Its passages: document and span.
        hits: What was retrieved.
    """
    shared = retrieved = answer = 0
    for document, text in texts.items():
        spans = united(span for owner, span in wanted if owner == document)
        own = united((hit.start, hit.end) for hit in hits if hit.document_id == document)
        answer += sum(tokens(text[start:end]) for start, end in spans)
        common = ((max(a[0], b[0]), min(a[1], b[1])) for a in spans for b in own if overlap(a, b))
        shared += sum(tokens(text[start:end]) for start, end in common)
    retrieved = sum(tokens(hit.text) for hit in hits)
    whole = answer + retrieved - shared
    return shared / whole if whole else 0.0
