"""The DAG ``alarms``: when it runs, what it tells, and that red runs of the others are alarms."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexing.catalog.alarms import AlarmKind
from pipeline.ingestion import SourceOptions, declare_source
from pipeline.recall_checking import check_set
from pipeline.services import Services
from rubrica.settings import Settings
from tests.dags.conftest import RunPython
from tests.support.alarm_making import new_alarm
from tests.support.git_repository import Repository
from tests.support.jira_server import JiraServer, RefusalError, jira_server
from tests.support.notified import SlackWebhook, slack_webhook
from tests.support.planted_drop import ingest, open_services, plant_echoes
from tests.support.recall_corpus import fill, questions

_PROBE = """
import json, os, sys
sys.path[:0] = ["dags", "plugins"]
from airflow.dag_processing.dagbag import DagBag

def when(**settings):
    os.environ.update(settings)
    timetable = DagBag("dags/alarms.py").dags["alarms"].timetable
    assets = [asset.name for asset in timetable.asset_condition.objects]
    return assets, getattr(getattr(timetable, "timetable", None), "expression", "")

bag = DagBag("dags/alarms.py")
print(json.dumps({
    "errors": {str(path): text for path, text in bag.import_errors.items()},
    "max_active_runs": bag.dags["alarms"].max_active_runs,
    "when": [when(), when(RUBRICA_JIRA_PROJECT="NORM"), when(RUBRICA_ALARMS_SCHEDULE="")],
    "outlets": {
        name: sorted(asset.name for asset in DagBag(f"dags/{name}.py").dags[name].get_task(task).outlets)
        for name, task in (("ingest", "verdict"), ("recall_check", "summary"), ("reindex", "close"),
                           ("reconcile", "reconcile"))
    },
}))
"""

_MIGRATE = "from airflow.utils.db import initdb; initdb()"

_RUN = """
import json
from airflow.dag_processing.dagbag import DagBag
run = DagBag("dags/{dag}.py").dags["{dag}"].test(run_conf={conf})
states = {{}}
for task in run.get_task_instances():
    states.setdefault(task.task_id, []).append(str(task.state))
