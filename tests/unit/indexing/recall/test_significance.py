from __future__ import annotations

import numpy as np
import pytest

from indexing.recall.model import QuestionOutcome
from indexing.recall.significance import compare, randomisation_p


def _outcomes(*values: float | None) -> list[QuestionOutcome]:
    return [
        QuestionOutcome(str(i), value is not None, {} if value is None else {"recall@5": value})
        for i, value in enumerate(values)
    ]


def test_no_difference() -> None:
    found = compare(_outcomes(1, 0, 1), _outcomes(1, 0, 1))
    assert (found.p, found.difference, found.worse, found.better) == (1.0, 0.0, (), ())


def test_five_questions_lost_of_five_that_differ() -> None:
    # Two of the 32 signs are as far from zero.
    assert randomisation_p(np.array([-1.0] * 5)) == pytest.approx(2 / 32)
    assert randomisation_p(np.array([-1.0] * 6 + [0.0] * 100)) == pytest.approx(2 / 64)


def test_a_large_drop_is_significant_and_names_its_questions() -> None:
    found = compare(_outcomes(*[1.0] * 40), _outcomes(*[1.0] * 28, *[0.0] * 12))
    assert found.significant_drop()
    assert found.worse == tuple(str(i) for i in range(28, 40))
    assert found.difference == pytest.approx(-0.3)


def test_gains_and_losses_that_even_out_are_chance() -> None:
    before = _outcomes(*[1.0] * 10, *[0.0] * 10)
    after = _outcomes(*[0.0] * 10, *[1.0] * 9, 0.0)
    found = compare(before, after)
    assert not found.significant()
    assert len(found.worse) == 10
    assert len(found.better) == 9


def test_stale_and_unshared_questions_say_nothing() -> None:
    found = compare(_outcomes(1, None, 1, 0), _outcomes(0, 0, None))
    assert found.questions == 1
    assert found.worse == ("0",)
    assert compare([], []).p == 1.0


def test_the_same_values_give_the_same_p() -> None:
    differences = np.linspace(-1, 0.6, 40)
    assert randomisation_p(differences) == randomisation_p(differences)
