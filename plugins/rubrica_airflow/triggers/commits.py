"""Watches every declared source that is polled, in one trigger."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from airflow.triggers.base import BaseEventTrigger, TriggerEvent

if TYPE_CHECKING:
    from pipeline.commits.model import Change


class CommitsTrigger(BaseEventTrigger):
    """Fires when sources have revisions that the index lacks.

    It takes nothing: sources and settings are read where it runs, and read again when they change. Changes
    that are found together are one event, ``{"changes": [{"source", "revision"}, …]}``: of events that come
    while a run is about to be created, Airflow hands over the first only.
    """

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Where the class is; it has no arguments."""
        return "rubrica_airflow.triggers.commits.CommitsTrigger", {}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Poll until the triggerer stops."""
        from pipeline.commits.poll_alarms import PollAlarms
        from pipeline.commits.watcher import Watcher

        async with aclosing(Watcher(alarms=PollAlarms()).changes()) as found:
            async for changes in found:
                yield _event(changes)


def _event(changes: list[Change]) -> TriggerEvent:
    return TriggerEvent({"changes": [change.to_json() for change in changes]})  # type: ignore[no-untyped-call]
