from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.chunkers.align import AlignmentError
from benchmarks.chunkers.norms import Finder, as_file, read_questions
from benchmarks.chunkers.sets import read_file, retrieval_sets

_DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


def test_a_quote_is_found_on_its_page_whatever_extraction_joined() -> None:
    pages = {1: "Толщина слоя\nне менее 20 мм.", 3: "Толщина слоя не ме\u00ad\nнее 20 мм."}
    document = read_file(as_file(pages), "norm.txt")
    start, end = Finder(document).span("не ме\u00ad\nнее 20", 3)
    assert document.text[start:end].replace("\n", " ") == "не менее 20"
    assert start > document.text.index("20 мм")
    with pytest.raises(AlignmentError, match="page 2"):
        Finder(document).span("Толщина", 2)


def test_no_two_questions_are_the_same() -> None:
    questions = read_questions()
    assert len(questions) >= 60
    assert len({question.question for question in questions}) == len(questions)
    assert len({(q.document, q.page, q.start, q.end) for q in questions}) == len(questions)


@pytest.mark.skipif(not _DATA.is_dir(), reason="the data is not on this machine")
def test_every_span_resolves() -> None:
    norms = retrieval_sets(_DATA)["norms"]()
    assert len(norms.questions) == len(read_questions())
    assert all(span[0] < span[1] for question in norms.questions for span in question.spans)
