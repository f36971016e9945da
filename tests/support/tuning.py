"""A corpus that is tuned in milliseconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from indexing.recall.model import GoldenQuestion, GoldenSpan
from pipeline.tuning.corpus import Corpus, build_corpus
from pipeline.tuning.trial import Outcome
from rubrica.settings import Settings
from tests.support.indexing import make_document

NOUNS = (
    *("причал", "настил", "лодка", "весло", "лебёдка", "трап"),
    *("якорь", "буй", "канат", "фонарь", "спасатель", "катер"),
)
SENTENCE = "{} осматривают каждый день и чинят в тот же день по правилу номер {}."
QUICK = ("recursive", "heading")


def corpus() -> Corpus:
    """Twelve sentences in two documents; each is asked for by its noun."""
    documents, questions = [], []
    for first in (0, 6):
        sentences = [SENTENCE.format(noun, i) for i, noun in enumerate(NOUNS[first : first + 6], first)]
        document = make_document(f"d{first}", sentences, path=f"d{first}.md")
        documents.append(document)
        questions += [
            GoldenQuestion(f"q{i}", f"{noun} осматривают?", document.path, (GoldenSpan(quote=sentence),))
            for i, (noun, sentence) in enumerate(zip(NOUNS[first : first + 6], sentences, strict=True), first)
        ]
    ids = {("", document.path): document.id for document in documents}
    return build_corpus(documents, questions, ids)


def settings(home: Path, **values: Any) -> Settings:
    """Settings of the test's own."""
    return Settings(home=home, strategy="recursive", max_tokens=32, **values)


def outcome(cost: int, recall: float, mrr: float = 0.5, **values: Any) -> Outcome:
    """What came of settings, made up."""
    known = {"strategy": "recursive", "max_tokens": cost, "min_tokens": 0, "overlap": 0, "context_line": True}
    metrics = {"recall@5": recall, "mrr": mrr}
    questions = {f"q{i}": {"recall@5": float(i < 20 * recall)} for i in range(20)}
    return Outcome(known | values, metrics, questions, cost // 10, cost, 0, cost, 0.1)
