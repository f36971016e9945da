"""Alarms about declared sources that cannot be polled: who never gets an index must hear why."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from indexing.catalog.alarms import AlarmKind, NewAlarm
from pipeline.alarm_details import command
from pipeline.alarms import cause
from pipeline.services import Services
from rubrica.errors import RubricaError, ServiceUnavailableError, StackDownError
from rubrica.log import get_logger, hide_secrets
from rubrica.settings import Settings

_LOOKS = 3
_LASTING_S = 15 * 60
_PATIENCE_S = 60.0
_LONGEST_REASON = 500
_log = get_logger(__name__)


@dataclass(slots=True)
class _Failing:
    since: float
    looks: int = 0


class PollAlarms:
    """Opens an alarm for a source that fails for long, and closes it at the first look that works.

    A source fails for long after 3 looks in a row and 15 minutes, whichever comes later. A look that
    PostgreSQL spoils says nothing about the source; while it is down nothing is opened or closed, and
    whatever is still true is said at a later look. The methods may run in several threads.

    Args:
        clock: Seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failing: dict[str, _Failing] = {}
        self._clear: set[str] = set()
        self._kept: frozenset[str] | None = None
        self._keep_again = 0.0

    def failed(self, settings: Settings, source: str, error: Exception) -> None:
        """Note that a look at a source failed."""
        if isinstance(error, (StackDownError, ServiceUnavailableError)):
            return
        failing = self._failing.setdefault(source, _Failing(self._clock()))
        failing.looks += 1
        if failing.looks >= _LOOKS and self._clock() - failing.since >= _LASTING_S:
            self._clear.discard(source)
            _try(settings, lambda services: note_poll_failed(services, source, error))

    def worked(self, settings: Settings, source: str) -> None:
        """Note that a look at a source worked; an alarm may have been opened before this process began."""
        self._failing.pop(source, None)
        if source not in self._clear and _try(settings, lambda services: note_poll_passed(services, source)):
            self._clear.add(source)

    def keep(self, settings: Settings, polled: Collection[str]) -> None:
        """Close the alarms of sources that nobody polls any more; asks only when the sources have changed."""
        names = frozenset(polled)
        if names == self._kept or self._clock() < self._keep_again:
            return
        for gone in self._failing.keys() - names:
            self._failing.pop(gone, None)
        self._keep_again = self._clock() + _PATIENCE_S
        if _try(settings, lambda services: close_unpolled(services, names)):
            self._kept, self._keep_again = names, 0.0


def note_poll_failed(services: Services, source: str, error: Exception) -> None:
    """Open the alarm of a source that cannot be polled.

    Args:
        services: Open services.
        source: Its name.
        error: Why the last look failed.
    """
    reason, hint = _said(error)
    alarm = NewAlarm(
        cause(AlarmKind.POLL, services.settings.indexing.alias, source),
        AlarmKind.POLL,
        f"The source {source!r} cannot be polled: {reason} {hint}".rstrip(),
        {
            "source": source,
            "error": type(error).__name__,
            "reasons": [reason],
            "hint": hint,
            "commands": [command("rubrica sources check", "tries each declared source, says what is wrong")],
        },
    )
    opened = services.catalog.alarms.open(alarm)
    _log.warning("alarm", id=opened.id, kind=alarm.kind.value, summary=alarm.summary)


def _said(error: Exception) -> tuple[str, str]:
    """Reason and hint."""
    said = (f"{type(error).__name__}: {error}", "")
    if isinstance(error, RubricaError):
        said = (error.reason, error.hint)
    reason, hint = (hide_secrets(text)[:_LONGEST_REASON] for text in said)
    return reason, hint


def note_poll_passed(services: Services, source: str) -> None:
    """Close the alarm of ``note_poll_failed``, if there is one."""
    known = cause(AlarmKind.POLL, services.settings.indexing.alias, source)
    services.catalog.alarms.release(known, "The source can be polled again.")


def close_unpolled(services: Services, polled: Collection[str]) -> None:
    """Close the alarms about polls of all sources but these."""
    prefix = cause(AlarmKind.POLL, services.settings.indexing.alias) + "/"
    for alarm in services.catalog.alarms.open_alarms():
        known = alarm.said.cause
        if known.startswith(prefix) and known.removeprefix(prefix) not in polled:
            services.catalog.alarms.release(known, "The source is not polled any more.")


def _try(settings: Settings, note: Callable[[Services], None]) -> bool:
    """Write to the catalog if it answers; whoever polls must not end with it."""
    try:
        with Services(settings) as services:
            note(services)
    except RubricaError as error:
        _log.warning("the catalog took no alarm; it is tried again", error=error.reason)
        return False
    return True
