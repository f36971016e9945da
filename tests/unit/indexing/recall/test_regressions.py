from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.recall.metrics import LABELS, QUESTIONS
from indexing.recall.model import AnswerHit, Evaluation, QuestionOutcome
from indexing.recall.regressions import METRIC, Rules, broken, in_words, judge, lost_labels

RULES = Rules(floor=0.9, alpha=0.05, min_questions=5, labels_floor=0.9)

Found = Sequence[float | None]
"""recall@5 of each question; ``None`` where its label is stale."""


def _evaluation(found: Found, *, text: str = "") -> Evaluation:
    hit = AnswerHit(1, 0.5, "c", "a.md", 0, 4, None, 0.0, relevant=False, text=text)
    answers = tuple(
        QuestionOutcome(f"q{i:02}", resolved=False, labels_resolved=0)
        if value is None
        else QuestionOutcome(f"q{i:02}", resolved=True, outcome={METRIC: value}, hits=(hit,))
        for i, value in enumerate(found)
    )
    known = [value for value in found if value is not None]
    metrics = {LABELS: len(known) / len(found), QUESTIONS: float(len(known))}
    return Evaluation(metrics | ({METRIC: sum(known) / len(known)} if known else {}), answers)


@pytest.mark.parametrize(("hits", "under"), [(9, False), (8, True)])
def test_the_floor_itself_is_high_enough(hits: int, under: bool) -> None:
    judged = judge(_evaluation([1.0] * hits + [0.0] * (10 - hits)), None, RULES)
    assert judged.under_floor is under
    assert judged.regressed is under
    assert judged.acceptable is not under
    assert ("under the floor of 0.90" in " ".join(judged.reasons)) is under


def test_where_only_drops_count_there_is_no_floor() -> None:
    judged = judge(_evaluation([0.0] * 10), None, Rules(floor=None))
    assert not judged.regressed
    assert judged.acceptable


@pytest.mark.parametrize(("lost", "dropped"), [(4, False), (5, True)])
def test_five_questions_lost_and_none_won_are_not_chance(lost: int, dropped: bool) -> None:
    before, after = _evaluation([1.0] * 200), _evaluation([0.0] * lost + [1.0] * (200 - lost))
    judged = judge(after, before, RULES)
    # One-sided sign test: 1/16 = 0.0625 of chance with four, 1/32 = 0.031 with five.
    assert judged.dropped is dropped
    assert not judged.under_floor
    assert not judged.acceptable
    if dropped:
        assert judged.reasons == (
            "recall@5 fell from 1.000 to 0.975 over 200 questions in common (5 worse, 0 better, p = 0.031).",
        )


def test_a_small_drop_passes_but_does_not_become_the_measure() -> None:
    """Else one question lost a day would never be an alarm above the floor."""
    accepted = _evaluation([1.0] * 100)
    for lost in range(1, 6):
        now = _evaluation([0.0] * lost + [1.0] * (100 - lost))
        judged = judge(now, accepted, RULES)
        if judged.acceptable:
            accepted = now
    assert judged.dropped


def test_what_is_as_good_or_asks_more_becomes_the_measure() -> None:
    assert judge(_evaluation([1.0] * 20), _evaluation([1.0] * 20), RULES).acceptable
    assert judge(_evaluation([0.0] + [1.0] * 25), _evaluation([1.0] * 20), RULES).acceptable


def test_a_stale_label_is_no_drop() -> None:
    judged = judge(_evaluation([*[None] * 6, *[1.0] * 14]), _evaluation([1.0] * 20), RULES)
    assert judged.stale
    assert judged.labels == 0.7
    assert not judged.regressed
    assert not judged.acceptable
    assert lost_labels(_evaluation([None, 1.0]), _evaluation([1.0, 1.0])) == ["q00"]


def test_a_first_measure_is_taken_although_labels_are_stale() -> None:
    judged = judge(_evaluation([*[None] * 6, *[1.0] * 14]), None, RULES)
    assert judged.stale
    assert judged.acceptable


def test_without_a_question_that_resolves_nothing_is_said_of_recall() -> None:
    judged = judge(_evaluation([None] * 20), _evaluation([1.0] * 20), RULES)
    assert judged.recall is None
    assert judged.stale
    assert not judged.regressed
    assert not judged.acceptable


def test_too_few_questions_in_common_are_not_compared() -> None:
    judged = judge(_evaluation([0.0] * 4), _evaluation([1.0] * 4), Rules(floor=None))
    assert judged.comparison is None
    assert not judged.dropped


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1))
def test_better_answers_are_never_a_drop(pairs: list[tuple[float, float]]) -> None:
    before = _evaluation([min(pair) for pair in pairs])
    after = _evaluation([max(pair) for pair in pairs])
    judged = judge(after, before, RULES)
    assert not judged.dropped
    assert not judged.lower


def test_the_questions_that_broke_are_named_with_both_answers() -> None:
    before = _evaluation([1.0, 1.0, 0.0, 1.0, None], text="as it was")
    after = _evaluation([0.5, 0.0, 0.0, 1.0, 1.0], text="as it is")
    found = broken(after, before)
    assert [(item.question_id, item.before, item.now) for item in found] == [
        ("q01", 1.0, 0.0),
        ("q00", 1.0, 0.5),
    ]
    assert (found[0].hits_before[0].text, found[0].hits[0].text) == ("as it was", "as it is")
    assert len(broken(after, before, most=1)) == 1


def test_without_a_baseline_those_that_are_not_answered_are_named() -> None:
    found = broken(_evaluation([1.0, 0.0, None]), None)
    assert [(item.question_id, item.before) for item in found] == [("q01", None)]


def test_a_drop_is_told_in_words() -> None:
    judged = judge(_evaluation([0.0] * 5 + [1.0]), _evaluation([1.0] * 5 + [0.0]), RULES)
    assert judged.comparison is not None
    assert in_words(judged.comparison).startswith("recall@5 fell from 0.833 to 0.167 over 6 questions")
