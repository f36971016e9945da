"""Asks a search golden questions and says how well it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from indexing.recall.coverage import fits_one, found_at, holders, share
from indexing.recall.metrics import (
    DEPTHS,
    IOU,
    IOU_AT,
    LABELS,
    QUESTIONS,
    RANKED_TO,
    Ranking,
    measure,
    token_iou,
)
from indexing.recall.model import AnswerHit, CharSpan, Evaluation, GoldenQuestion, QuestionOutcome
from indexing.recall.resolve import resolve
from indexing.recall.texts import IndexedText
from rubrica.model import Hit
from rubrica.protocols import NoProgress, Progress

Search = Callable[[str, int], Sequence[Hit]]
"""Answers a question with at most k hits, best first."""

Texts = Callable[[str, str], IndexedText | None]
"""The document that a label means, by source (may be empty) and name; ``None`` where there is none."""

COVERED = 0.5
_SHOWN = 300
_NO_DOCUMENT = "no document {!r} is indexed"


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """How answers are judged.

    Attributes:
        depths: The k of recall.
        covered: Part of a passage's characters that a chunk must hold to count as a hit.
    """

    depths: tuple[int, ...] = DEPTHS
    covered: float = COVERED

    @property
    def depth(self) -> int:
        """How many hits are asked for."""
        return max(*self.depths, RANKED_TO, IOU_AT)


@dataclass(frozen=True, slots=True)
class Place:
    """A passage that was found in the documents."""

    document: IndexedText
    span: CharSpan


@dataclass(frozen=True, slots=True)
class Located:
    """A question with its passages as they stand now.

    Attributes:
        question: The question.
        places: Passages that were found.
        stale: Why others were not, one reason each.
        ambiguous: What of those that were found stands in several places alike, one remark each.
    """

    question: GoldenQuestion
    places: tuple[Place, ...]
    stale: tuple[str, ...]
    ambiguous: tuple[str, ...] = ()


def locate(question: GoldenQuestion, texts: Texts) -> Located:
    """Find a question's passages in the documents.

    Args:
        question: The question.
        texts: Hands out documents.
    """
    places: list[Place] = []
    stale: list[str] = []
    ambiguous: list[str] = []
    for label in question.spans:
        name = label.document or question.document
        document = texts(question.source, name)
        if document is None:
            stale.append(_NO_DOCUMENT.format(name))
            continue
        resolved = resolve(label, document)
        if resolved.span is None:
            stale.append(f"{document.path}: {resolved.stale}")
        else:
            places.append(Place(document, resolved.span))
        if resolved.alike > 1:
            ambiguous.append(
                f"{document.path}: the quote stands in {resolved.alike} places; the first counts"
            )
    return Located(question, tuple(places), tuple(stale), tuple(ambiguous))


def evaluate(
    questions: Iterable[GoldenQuestion],
    search: Search,
    texts: Texts,
    options: EvaluationOptions | None = None,
    *,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask all questions and measure the answers.

    A passage counts as found at k when one of the first k chunks holds at least ``covered`` of its
    characters, or, where no chunk of the index does, as many of the first k as hold that much together. A
    question counts the share of its passages that are found. Questions without a passage that still stands
    in the documents are not asked: a stale label is no drop in recall.

    Args:
        questions: Ids are unique.
        search: The search.
        texts: Hands out documents by source and name.
        options: How answers are judged.
        progress: Hears of every question.
    """
    options = options or EvaluationOptions()
    progress = progress or NoProgress()
    started = time.monotonic()
    located: list[Located] = []
    answers: dict[str, Sequence[Hit]] = {}
    for question in questions:
        item = locate(question, texts)
        located.append(item)
        if item.places:
            answers[question.id] = search(question.question, options.depth)
        progress.advance()
    outcomes = _judge(located, answers, options)
    return Evaluation(_means(outcomes), outcomes, time.monotonic() - started)


def _judge(
    located: Sequence[Located], answers: dict[str, Sequence[Hit]], options: EvaluationOptions
) -> tuple[QuestionOutcome, ...]:
    known = [item for item in located if item.places]
    rankings = [_ranking(item, answers[item.question.id], options.covered) for item in known]
    values = measure(rankings, options.depths)
    right = {ranking.id: frozenset(ranking.right) for ranking in rankings}
    return tuple(
        _outcome(item, answers[item.question.id], values[item.question.id], right[item.question.id])
        if item.places
        else _unresolved(item)
        for item in located
    )


def _ranking(item: Located, hits: Sequence[Hit], covered: float) -> Ranking:
    right = [
        place.document.chunk_ids[i]
        for place in item.places
        for i in holders(place.span, tuple(place.document.tiles.values()), covered)
    ]
    found = [_found_at(place, hits, covered) for place in item.places]
    return Ranking(item.question.id, found, right, [hit.chunk_id for hit in hits])


def _found_at(place: Place, hits: Sequence[Hit], covered: float) -> int | None:
    tiles = place.document.tiles
    own = [tiles.get(hit.chunk_id) for hit in hits]
    alone = fits_one(place.span, tiles.values(), covered)
    return found_at(place.span, own, covered, alone=alone)


def _outcome(
    item: Located, hits: Sequence[Hit], values: dict[str, float], right: frozenset[str]
) -> QuestionOutcome:
    texts = {place.document.document_id: place.document.text for place in item.places}
    wanted = [(place.document.document_id, place.span) for place in item.places]
    return QuestionOutcome(
        item.question.id,
        resolved=True,
        outcome=values | {IOU: token_iou(texts, wanted, hits[:IOU_AT])},
        hits=tuple(_hit(item.places, hit, relevant=hit.chunk_id in right) for hit in hits),
        labels=len(item.question.spans),
        labels_resolved=len(item.places),
        stale="; ".join(item.stale),
    )


def _unresolved(item: Located) -> QuestionOutcome:
    labels = len(item.question.spans)
    return QuestionOutcome(
        item.question.id, resolved=False, labels=labels, labels_resolved=0, stale="; ".join(item.stale)
    )


def _hit(places: Sequence[Place], hit: Hit, *, relevant: bool) -> AnswerHit:
    shares = [
        share(place.span, place.document.tiles[hit.chunk_id])
        for place in places
        if hit.chunk_id in place.document.tiles
    ]
    return AnswerHit(
        rank=hit.rank,
        score=hit.score,
        chunk_id=hit.chunk_id,
        document=hit.path,
        start=hit.start,
        end=hit.end,
        page=hit.page_from,
        covers=max(shares, default=0.0),
        relevant=relevant,
        text=" ".join(hit.text[:_SHOWN].split()),
    )


def _means(outcomes: Sequence[QuestionOutcome]) -> dict[str, float]:
    resolved = [item for item in outcomes if item.resolved]
    names = list(dict.fromkeys(name for item in resolved for name in item.outcome))
    means = {name: sum(item.outcome[name] for item in resolved) / len(resolved) for name in names}
    labels = sum(item.labels for item in outcomes)
    kept = sum(item.labels_resolved for item in outcomes)
    return means | {LABELS: kept / labels if labels else 0.0, QUESTIONS: float(len(resolved))}