print(json.dumps({{"state": str(run.state), "tasks": states}}))
"""


def _run(run_python: RunPython, dag: str, environment: dict[str, str], **conf: Any) -> dict[str, Any]:
    printed = run_python(_RUN.format(dag=dag, conf=conf), **environment)
    answer: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return answer


def test_it_runs_after_each_check_and_on_its_schedule_where_somebody_is_told(run_python: RunPython) -> None:
    found = json.loads(run_python(_PROBE).splitlines()[-1])
    assert found["errors"] == {}
    assert found["max_active_runs"] == 1
    assert found["when"] == [
        [["rubrica-alarms"], ""],
        [["rubrica-alarms"], "*/5 * * * *"],
        [["rubrica-alarms"], ""],
    ]
    assert all("rubrica-alarms" in outlets for outlets in found["outlets"].values())


@pytest.fixture
def jira() -> Iterator[JiraServer]:
    with jira_server() as server:
        yield server


@pytest.fixture
def slack() -> Iterator[SlackWebhook]:
    with slack_webhook() as server:
        yield server


@pytest.fixture
def environment(
    tmp_path: Path, database_url: str, redis_url: str, milvus_uri: str, run_python: RunPython
) -> dict[str, str]:
    run_python(_MIGRATE)
    return {
        "RUBRICA_HOME": str(tmp_path / "home"),
        "RUBRICA_POSTGRES_URL": database_url,
        "RUBRICA_REDIS_URL": redis_url,
        "RUBRICA_MILVUS_URI": milvus_uri,
        "RUBRICA_ALIAS": f"t_{uuid.uuid4().hex}",
    }


@pytest.fixture
def services(environment: dict[str, str]) -> Iterator[Services]:
    overrides = {name.removeprefix("RUBRICA_").lower(): value for name, value in environment.items()}
    with Services(Settings(**overrides)) as services:
        yield services


@pytest.fixture
def told(environment: dict[str, str], jira: JiraServer, slack: SlackWebhook) -> dict[str, str]:
    """The environment of somebody who is told by Jira and Slack."""
    return environment | {
        "RUBRICA_JIRA_PROJECT": "NORM",
        "RUBRICA_JIRA_DONE_TRANSITION": "done",
        "RUBRICA_SLACK_CONNECTION": "slack_alarms",
        "AIRFLOW_CONN_JIRA_DEFAULT": jira.connection(),
        "AIRFLOW_CONN_SLACK_ALARMS": slack.connection(),
    }


@pytest.mark.integration
def test_a_channel_that_is_down_is_red_here_and_delays_no_other(
    run_python: RunPython, told: dict[str, str], services: Services, jira: JiraServer, slack: SlackWebhook
) -> None:
    def down(*_: str) -> None:
        raise RefusalError(503, "Maintenance")

    services.catalog.alarms.open(new_alarm())
    jira.refuse = down
    run = _run(run_python, "alarms", told)
    assert run["state"] == "failed"
    assert sorted(run["tasks"]["tell"]) == ["failed", "success"]
    assert len(slack.messages) == 1
    notes = {item.channel: item for item in services.catalog.deliveries.of_alarm(1)}
    assert "503" in notes["jira"].error
    assert notes["slack"].error == ""
    # Nothing is due until Jira has rested, and then the run is green.
    assert _run(run_python, "alarms", told)["state"] == "success"
    assert len(slack.messages) == 1


@pytest.mark.integration
def test_a_run_that_a_person_starts_tries_a_channel_that_rests(
    run_python: RunPython, told: dict[str, str], services: Services, slack: SlackWebhook
) -> None:
    only_slack = told | {"RUBRICA_JIRA_PROJECT": ""}
    services.catalog.alarms.open(new_alarm())
    slack.status = 404
    assert _run(run_python, "alarms", only_slack)["state"] == "failed"
    slack.status = 200
    assert _run(run_python, "alarms", only_slack)["state"] == "success"
    assert slack.messages == []
    assert _run(run_python, "alarms", only_slack, by_hand=True)["state"] == "success"
    assert len(slack.messages) == 1


@pytest.mark.integration
def test_a_drop_of_recall_is_one_ticket_and_is_closed_when_it_has_passed(
    run_python: RunPython, told: dict[str, str], jira: JiraServer, tmp_path: Path
) -> None:
    """From documents through the check and the DAG alarms to Jira, and back."""
    overrides = {name.removeprefix("RUBRICA_").lower(): told[name] for name in told if name[:8] == "RUBRICA_"}
    settings = Settings(**overrides, strategy="recursive", max_tokens=128, min_tokens=16)
    repository, golden = Repository(tmp_path / "нормы"), questions()
    for key, value in (("user.name", "Анна"), ("user.email", "anna@example.org")):
        repository.git("config", key, value)
    with open_services(settings) as services:
        fill(repository)
        ingest(services, repository, "Правила порта")
        services.catalog.golden.save(golden)
        assert check_set(services, golden.name)["accepted"]
        assert _run(run_python, "alarms", told)["state"] == "success"
        assert jira.issues == {}

        plant_echoes(repository, golden.questions[:7])
        ingest(services, repository, "Эхо вопросов")
        for _ in range(2):
            assert check_set(services, golden.name)["alarms"]
            assert _run(run_python, "alarms", told)["state"] == "success"
        (issue,) = jira.issues.values()
        description = issue.fields["description"].replace("\\", "")
        assert "under the floor of 0.90" in description
        assert any(question.question in description for question in golden.questions[:7])
        assert "Эхо вопросов" in description
        assert "rubrica tune --set harbour" in description
        assert issue.comments == []

        shutil.rmtree(repository.path / "эхо")
        ingest(services, repository, "Эха больше нет", allow_removals=True)
        assert check_set(services, golden.name)["closed"]
        assert _run(run_python, "alarms", told)["state"] == "success"
    assert (len(jira.issues), issue.status, len(issue.comments)) == (1, "Done", 1)


@pytest.mark.integration
def test_a_run_that_ends_red_is_an_alarm_until_one_ends_green(
    run_python: RunPython, environment: dict[str, str], services: Services, tmp_path: Path
) -> None:
    folder = tmp_path / "нормы"
    folder.mkdir()
    (folder / "a.md").write_text("# Лодки\n\nБорта красят суриком.\n", encoding="utf-8")
    spec = declare_source(services, str(folder), SourceOptions(name="norms"))
    # `dag.test()` of Airflow 3.3.2 cannot read the deadline of a DAG that it has stored before.
    environment = environment | {"RUBRICA_INGEST_DEADLINE_S": "0"}
    away = folder.rename(tmp_path / "ушли")
    assert _run(run_python, "ingest", environment, source=spec.name)["state"] == "failed"
    (known,) = services.catalog.alarms.open_alarms()
    assert (known.said.kind, known.said.cause) == (AlarmKind.RUN, "run/ingest/norms")
    assert "нормы" in known.said.summary
    away.rename(folder)
    assert _run(run_python, "ingest", environment, source=spec.name)["state"] == "success"
    assert services.catalog.alarms.open_alarms() == []
