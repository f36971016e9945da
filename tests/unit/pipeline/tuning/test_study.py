from __future__ import annotations

import pytest
from optuna.storages import InMemoryStorage

from pipeline.tuning.space import Space, Values
from pipeline.tuning.study import Study, delete_study
from pipeline.tuning.trial import Outcome
from rubrica.errors import ConfigurationError
from tests.support.tuning import QUICK, outcome

NOW = dict(outcome(300, 0.5).values)
SPACE = Space(QUICK)


class Runs:
    """Tries settings in no time, and can fail."""

    def __init__(self) -> None:
        self.tried: list[Values] = []
        self.stop_at = -1

    def __call__(self, values: Values) -> Outcome:
        if len(self.tried) == self.stop_at:
            raise KeyboardInterrupt
        self.tried.append(values)
        return outcome(values["max_tokens"], min(1.0, values["max_tokens"] / 512), **values)


def test_settings_in_force_are_trial_0_and_tried_once() -> None:
    runs, storage = Runs(), InMemoryStorage()
    for _ in range(2):
        study = Study(storage, "s", "x")
        study.try_current(NOW, runs)
    assert runs.tried == [NOW]
    found = study.current(NOW)
    assert found is not None
    assert found.number == 0
    study.try_current(NOW | {"max_tokens": 64}, runs)
    assert len(runs.tried) == 2


def test_a_study_has_as_many_trials_as_asked_for() -> None:
    runs = Runs()
    study = Study(InMemoryStorage(), "s", "x")
    study.try_current(NOW, runs)
    study.search(SPACE, runs, trials=6)
    assert study.done == len(study.candidates) == 6
    study.search(SPACE, runs, trials=6)
    assert study.done == 6


def test_an_interrupted_trial_is_tried_again_first() -> None:
    runs, storage = Runs(), InMemoryStorage()
    runs.stop_at = 3
    study = Study(storage, "s", "x")
    with pytest.raises(KeyboardInterrupt):
        study.search(SPACE, runs, trials=9)
    assert study.done == 3
    left = storage.get_all_trials(storage.get_study_id_from_name("s"))[-1].params
    runs.stop_at = -1
    again = Study(storage, "s", "x")
    again.search(SPACE, runs, trials=4)
    assert again.done == 4
    assert runs.tried[3]["max_tokens"] == left["max_tokens"]
    assert runs.tried[3]["overlap"] == left["overlap"]


def test_no_trial_begins_after_the_time() -> None:
    runs = Runs()
    study = Study(InMemoryStorage(), "s", "x")
    study.search(SPACE, runs, trials=9, until=0.0)
    assert not runs.tried


def test_settings_that_contradict_each_other_are_passed_over() -> None:
    def refuse(values: Values) -> Outcome:
        raise ConfigurationError("No room.")

    study = Study(InMemoryStorage(), "s", "x")
    study.search(SPACE, refuse, trials=3)
    assert (study.done, study.candidates) == (3, [])


def test_a_study_is_about_one_subject() -> None:
    storage = InMemoryStorage()
    Study(storage, "s", "x")
    with pytest.raises(ConfigurationError, match="--fresh"):
        Study(storage, "s", "y")
    delete_study(storage, "s")
    delete_study(storage, "s")
    Study(storage, "s", "y")


def test_the_same_seed_tries_the_same() -> None:
    tried = []
    for _ in range(2):
        runs = Runs()
        Study(InMemoryStorage(), "s", "x", seed=5).search(SPACE, runs, trials=12)
        tried.append(runs.tried)
    assert tried[0] == tried[1]
