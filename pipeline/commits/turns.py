"""When each polled source is looked at, and which of its revisions are told of."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pipeline.commits.model import Change
from sources.declared import DeclaredSource

_SPREAD_S = 5.0
_LONGEST_PAUSE_S = 3600.0
_FIRST_RETRY_S = 60.0
_LONGEST_RETRY_S = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Look:
    """What a source holds, and how far the index has followed.

    Attributes:
        revision: The source's newest revision.
        reached: Whether the live index is there.
        running: Whether the run of that revision works.
        failed_s: Seconds since that run failed; ``None`` where it did not.
    """

    revision: str
    reached: bool
    running: bool = False
    failed_s: float | None = None


@dataclass(slots=True)
class _Turn:
    source: DeclaredSource
    due: float
    looking: bool = False
    failures: int = 0
    told: str = ""
    tellings: int = 0
    again: float = 0.0


class Turns:
    """The polled sources; times are seconds of one clock.

    A revision that the index lacks is told of at once, and again after 1, 2, 4 … minutes, up to 6 hours, as
    long as it is lacking: whoever was told may have been stopped, and a run that failed may do better. All of
    that but the pause is in the catalog, so that nothing is lost when this is started anew.

    Args:
        jitter: A factor about 1, so that sources of one interval do not stay in step.
    """

    def __init__(self, jitter: Callable[[], float] = lambda: random.uniform(0.9, 1.1)) -> None:  # noqa: S311
        self._jitter = jitter
        self._turns: dict[str, _Turn] = {}

    def keep(self, sources: Iterable[DeclaredSource], now: float) -> None:
        """Poll these sources and no others; a source that has changed is looked at soon."""
        kept: dict[str, _Turn] = {}
        for source in sources:
            if source.poll_s is None:
                continue
            known = self._turns.get(source.spec.name)
            if known is None or known.source != source:
                first = min(_SPREAD_S, source.poll_s) * (self._jitter() - 0.9) * 5
                known = _Turn(source, now + first)
            kept[source.spec.name] = known
        self._turns = kept

    def due(self, now: float) -> list[DeclaredSource]:
        """Sources to look at now; each is left alone until its look has ended."""
        due = [turn for turn in self._turns.values() if turn.due <= now and not turn.looking]
        for turn in due:
            turn.looking = True
        return [turn.source for turn in due]

    def seen(self, source: DeclaredSource, look: Look, now: float) -> Change | None:
        """Note what a look found; returns the change that is to be told of, if there is one."""
        turn = self._end(source, now)
        if turn is None:
            return None
        turn.failures = 0
        if look.reached:
            turn.told = ""
        if look.reached or look.running:
            return None
        if turn.told != look.revision:
            waited = _FIRST_RETRY_S if look.failed_s is None else look.failed_s
            turn.told, turn.tellings, turn.again = look.revision, 0, now + max(0.0, _FIRST_RETRY_S - waited)
        if now < turn.again:
            return None
        turn.again = now + min(_FIRST_RETRY_S * 2 ** min(turn.tellings, 20), _LONGEST_RETRY_S)
        turn.tellings += 1
        return Change(source.spec.name, look.revision)

    def failed(self, source: DeclaredSource, now: float) -> int:
        """Note that a look failed, and let the next one wait longer; returns how many failed in a row."""
        turn = self._end(source, now)
        if turn is None:
            return 0
        turn.failures += 1
        interval = float(source.poll_s or 0)
        pause = min(interval * 2 ** min(turn.failures, 20), max(interval, _LONGEST_PAUSE_S))
        turn.due = now + pause * self._jitter()
        return turn.failures

    def _end(self, source: DeclaredSource, now: float) -> _Turn | None:
        """End a look; ``None`` where the source was declared anew meanwhile, or not at all."""
        turn = self._turns.get(source.spec.name)
        if turn is None or turn.source != source:
            return None
        turn.looking = False
        turn.due = now + (source.poll_s or 0) * self._jitter()
        return turn
