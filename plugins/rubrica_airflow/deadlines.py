"""Runs that take longer than they may."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk.definitions.callback import AsyncCallback
from airflow.sdk.definitions.deadline import BaseDeadlineReference, DeadlineAlert

from rubrica.settings import Settings


class RunCreated(BaseDeadlineReference):
    """The moment in which a run is created, and with that queued.

    Airflow has ``DAGRUN_QUEUED_AT`` for it, with which 3.3 cannot clear a run any more
    (https://github.com/apache/airflow/issues/70368). With this one, a run that is cleared keeps its deadline.
    """

    def _evaluate_with(self, *, session: Any, **_: Any) -> datetime:
        """Now: Airflow asks while it creates the run, and adds the interval."""
        del session
        return datetime.now(UTC)


def ingest_deadline() -> DeadlineAlert | None:
    """The deadline of an ingestion, counted from its creation; ``None`` where the settings want none."""
    seconds = Settings().ingest.ingest_deadline_s
    if not seconds:
        return None
    return DeadlineAlert(
        name="ingest",
        reference=RunCreated(),
        interval=timedelta(seconds=seconds),
        callback=AsyncCallback(tell_of_late_run),
    )


async def tell_of_late_run(context: Mapping[str, Any]) -> None:
    """Open an alarm; runs in the triggerer.

    Args:
        context: ``dag_run``, as Airflow's REST API has it, and ``deadline``.
    """
    from pipeline.overdue import note_late_run

    await asyncio.to_thread(note_late_run, context["dag_run"])
