"""A study: trials one after the other, each chosen by what came of those before, all kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import optuna
from optuna.samplers import TPESampler
from optuna.storages import BaseStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState, create_trial

from pipeline.tuning.space import Space, Values
from pipeline.tuning.trial import Outcome
from rubrica.errors import ConfigurationError
from rubrica.log import get_logger

SUBJECT = "subject"
_OUTCOME, _CURRENT, _REFUSED = "outcome", "current", "refused"
_DIRECTIONS = (StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE)
_STARTUP = 8  # trials at random before the sampler learns
_RETRIED = 2

_log = get_logger(__name__)

Run = Callable[[Values], Outcome]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Settings that were tried.

    Attributes:
        number: Number of the trial, from 0.
        outcome: What came of it.
        current: Whether these are the settings that are in force.
    """

    number: int
    outcome: Outcome
    current: bool


class Study:
    """Trials of one subject under one name; killed at any time, it goes on with the next trial.

    The sampler is a tree-structured Parzen estimator for two objectives (Ozaki et al. 2020): high quality
    and low cost.
    """

    def __init__(self, storage: BaseStorage, name: str, subject: str, *, seed: int = 1) -> None:
        """Open a study, or take one up again.

        Args:
            storage: Keeps it.
            name: Its name.
            subject: Identity of what trials are judged by.
            seed: Makes the search repeatable.

        Raises:
            ConfigurationError: The study of that name is about another subject.
        """
        self.name = name
        self._study = optuna.create_study(
            storage=storage, study_name=name, directions=_DIRECTIONS, load_if_exists=True
        )
        known = self._study.user_attrs.get(SUBJECT, subject)
        if known != subject:
            raise ConfigurationError(
                f"The study {name!r} is about other documents, questions or models.",
                hint="Give another --name, or --fresh to begin it anew.",
            )
        self._study.set_user_attr(SUBJECT, subject)
        # Another seed after each interruption: the same one would draw what it drew before.
        self._study.sampler = TPESampler(n_startup_trials=_STARTUP, seed=seed + len(self._trials()))
        self._take_up()

    @property
    def candidates(self) -> list[Candidate]:
        """All settings that were tried to the end, in order."""
        return [_candidate(trial) for trial in self._trials(TrialState.COMPLETE)]

    @property
    def done(self) -> int:
        """How many trials came to an end, those that were refused included."""
        refused = [trial for trial in self._trials(TrialState.FAIL) if _REFUSED in trial.user_attrs]
        return len(self._trials(TrialState.COMPLETE)) + len(refused)

    def current(self, values: Values) -> Candidate | None:
        """The trial of the settings in force, if they were tried."""
        found = [item for item in self.candidates if item.current and item.outcome.values == values]
        return found[0] if found else None

    def try_current(self, values: Values, run: Run) -> None:
        """Try the settings in force, unless that was done: all others are compared with them.

        Args:
            values: The settings.
            run: Tries them.
        """
        if self.current(values) is not None:
            return
        outcome = run(values)
        # They may lie outside the space, so the trial names no parameters.
        self._study.add_trial(
            create_trial(
                values=[outcome.quality, outcome.cost],
                user_attrs={_OUTCOME: outcome.to_json(), _CURRENT: True},
            )
        )

    def search(self, space: Space, run: Run, *, trials: int, until: float = float("inf")) -> None:
        """Try settings of a space.

        Args:
            space: What may be tried.
            run: Tries settings; an interruption passes through, and its trial is tried again next time.
            trials: How many trials the study shall have in all.
            until: Time (``time.monotonic``) after which no further trial begins.
        """
        while self.done < trials and time.monotonic() < until:
            trial = self._study.ask()
            values = space.suggest(trial)
            try:
                outcome = self._known(values) or run(values)
            except ConfigurationError as error:
                trial.set_user_attr(_REFUSED, error.reason)
                self._study.tell(trial, state=TrialState.FAIL)
                _log.warning("trial_refused", trial=trial.number, reason=error.reason)
                continue
            trial.set_user_attr(_OUTCOME, outcome.to_json())
            self._study.tell(trial, [outcome.quality, outcome.cost])

    def _known(self, values: Values) -> Outcome | None:
        """The outcome of the same settings in an earlier trial."""
        found = (item.outcome for item in self.candidates if item.outcome.values == values)
        return next(found, None)

    def _take_up(self) -> None:
        """Put trials that were cut short back in front of the queue."""
        for trial in self._trials(TrialState.RUNNING):
            self._study.tell(trial.number, state=TrialState.FAIL)
            if trial.params and trial.user_attrs.get("tries", 0) < _RETRIED:
                tries = {"tries": trial.user_attrs.get("tries", 0) + 1}
                self._study.enqueue_trial(_plain(trial), user_attrs=tries)
                _log.info("trial_taken_up", trial=trial.number)

    def _trials(self, *states: TrialState) -> list[FrozenTrial]:
        return self._study.get_trials(deepcopy=False, states=states or None)


def _candidate(trial: FrozenTrial) -> Candidate:
    kept = trial.user_attrs
    return Candidate(trial.number, Outcome.from_json(kept[_OUTCOME]), _CURRENT in kept)


def _plain(trial: FrozenTrial) -> dict[str, Any]:
    params: Mapping[str, Any] = trial.params
    return dict(params)


def delete_study(storage: BaseStorage, name: str) -> None:
    """Forget a study, if there is one."""
    if name in optuna.get_all_study_names(storage):
        optuna.delete_study(study_name=name, storage=storage)
