"""Alarms reach Jira, Slack and a mail server through Airflow's own hooks, each change once."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from rubrica_airflow.alerts.senders import open_sender

from indexing.catalog.alarms import NewAlarm
from indexing.catalog.deliveries import Delivery
from pipeline.delivery.channels import channel
from pipeline.delivery.delivering import Report, channels_to_tell, deliver
from pipeline.services import Services
from rubrica.errors import ConfigurationError
from tests.support.alarm_making import HOSTILE, details, new_alarm
from tests.support.jira_server import JiraServer, RefusalError
from tests.support.notified import MailServer, SlackWebhook

pytestmark = pytest.mark.integration

CAUSE = new_alarm().cause


def tell(services: Services, name: str, *, hours: float = 0.0, by_hand: bool = False) -> Report:
    """Tell a channel, as if it were some hours later."""
    one, settings = channel(services.settings.notify, name), services.settings.notify
    with open_sender(one, settings) as sender:
        now = datetime.now(UTC) + timedelta(hours=hours)
        return deliver(services, one, sender, by_hand=by_hand, clock=lambda: now)


def note(services: Services, name: str) -> Delivery:
    (found,) = (item for item in services.catalog.deliveries.of_alarm(1) if item.channel == name)
    return found


def worse(services: Services, text: str = "recall@5 is 0.4.") -> None:
    services.catalog.alarms.open(new_alarm(text))


def test_a_ticket_is_opened_commented_and_closed(services: Services, jira: JiraServer) -> None:
    worse(services, "recall@5 is 0.562.")
    assert tell(services, "jira").sent == (1,)
    (issue,) = jira.issues.values()
    assert issue.fields["summary"] == "Golden set 'harbour': recall@5 is 0.562."
    assert issue.fields["issuetype"] == {"name": "Task"}
    assert issue.fields["labels"][0] == "rubrica"
    assert "priority" not in issue.fields
    assert note(services, "jira").external_id == issue.key
    assert jira.authorizations[-1].startswith("Basic ")

    # Seen again without a change: nothing is said.
    worse(services, "recall@5 is 0.562.")
    assert tell(services, "jira", hours=1) == Report("jira", (), {})
    assert issue.comments == []

    worse(services)
    assert tell(services, "jira", hours=1).sent == (1,)
    assert [text.replace("\\", "").count("recall@5 is 0.4.") for text in issue.comments] == [1]

    services.catalog.alarms.release(CAUSE, "recall@5 is 1.000 again.")
    assert tell(services, "jira", hours=2).sent == (1,)
    assert "1.000 again" in issue.comments[-1].replace("\\", "")
    assert issue.status == "Done"
    assert tell(services, "jira", hours=3).sent == ()

    # It comes again: the old ticket is done, so there is a new one.
    worse(services)
    tell(services, "jira", hours=4)
    assert [one.status for one in jira.issues.values()] == ["Done", "To Do"]


def test_without_a_transition_the_open_ticket_of_the_cause_is_used_again(
    services: Services, make_settings: Callable[..., object], jira: JiraServer
) -> None:
    object.__setattr__(services.settings.notify, "jira_done_transition", "")
    worse(services)
    tell(services, "jira")
    services.catalog.alarms.close(CAUSE, "Passed.")
    tell(services, "jira")
    worse(services)
    tell(services, "jira")
    (issue,) = jira.issues.values()
    assert (issue.status, len(issue.comments)) == ("To Do", 2)


def test_jira_cloud_is_asked_through_its_new_search(
    services: Services, jira: JiraServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    jira.cloud = True
    monkeypatch.setenv("AIRFLOW_CONN_JIRA_DEFAULT", jira.connection())
    worse(services)
    assert tell(services, "jira").sent == (1,)
    assert ("GET", "/rest/api/3/search/jql") in jira.requests
    assert ("POST", "/rest/api/2/issue") in jira.requests


def test_a_ticket_that_was_made_and_not_noted_is_found_again(services: Services, jira: JiraServer) -> None:
    """The answer is lost after the ticket was made."""

    def lose(method: str, path: str) -> None:
        if (method, path) == ("POST", "/rest/api/2/issue"):
            raise RefusalError(502, "Bad gateway")

    jira.after = lose
    worse(services)
    assert "Bad gateway" in tell(services, "jira").failed[1]
    assert len(jira.issues) == 1
    jira.after = lambda *_: None
    assert tell(services, "jira", hours=1).sent == (1,)
    assert len(jira.issues) == 1
    assert note(services, "jira").external_id == "NORM-1"
    assert jira.issues["NORM-1"].comments == []


def test_a_comment_that_was_made_and_not_noted_is_not_made_again(
    services: Services, jira: JiraServer
) -> None:
    worse(services, "recall@5 is 0.562.")
    tell(services, "jira")

    def lose(method: str, path: str) -> None:
        if path.endswith("/comment"):
            raise RefusalError(502, "Bad gateway")

    jira.after = lose
    worse(services)
    assert tell(services, "jira").failed
    jira.after = lambda *_: None
    assert tell(services, "jira", hours=1).sent == (1,)
    assert len(jira.issues["NORM-1"].comments) == 1


def test_a_ticket_that_somebody_deleted_is_made_again(services: Services, jira: JiraServer) -> None:
    worse(services, "recall@5 is 0.562.")
    tell(services, "jira")
    jira.issues.clear()
    worse(services)
    assert tell(services, "jira").sent == (1,)
    assert len(jira.issues) == 1


def test_what_jira_refuses_is_noted_and_the_others_are_told(services: Services, jira: JiraServer) -> None:
    def refuse(method: str, path: str) -> None:
        if method == "POST" and not jira.issues and len(jira.requests) < 3:
            raise RefusalError(400, "priority: The priority selected is invalid.")

    jira.refuse = refuse
    worse(services)
    services.catalog.alarms.open(new_alarm(cause="recall/docs/acts"))
    report = tell(services, "jira")
    assert report.sent == (2,)
    assert "The priority selected is invalid" in report.failed[1]
    assert "RUBRICA_JIRA_" in note(services, "jira").error


def test_a_channel_that_is_down_delays_only_itself(
    services: Services, jira: JiraServer, slack: SlackWebhook, mail: MailServer
) -> None:
    def down(*_: str) -> None:
        raise RefusalError(503, "Maintenance")

    jira.refuse = down
    worse(services)
    services.catalog.alarms.open(new_alarm(cause="recall/docs/acts"))
    assert channels_to_tell(services) == ["jira", "slack", "mail"]
    report = tell(services, "jira")
    # It is not asked again and again: the second alarm waits.
    assert list(report.failed) == [1]
    assert len(jira.requests) == 1
    assert tell(services, "slack").sent == (1, 2)
    assert tell(services, "mail").sent == (1, 2)
    assert channels_to_tell(services) == ["jira"]
    waiting = note(services, "jira")
    assert (waiting.tries, waiting.event) == (1, None)
    assert "503" in waiting.error
    assert waiting.next_try is not None


def test_slack_gets_a_message_whose_foreign_text_is_plain(services: Services, slack: SlackWebhook) -> None:
    services.catalog.alarms.open(new_alarm(f"{{{{ ds }}}} {HOSTILE}", details=details(HOSTILE)))
    assert tell(services, "slack").sent == (1,)
    (sent,) = slack.messages
    assert "<!channel>" not in sent["text"]
    assert "{{ ds }}" in sent["text"]
    assert {block["text"]["type"] for block in sent["blocks"] if "text" in block} == {"plain_text"}
    assert (sent["unfurl_links"], sent["unfurl_media"]) == (False, False)


def test_slack_that_refuses_is_tried_again(services: Services, slack: SlackWebhook) -> None:
    slack.status = 404
    worse(services)
    report = tell(services, "slack")
    assert "channel_is_archived" in report.failed[1]
    assert "secret-token" not in report.failed[1]
    slack.status = 200
    assert tell(services, "slack", hours=1).sent == (1,)


def test_mail_is_one_thread_of_letters_without_foreign_markup(services: Services, mail: MailServer) -> None:
    services.catalog.alarms.open(new_alarm(HOSTILE, details=details(HOSTILE)))
    assert tell(services, "mail").sent == (1,)
    services.catalog.alarms.close(CAUSE, "Passed <b>.")
    tell(services, "mail")
    first, last = mail.letters
    assert mail.envelopes[0] == ("rubrica@here.test", ["anna@here.test", "boris@here.test"])
    body = first.get_body(("html",))
    assert body is not None
    html = body.get_content()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "{{ ds }}" in html
    assert str(last["Subject"]).startswith("Passed: ")
    assert first["References"] == last["References"]
    assert first["Message-ID"] != last["Message-ID"]
    assert note(services, "mail").external_id == last["Message-ID"]


def test_a_person_who_asks_does_not_wait_for_the_next_try(services: Services, slack: SlackWebhook) -> None:
    slack.status = 404
    worse(services)
    for _ in range(3):
        tell(services, "slack", by_hand=True)
    assert note(services, "slack").tries == 3
    slack.status = 200
    assert channels_to_tell(services) == ["jira", "mail"]
    assert channels_to_tell(services, by_hand=True) == ["jira", "slack", "mail"]
    assert tell(services, "slack").sent == ()
    assert tell(services, "slack", by_hand=True).sent == (1,)


def test_people_with_names_get_letters(services: Services, mail: MailServer) -> None:
    object.__setattr__(services.settings.notify, "mail_to", '"Ли, Анна" <anna@here.test>, boris@here.test')
    object.__setattr__(services.settings.notify, "mail_from", "Rubrica <rubrica@here.test>")
    worse(services)
    assert tell(services, "mail").sent == (1,)
    (letter,) = mail.letters
    assert mail.envelopes == [("rubrica@here.test", ["anna@here.test", "boris@here.test"])]
    assert str(letter["To"]) == '"Ли, Анна" <anna@here.test>, boris@here.test'
    assert str(letter["From"]) == "Rubrica <rubrica@here.test>"


def test_hostile_text_makes_a_ticket_that_jira_takes(services: Services, jira: JiraServer) -> None:
    services.catalog.alarms.open(
        new_alarm(f"{{{{ ds }}}} {HOSTILE}", details=details(HOSTILE * 30, number=9))
    )
    assert tell(services, "jira").sent == (1,)
    (issue,) = jira.issues.values()
    assert "\\{code\\}" in issue.fields["description"]
    assert json.dumps(issue.fields).count("{{ ds }}") == 1  # in the title, which knows no markup


@pytest.mark.parametrize("name", ["jira", "slack", "mail"])
def test_a_connection_that_airflow_does_not_know_is_named(services: Services, name: str) -> None:
    worse(services)
    failed = tell(services, name).failed[1]
    assert "AIRFLOW_CONN_" in failed
    with pytest.raises(ConfigurationError, match="not set up"):
        channel(services.settings.notify, "pigeon")


def test_a_dry_run_tells_nobody(make_settings: Callable[..., object]) -> None:
    settings = make_settings(jira_project="NORM", alarms_dry_run=True)
    with Services(settings) as services:  # type: ignore[arg-type]
        worse(services)
        assert channels_to_tell(services) == []
        assert services.catalog.deliveries.of_alarm(1) == []


def test_alarms_of_several_causes_have_tickets_of_their_own(services: Services, jira: JiraServer) -> None:
    said: list[NewAlarm] = [new_alarm(cause=f"recall/docs/{name}") for name in ("a", "b")]
    for one in said:
        services.catalog.alarms.open(one)
    assert tell(services, "jira").sent == (1, 2)
    labels = {issue.fields["labels"][1] for issue in jira.issues.values()}
    assert len(labels) == 2
