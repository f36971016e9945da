from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.recall.coverage import found_at, holders, union_share
from indexing.recall.evaluate import EvaluationOptions, evaluate
from indexing.recall.metrics import Ranking, measure
from indexing.recall.model import Evaluation, GoldenQuestion, GoldenSpan
from indexing.recall.texts import IndexedText, rebuilt
from rubrica.model import Chunk, Hit

_TEXT = "Вёсла лежат в сарае. Лодки стоят у причала. Ключи висят у двери. Катер чинят зимой."


def _document(name: str = "a", text: str = _TEXT) -> IndexedText:
    """A document whose sentences are its chunks."""
    chunks, start = [], 0
    for ordinal, sentence in enumerate(text.split(". ")):
        body = sentence if sentence.endswith(".") else f"{sentence}."
        chunks.append(
            Chunk(f"{name}{ordinal}", name, ordinal, start, start + len(body), body, body, 5, start)
        )
        start += len(body) + 1
    return rebuilt(name, f"{name}.md", chunks)


_DOCUMENTS = {"a": _document(), "b": _document("b", "Правила одинаковы для всех. Вёсла сушат.")}


def _hit(chunk_id: str, rank: int) -> Hit:
    document = _DOCUMENTS[chunk_id[0]]
    start, end = document.chunks[int(chunk_id[1:])]
    body = document.text[start:end]
    path = document.path
    return Hit(rank, 1 / rank, chunk_id, chunk_id[0], "s", path, "", start, end, 1, 1, (), (), body)


def _asked(*quotes: str, document: str = "a", id_: str = "q") -> GoldenQuestion:
    return GoldenQuestion(id_, "где?", document, tuple(GoldenSpan(quote) for quote in quotes))


def _evaluate(question: GoldenQuestion, ranked: Sequence[str], **options: Any) -> Evaluation:
    hits = [_hit(chunk, rank) for rank, chunk in enumerate(ranked, 1)]
    return evaluate(
        [question],
        lambda _, k: hits[:k],
        lambda _, name: _DOCUMENTS.get(name),
        EvaluationOptions(**options),
    )


def test_the_text_of_a_document_is_rebuilt_from_its_chunks() -> None:
    assert _DOCUMENTS["a"].text.split() == _TEXT.split()
    assert [_DOCUMENTS["a"].text[slice(*span)] for span in _DOCUMENTS["a"].chunks][
        1
    ] == "Лодки стоят у причала."


def test_an_answer_in_third_place() -> None:
    result = _evaluate(_asked("Ключи висят у двери"), ["b0", "a0", "a2", "a1"])
    assert result.metrics["recall@1"] == 0
    assert result.metrics["recall@5"] == result.metrics["recall@10"] == 1
    assert result.metrics["mrr"] == pytest.approx(1 / 3)
    assert result.metrics["ndcg@10"] == pytest.approx(0.5)
    assert result.metrics["precision@5"] == pytest.approx(0.2)
    assert result.metrics["labels_resolved"] == 1
    assert [hit.relevant for hit in result.answers[0].hits] == [False, False, True, False]


def test_the_right_place_in_the_wrong_document_is_no_answer() -> None:
    result = _evaluate(_asked("Вёсла лежат в сарае"), ["b0", "b1"])
    assert result.metrics["recall@10"] == result.metrics["mrr"] == result.metrics["iou"] == 0


def test_nothing_found() -> None:
    result = _evaluate(_asked("Вёсла лежат в сарае"), [])
    assert result.metrics["recall@10"] == result.metrics["mrr"] == 0
    assert result.answers[0].resolved


def test_a_question_with_several_passages_counts_the_share_that_it_found() -> None:
    result = _evaluate(_asked("Вёсла лежат", "Ключи висят", "Катер чинят"), ["a0", "a2"])
    assert result.metrics["recall@1"] == pytest.approx(1 / 3)
    assert result.metrics["recall@5"] == pytest.approx(2 / 3)


def test_several_passages_in_one_chunk_are_found_at_once() -> None:
    assert _evaluate(_asked("Ключи", "двери"), ["a2"]).metrics["recall@1"] == 1


def test_a_passage_longer_than_any_chunk_is_covered_by_the_union_of_the_first() -> None:
    whole = GoldenQuestion("q", "?", "a", (GoldenSpan(),))
    result = _evaluate(whole, ["a0", "b0", "a1", "a2"])
    assert (result.metrics["recall@1"], result.metrics["recall@5"]) == (0, 1)
    assert result.answers[0].hits[1].relevant is False


