"""A process that tells is killed between what it did and what it noted; the next one tells nothing twice."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from rubrica_airflow.alerts.senders import open_sender

from indexing.catalog.deliveries import DeliveryState, Event
from pipeline.delivery.channels import channel
from pipeline.delivery.delivering import deliver
from pipeline.services import Services
from tests.support.alarm_making import new_alarm
from tests.support.jira_server import JiraServer

pytestmark = [pytest.mark.integration, pytest.mark.slow]

ROOT = Path(__file__).parents[4]
_TELL = (
    "from pipeline.delivery.task import tell; from rubrica_airflow.alerts.senders import open_sender;"
    " tell('jira', open_sender)"
)


@pytest.fixture
def tell_and_die(services: Services, jira: JiraServer) -> Callable[[str], None]:
    """Tell Jira in a process that is killed as soon as a request to a path was carried out."""
    environment = os.environ | {
        "RUBRICA_HOME": str(services.settings.home),
        "RUBRICA_POSTGRES_URL": services.settings.services.postgres_url.get_secret_value(),
        "RUBRICA_ALIAS": services.settings.indexing.alias,
        "RUBRICA_JIRA_PROJECT": "NORM",
        "RUBRICA_JIRA_DONE_TRANSITION": "Done",
        "RUBRICA_ALARMS_REPEAT_H": "0",
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "plugins"))),
    }

    def run(path: str) -> None:
        started = threading.Event()
        process: list[subprocess.Popen[bytes]] = []

        def kill(method: str, asked: str) -> None:
            if method == "POST" and asked.endswith(path):
                started.wait()
                process[0].kill()
                process[0].wait()

        jira.after = kill
        process.append(subprocess.Popen([sys.executable, "-c", _TELL], env=environment, cwd=ROOT))
        started.set()
        assert process[0].wait() == -9
        jira.after = lambda *_: None

    return run


def _tell_again(services: Services) -> None:
    """Tell when the rest after a try whose end is not known is over."""
    one, settings = channel(services.settings.notify, "jira"), services.settings.notify
    with services.catalog._database.transaction() as connection:
        rested = connection.execute("UPDATE alarm_deliveries SET next_try = now() WHERE state = 'sending'")
        assert rested.rowcount == 1
    with open_sender(one, settings) as sender:
        report = deliver(services, one, sender)
    assert (report.sent, report.failed) == ((1,), {})


def test_killed_after_each_of_its_deeds_it_does_none_twice(
    services: Services, jira: JiraServer, tell_and_die: Callable[[str], None]
) -> None:
    services.catalog.alarms.open(new_alarm("recall@5 is 0.562."))
    tell_and_die("/issue")
    (left,) = services.catalog.deliveries.of_alarm(1)
    assert (left.state, left.event, len(jira.issues)) == (DeliveryState.SENDING, None, 1)
    _tell_again(services)
    (issue,) = jira.issues.values()
    assert issue.comments == []

    services.catalog.alarms.open(new_alarm("recall@5 is 0.4."))
    tell_and_die("/comment")
    _tell_again(services)
    assert len(issue.comments) == 1

    services.catalog.alarms.close(new_alarm().cause, "It has passed.")
    tell_and_die("/comment")
    assert issue.status == "To Do"
    _tell_again(services)
    assert (len(issue.comments), issue.status) == (2, "Done")
    (told,) = services.catalog.deliveries.of_alarm(1)
    assert (told.state, told.event) == (DeliveryState.SENT, Event.CLOSED)
    assert len(jira.issues) == 1
