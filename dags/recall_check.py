"""The DAG ``recall_check``: asks the golden questions after each change of the index, and once a day.

    sets → check for each set → summary

Worse answers open an alarm (``rubrica alarms``); the run itself stays green: it did what it should.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pendulum
from airflow.sdk import Asset, AssetOrTimeSchedule, CronTriggerTimetable, dag, get_current_context, task
from rubrica_airflow.alerts.callbacks import WATCHED
from rubrica_airflow.assets import ALARMS, INDEX
from rubrica_airflow.retry import RETRIES, RETRY_DELAY, TAXONOMY_POLICY

from rubrica.settings import Settings

DEFAULTS = {
    "retries": RETRIES,
    "retry_delay": RETRY_DELAY,
    "retry_policy": TAXONOMY_POLICY,
    "execution_timeout": timedelta(hours=2),
}


def _schedule() -> AssetOrTimeSchedule | list[Asset]:
    cron = Settings().recall.recall_schedule
    if not cron:
        return [INDEX]
    return AssetOrTimeSchedule(timetable=CronTriggerTimetable(cron, timezone="UTC"), assets=[INDEX])


@task
def sets() -> list[str]:
    """Bring the golden sets up to date with their sources; returns the names of all."""
    from pipeline import recall_checking

    return recall_checking.run(recall_checking.sets_to_check)


@task
def check(name: str) -> dict[str, Any]:
    """Ask one set, store the answers and judge them."""
    from pipeline import recall_checking

    trigger = "ingest" if get_current_context()["triggering_asset_events"] else "schedule"
    return recall_checking.run(recall_checking.check_set, name, trigger=trigger)


@task(trigger_rule="all_done", retries=0, outlets=[ALARMS], **WATCHED)
def summary(names: list[str], checked: list[dict[str, Any]]) -> dict[str, Any]:
    """Say which alarms are open now; red where a set could not be asked."""
    from pipeline import recall_checking

    return recall_checking.run(recall_checking.summary, names, list(checked or ()))


@dag(
    schedule=_schedule(),
    start_date=pendulum.datetime(2025, 1, 1, tz="UTC"),
    catchup=False,
    default_args=DEFAULTS,
    max_active_runs=1,
    tags=["rubrica"],
    doc_md=__doc__,
)
def recall_check() -> None:
    """Ask the golden questions and judge the answers."""
    names = sets()
    summary(names, check.expand(name=names))  # type: ignore[arg-type]  # a task hands its XCom on


recall_check()