def test_one_chunk_must_hold_half_of_a_passage_where_one_can() -> None:
    # The second chunk holds most of it: the first, with the lesser part, is no answer, however high.
    quote = "сарае. Лодки стоят у причала"
    assert _evaluate(_asked(quote), ["a0"]).metrics["recall@10"] == 0
    assert _evaluate(_asked(quote), ["a1"]).metrics["recall@10"] == 1
    assert _evaluate(_asked(quote), ["a0", "a1"], covered=1.0).metrics["recall@5"] == 1
    assert _evaluate(_asked(quote), ["a1"], covered=1.0).metrics["recall@5"] == 0


def test_a_stale_label_is_no_drop_in_recall() -> None:
    questions = [_asked("Ключи висят", id_="ok"), _asked("Этого здесь нет и не было", id_="gone")]
    questions += [_asked("x", document="none", id_="away")]
    asked: list[str] = []

    def search(question: str, k: int) -> list[Hit]:
        asked.append(question)
        return [_hit("a2", 1)]

    result = evaluate(questions, search, lambda _, name: _DOCUMENTS.get(name))
    assert result.metrics["recall@1"] == 1
    assert result.metrics["labels_resolved"] == pytest.approx(1 / 3)
    assert result.metrics["questions"] == 1
    assert len(asked) == 1
    assert [answer.resolved for answer in result.answers] == [True, False, False]
    assert "'none'" in result.answers[2].stale


def test_a_question_that_lost_one_of_its_passages_is_asked_for_the_others() -> None:
    result = _evaluate(_asked("Ключи висят", "Этого здесь нет и не было"), ["a2"])
    assert result.metrics["recall@1"] == 1
    assert result.metrics["labels_resolved"] == 0.5
    assert "any more" in result.answers[0].stale


def test_iou_of_a_chunk_that_is_the_answer_and_of_one_more() -> None:
    quote = "Ключи висят у двери."
    assert _evaluate(_asked(quote), ["a2"]).metrics["iou"] == pytest.approx(
        4 / 5
    )  # the stop is a mark of its own
    both = _evaluate(_asked(quote), ["a2", "a1"]).metrics["iou"]
    assert both == pytest.approx(4 / 10)


def test_own_depths() -> None:
    metrics = _evaluate(_asked("Ключи висят"), ["a0", "a1", "a2"], depths=(2, 3)).metrics
    assert (metrics["recall@2"], metrics["recall@3"]) == (0, 1)


def test_questions_without_any_that_resolve() -> None:
    result = evaluate([_asked("x", document="none")], lambda *_: [], lambda *_: None)
    assert "recall@5" not in result.metrics
    assert result.metrics["labels_resolved"] == result.metrics["questions"] == 0


_SPANS = st.tuples(st.integers(0, 60), st.integers(1, 30)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(_SPANS, st.lists(_SPANS, max_size=8), st.floats(0.01, 1))
def test_found_is_where_enough_is_held(
    span: tuple[int, int], ranked: list[tuple[int, int]], covered: float
) -> None:
    rank = found_at(span, ranked, covered, alone=False)
    held = [
        len({i for s, e in ranked[:k] for i in range(s, e)} & set(range(*span)))
        for k in range(len(ranked) + 1)
    ]
    enough = [k for k in range(1, len(ranked) + 1) if held[k] / (span[1] - span[0]) >= covered - 1e-9]
    assert rank == (enough[0] if enough else None)


@given(_SPANS, st.lists(st.integers(1, 12), min_size=1, max_size=12), st.floats(0.05, 1))
def test_right_chunks_hold_enough(span: tuple[int, int], sizes: list[int], covered: float) -> None:
    chunks, start = [], 0
    for size in sizes:
        chunks.append((start, start + size))
        start += size
    right = holders(span, chunks, covered)
    if union_share(span, chunks) >= covered:
        parts = [chunks[i] for i in right]
        assert union_share(span, parts) >= covered - 1e-9
        assert all(union_share(span, [part]) > 0 for part in parts)


@given(
    st.lists(st.one_of(st.none(), st.integers(1, 12)), min_size=1, max_size=5),
    st.lists(st.integers(1, 12), min_size=1, max_size=3),
)
def test_recall_grows_with_depth_and_is_the_share_found(found: list[int | None], depths: list[int]) -> None:
    values = measure([Ranking("q", found, ["c"], ["c"])], sorted(set(depths)))["q"]
    for depth in depths:
        share = sum(rank is not None and rank <= depth for rank in found) / len(found)
        assert values[f"recall@{depth}"] == pytest.approx(share)
