"""The DAG ``alarms``: tells Jira, Slack and people which alarms were opened, changed or have passed.

    due → tell each channel

It runs after each check, and when ``RUBRICA_ALARMS_SCHEDULE`` says (every five minutes) where a channel is
set up. A channel that does not answer makes this run red and no other one; it is tried again, more and more
seldom, or at once by a run that a person starts (`by_hand`).
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pendulum
from airflow.sdk import (
    Asset,
    AssetOrTimeSchedule,
    CronTriggerTimetable,
    Param,
    dag,
    get_current_context,
    task,
)
from rubrica_airflow.assets import ALARMS

from pipeline.delivery.channels import configured
from rubrica.settings import Settings


def _schedule() -> AssetOrTimeSchedule | list[Asset]:
    notify = Settings().notify
    if not notify.alarms_schedule or not configured(notify):
        return [ALARMS]
    cron = CronTriggerTimetable(notify.alarms_schedule, timezone="UTC")
    return AssetOrTimeSchedule(timetable=cron, assets=[ALARMS])


def _by_hand() -> bool:
    return bool(get_current_context()["params"]["by_hand"])


@task
def due() -> list[str]:
    """Names of the channels that have something to be told."""
    from pipeline.delivery import task as telling

    return telling.due(by_hand=_by_hand())


@task
def tell(channel: str) -> dict[str, Any]:
    """Tell a channel all of it; red where that failed, for the next run to try again."""
    from rubrica_airflow.alerts.senders import open_sender

    from pipeline.delivery import task as telling

    return telling.tell(channel, open_sender, by_hand=_by_hand())


@dag(
    schedule=_schedule(),
    start_date=pendulum.datetime(2025, 1, 1, tz="UTC"),
    catchup=False,
    default_args={"retries": 0, "execution_timeout": timedelta(minutes=30)},
    max_active_runs=1,
    tags=["rubrica"],
    params={
        "by_hand": Param(
            default=False, type="boolean", description="Try channels now that rest after an error."
        ),
    },
    doc_md=__doc__,
)
def alarms() -> None:
    """Tell of alarms."""
    tell.expand(channel=due())


alarms()
