"""Waiting for another run without a worker's slot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from airflow.sdk.exceptions import AirflowRescheduleException

from rubrica.errors import LockHeldError

_SHORTEST = timedelta(seconds=15)
_LONGEST = timedelta(minutes=2)
_SHARE = 4  # of the time waited so far, by which the next look may come late


@contextmanager
def giving_way(since: datetime | None) -> Iterator[None]:
    """Give the slot back while another run holds what this task needs, and look again later.

    Tasks that wait where they are would fill every slot that the run they wait for needs. A try is not
    used up.

    Args:
        since: When the run began.

    Raises:
        AirflowRescheduleException: Something is held.
    """
    try:
        yield
    except LockHeldError as held:
        when = next_look(since, datetime.now(UTC))
        raise AirflowRescheduleException(when) from held  # type: ignore[no-untyped-call]


def next_look(since: datetime | None, now: datetime) -> datetime:
    """When to look again, the later the longer it has been waited."""
    waited = now - since if since else timedelta()
    return now + min(max(waited / _SHARE, _SHORTEST), _LONGEST)
