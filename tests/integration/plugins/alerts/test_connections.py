"""The connections that docs/alarms.md shows are those that Airflow's hooks read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from airflow.providers.atlassian.jira.hooks.jira import JiraHook
from airflow.providers.slack.hooks.slack_webhook import SlackWebhookHook
from airflow.providers.smtp.hooks.smtp import SmtpHook

import tests.support.airflow_home  # noqa: F401

_DOCS = Path(__file__).parents[4] / "docs" / "alarms.md"


@pytest.fixture(params=["URI", "JSON"])
def _shown(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    found = re.findall(
        r"^export (AIRFLOW_CONN_\w+)='([^']*)'", _DOCS.read_text(encoding="utf-8"), re.MULTILINE
    )
    chosen = {name: value for name, value in found if value.startswith("{") == (request.param == "JSON")}
    assert len(chosen) == 3
    for name, value in chosen.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("_shown")
def test_the_connections_of_the_docs_are_read_as_meant() -> None:
    jira = JiraHook("jira_default").get_conn()
    assert (jira.url, jira.username) == ("https://example.atlassian.net", "robot@example.org")
    jira.close()
    slack = SlackWebhookHook(slack_webhook_conn_id="slack_alarms").client
    assert slack.url == "https://hooks.slack.com/services/T000/B000/XXXX"
    mail = SmtpHook("smtp_default")
    mail.smtp_connection = mail.get_connection("smtp_default")
    assert (mail.host, mail.port, mail.smtp_user) == ("mail.example.org", 587, "robot")
    assert (mail.use_ssl, mail.smtp_starttls, mail.from_email) == (False, True, "rubrica@example.org")
