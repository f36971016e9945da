"""Golden questions, and what an evaluation of them found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

CharSpan = tuple[int, int]
"""Offsets in a document's text: start, and end after the last character."""


class Origin(StrEnum):
    """Where a set of golden questions came from.

    ``REPOSITORY``: ``golden.yaml`` of a source. ``IMPORT``: a file. ``COMMAND``: ``rubrica golden add``.
    ``BOOTSTRAP``: made by Rubrica from headings and first sentences; a stopgap, not a human's judgement.
    """

    REPOSITORY = "repository"
    IMPORT = "import"
    COMMAND = "command"
    BOOTSTRAP = "bootstrap"


@dataclass(frozen=True, slots=True)
class GoldenSpan:
    """A passage that answers a question.

    Named by quote (with ``prefix`` and ``suffix`` as the W3C's ``TextQuoteSelector`` has them), by offsets,
    by page, or, with none of them, the whole document.

    Attributes:
        quote: The passage, as it read when the label was made; blanks, case and marks do not matter.
        start: Offset of the passage in the document's text then: a hint where there is a quote.
        end: Offset after it.
        page: Its page, from 1: decides between places that read alike.
        document: Its document, where that is not the question's own.
        prefix: What stood before the quote.
        suffix: What stood after it.
    """

    quote: str = ""
    start: int | None = None
    end: int | None = None
    page: int | None = None
    document: str = ""
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question, and the passages that answer it.

    Attributes:
        id: Unique in its set, stable.
        question: As a user would ask it.
        document: Path of the document in its source; a file name, a stem or a title that only one document
            has will do.
        spans: The passages; each is worth the same share of the question.
        language: ISO 639-1 code of the question; may be empty.
        source: Name of the source; empty: that of the set, or any.
        answer: What an expert answers; may be empty.
    """

    id: str
    question: str
    document: str
    spans: tuple[GoldenSpan, ...]
    language: str = ""
    source: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """Questions that are evaluated together.

    Attributes:
        name: Unique; small Latin letters, digits, dots, hyphens, underscores.
        questions: In order; ids are unique.
        source: The source that they ask about; ``None``: any.
        origin: Where they came from.
        digest: Of the file that they came from; empty where there is none.
    """

    name: str
    questions: tuple[GoldenQuestion, ...]
    source: str | None = None
    origin: str = Origin.IMPORT
    digest: str = ""


@dataclass(frozen=True, slots=True)
class AnswerHit:
    """A chunk that a search returned for a question.

    Attributes:
        rank: From 1.
        score: The search's own.
        chunk_id: The chunk.
        document: Path of its document.
        start: Offset of its body in the document's text.
        end: Offset after it.
        page: First page of it, from 1; ``None`` without pages.
        covers: Largest share of a golden span's characters that it covers, 0…1.
        relevant: Whether it counts as an answer.
        text: How its body begins.
    """

    rank: int
    score: float
    chunk_id: str
    document: str
    start: int
    end: int
    page: int | None
    covers: float
    relevant: bool
    text: str


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """How one question fared.

    Attributes:
        question_id: Id of the question in its set.
        resolved: Whether a passage of it was found in the documents; where not, the label is stale and the
            question counts in no mean.
        outcome: Its metrics by name (``recall@5``, ``mrr``, …); empty where it is not resolved.
        hits: What the search returned, best first.
        labels: How many passages the question names.
        labels_resolved: How many of them were found in the documents.
        stale: Why the others were not; empty when all were.
    """

    question_id: str
    resolved: bool
    outcome: Mapping[str, float] = field(default_factory=dict)
    hits: tuple[AnswerHit, ...] = ()
    labels: int = 1
    labels_resolved: int = 1
    stale: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How a search answers a set of questions.

    Attributes:
        metrics: Means over the questions that resolve, by name: ``recall@1``, ``recall@5``, ``recall@10``,
            ``mrr``, ``ndcg@10``, ``precision@5``, ``iou``; ``labels_resolved``, the share of passages that
            still stand in the documents; ``questions``, how many the means are over.
        answers: Per question, in the order in which they were given.
        seconds: How long it took.
    """

    metrics: Mapping[str, float]
    answers: tuple[QuestionOutcome, ...]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class EvaluationRecord:
    """An evaluation as the catalog stores it.

    Attributes:
        set_name: The golden set.
        generation_id: The generation that was searched.
        config_sig: Signature of what that generation was built with.
        search: How it was searched: ``mode``, ``rerank``, ``k``, ``covered``, ….
        trigger: Who asked: "command", "ingest", "reindex", "schedule".
        metrics: Means by name.
        answers: Per question; empty where they were not read (``Evaluations.answers`` reads them).
        revisions: Revision of each source then, by name.
        accepted: Whether later evaluations are compared with it.
        id: Given when it is saved; 0 before.
        started_at: When it began; ``None`` before it is saved.
        seconds: How long it took.
    """

    set_name: str
    generation_id: int
    config_sig: str
    search: Mapping[str, Any]
    trigger: str
    metrics: Mapping[str, float]
    answers: tuple[QuestionOutcome, ...] = ()
    revisions: Mapping[str, str] = field(default_factory=dict)
    accepted: bool = False
    id: int = 0
    started_at: datetime | None = None
    seconds: float = 0.0
