"""Every label of the sets that recall is measured on resolves to where it was made."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.chunkers.sets import RetrievalSet, read_norms, read_squad
from indexing.recall.folding import fold
from indexing.recall.formats import read_golden
from indexing.recall.model import GoldenQuestion
from indexing.recall.resolve import resolve
from indexing.recall.texts import IndexedText
from pipeline.golden import page_texts
from rubrica.model import Document

_ROOT = Path(__file__).parents[4]
_DATA = _ROOT.parent / "shared" / "data" / "retrieval"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not _DATA.is_dir(), reason="needs the shared data")]


def _indexed(document: Document) -> IndexedText:
    span = (0, len(document.text))
    return IndexedText(document.path, document.path, document.text, (span,), ("all",), ((0, 0),))


def _check(known: RetrievalSet, labels: tuple[GoldenQuestion, ...]) -> None:
    documents = [_indexed(document) for document in known.documents]
    assert len(labels) == len(known.questions)
    for label, question in zip(labels, known.questions, strict=True):
        document = documents[question.document]
        (wanted,) = question.spans
        span = resolve(label.spans[0], document).span
        assert span is not None, label.question
        # Marks at the ends of an answer are not looked for.
        assert wanted[0] <= span[0] < span[1] <= wanted[1], label.question
        assert fold(document.text[slice(*span)]) == fold(document.text[slice(*wanted)])


@pytest.mark.parametrize("name", ["xquad.ru", "xquad.en"])
def test_short_answers_in_long_articles(name: str) -> None:
    path = _DATA / f"{name}.first24.json"
    _check(read_squad(path, name), read_golden(path))


def test_passages_of_norms() -> None:
    folder = _DATA / "akumsk_pages"
    labels = read_golden(_ROOT / "benchmarks" / "golden" / "norms.jsonl", pages=page_texts(folder))
    _check(read_norms(folder), labels)
