"""A circuit breaker: what fails is left alone for a while."""

from __future__ import annotations

from collections.abc import Callable

from rubrica.log import get_logger

_LONGEST_PAUSE_S = 60.0

_log = get_logger(__name__)


class Breaker:
    """Says when not to try again; warns once per outage.

    The pause doubles with every failure in a row, up to a minute: a server that lets each caller
    wait for a time-out then costs a run a few per cent of its time, not a third.
    """

    def __init__(self, name: str, event: str, pause_s: float, timer: Callable[[], float]) -> None:
        """Prepare a closed breaker.

        Args:
            name: What is protected; begins the names of the logged events.
            event: What it means when it opens.
            pause_s: Seconds without a try after the first failure.
            timer: Seconds that never go back.
        """
        self._name = name
        self._event = f"{name}_{event}"
        self._first_s = pause_s
        self._timer = timer
        self._until = 0.0
        self._failures = 0

    @property
    def open(self) -> bool:
        """Whether to leave it alone now."""
        return self._failures > 0 and self._timer() < self._until

    def trip(self, reason: object) -> None:
        """Tell that a try failed."""
        if not self._failures:
            _log.warning(self._event, reason=str(reason), effect="the run goes on without it")
        pause = min(self._first_s * 2**self._failures, max(self._first_s, _LONGEST_PAUSE_S))
        self._failures = min(self._failures + 1, 16)
        self._until = self._timer() + pause

    def reset(self) -> None:
        """Tell that a try succeeded."""
        if self._failures:
            _log.info(f"{self._name}_is_back", after=self._event)
        self._failures = 0
