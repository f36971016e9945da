"""What channels are sent: it tells what is needed, and foreign text stays text."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.catalog.alarms import Alarm, AlarmKind
from indexing.catalog.deliveries import Event
from pipeline.delivery.channels import ChannelName, channel, configured
from pipeline.delivery.facts import Facts, cause_label, facts, said_digest
from pipeline.delivery.jira_text import comment, escaped, mark, ticket
from pipeline.delivery.mail_text import letter
from pipeline.delivery.preview import preview
from pipeline.delivery.slack_text import message
from pipeline.delivery.words import headline, one_line, sentence, shortened, web_address
from rubrica.errors import ConfigurationError
from rubrica.settings import NotifySettings, Settings
from tests.support.alarm_making import HOSTILE, alarm, details, new_alarm

SETTINGS = Settings(airflow_url="http://airflow.test:8080", runbook_url="https://books.test/runbooks/")
TEXTS = st.text(max_size=200) | st.sampled_from([HOSTILE, "{noformat}", "\\", "\\\\*", "<!here>", "]|["])


def said(event: Event = Event.OPENED, known: Alarm | None = None) -> Facts:
    return facts(SETTINGS, known or alarm(), event)


def hostile(text: str = HOSTILE) -> Facts:
    return said(known=alarm(new_alarm(text, details=details(text, number=5))))


@pytest.mark.parametrize("name", list(ChannelName))
def test_every_channel_tells_what_broke_what_changed_and_what_to_do(name: ChannelName) -> None:
    shown = preview(name, said()).replace("\\", "")
    for wanted in (
        "recall@5 is 0.562",
        "Чем красят борта 0?",
        "1.00 → 0.00",
        "norms: aaaaaaaaaaaa 2026-11-01 Борта красят суриком.",
        "RUBRICA_MAX_TOKENS: 256 → 128",
        "rubrica alarms show 7",
        "rubrica tune --set harbour",
        "http://airflow.test:8080/rubrica/recall?set=harbour",
        "https://books.test/runbooks/",
        "2026-11-01 10:00 UTC",
    ):
        assert wanted in html.unescape(shown), wanted


def test_a_ticket_names_what_was_returned_before_and_now_of_the_worst_questions() -> None:
    new = ticket(said(known=alarm(new_alarm(details=details(number=5)))))
    text = new.description.replace("\\", "")
    assert "before: 1. порт.md, p. 3, cl. 5.2: Борта красят суриком." in text
    assert "now: 1. порт.md, p. 3, cl. 5.2: Эхо" in text
    assert "and 2 more" in text
    assert new.labels == ("rubrica", cause_label(SETTINGS, "recall/docs/harbour"))


@given(TEXTS)
def test_no_markup_of_foreign_text_reaches_jira(text: str) -> None:
    shown = escaped(one_line(text))
    assert "\n" not in shown
    # Every sign that could begin markup has a backslash of its own, and no two backslashes meet.
    assert not re.search(r"(?<!\\)[*_\-+^~?{}\[\]()!|#@&:;%<>=`\"']", shown)
    assert "\\\\" not in shown
    assert not re.search(r"\\[^*_\-+^~?{}\[\]()!|#@&:;%<>=`\"']", shown)


@given(TEXTS)
def test_a_ticket_has_the_shape_that_it_has_without_foreign_text(text: str) -> None:
    """Whatever a document says, headings, macros and links are those of ours."""

    def shape(one: Facts) -> tuple[list[str], int]:
        lines = ticket(one).description.splitlines()
        bare = [line for line in lines if line.startswith(("h", "-", "|", "{"))]
        return bare, len(lines)

    assert shape(hostile(f"x{text}"))[0] == shape(hostile("x"))[0]
    assert shape(hostile(f"x{text}"))[1] == shape(hostile("x"))[1]
    new = ticket(hostile(f"x{text}"))
    assert "\n" not in new.summary
    assert 0 < len(new.summary) <= 255
    assert len(new.description) <= 32767


def test_what_jira_gets_has_no_control_signs_and_no_turned_text() -> None:
    shown = ticket(hostile()).description
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@given(TEXTS)
def test_slack_reads_no_markup_of_foreign_text(text: str) -> None:
    sent = message(hostile(text))
    assert not re.search(r"<[!@#h]", sent.text)
    assert len(sent.blocks) <= 50
    for block in sent.blocks:
        if block["type"] == "context":
            assert block == message(hostile("x")).blocks[-1]
            continue
        assert block["text"]["type"] == "plain_text"
        assert 0 < len(block["text"]["text"]) <= {"header": 150, "section": 3000}[block["type"]]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, tuple[str, ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, tuple(name for name, _ in attrs)))


def _tags(one: Facts) -> list[tuple[str, tuple[str, ...]]]:
    parser = _Tags()
    parser.feed(letter(one).html)
    parser.close()
    return parser.seen


@given(TEXTS)
def test_a_letter_has_the_tags_that_it_has_without_foreign_text(text: str) -> None:
    assert _tags(hostile(f"x{text}")) == _tags(hostile("x"))
    assert "\n" not in letter(hostile(text)).subject
    assert "\r" not in letter(hostile(text)).subject


def test_every_try_of_a_message_has_one_mark_and_the_next_message_another() -> None:
    first = said()
    assert mark(first) == mark(said())
    assert letter(first).headers["Message-ID"] == letter(said()).headers["Message-ID"]
    worse = alarm(new_alarm("recall@5 is 0.4."))
    assert mark(said(Event.CHANGED, worse)) != mark(first)
    assert mark(first) in ticket(first).description.replace("\\", "")
    assert mark(first) in comment(first).replace("\\", "")


def test_the_same_facts_are_no_change() -> None:
    known = alarm()
    other_hits = details()
    other_hits["questions"][0]["returned"] = []
    assert said_digest(alarm(new_alarm(details=other_hits))) == said_digest(known)
    assert said_digest(alarm(new_alarm("recall@5 is 0.4."))) != said_digest(known)
    assert said_digest(alarm(new_alarm(details=details(number=2)))) != said_digest(known)
    assert said_digest(alarm(closed_at=datetime(2026, 11, 2, tzinfo=UTC))) != said_digest(known)


def test_what_has_passed_is_told_in_a_sentence() -> None:
    over = alarm(note="recall@5 is 1.000 again.", closed_at=datetime(2026, 11, 2, tzinfo=UTC))
    closed = said(Event.CLOSED, over)
    assert closed.title.startswith("Passed: ")
    assert closed.commands == ()
    for text in (comment(closed), str(message(closed).blocks), letter(closed).html):
        assert "1.000 again" in text.replace("\\", "")
        assert "Чем красят" not in text


def test_an_installation_has_a_name_and_labels_of_its_own() -> None:
    here = Settings(alarms_site="стенд")
    assert facts(here, alarm(), Event.OPENED).title.startswith("[стенд] ")
    assert cause_label(here, "recall/a/b") != cause_label(SETTINGS, "recall/a/b")


def test_an_alert_leads_to_its_own_pages_and_to_none_that_are_no_web_pages() -> None:
    told = {"runbook": "https://books.test/Stuck.md", "generator": "javascript:alert(1)", "alerts": ["Stuck"]}
    links = dict(said(known=alarm(new_alarm(kind=AlarmKind.ALERT, details=told))).links)
    assert links["Runbook: what to do"] == "https://books.test/Stuck.md"
    assert "Alert in Prometheus" not in links
    run = {"dag": "ingest", "run": "rubrica__нормы__1", "source": "n"}
    links = dict(said(known=alarm(new_alarm(kind=AlarmKind.RUN, details=run))).links)
    assert links["Run in Airflow"].startswith("http://airflow.test:8080/dags/ingest/runs/rubrica__%D0%BD")
    links = dict(said(known=alarm(new_alarm(kind=AlarmKind.POLL, details={"source": "n"}))).links)
    assert links["Overview in Airflow"] == "http://airflow.test:8080/rubrica/"


@given(st.text(max_size=60))
def test_an_address_that_is_linked_has_no_sign_that_ends_a_link(text: str) -> None:
    for address in (text, f"https://a.test/{text}"):
        linked = web_address(address)
        assert not set(linked) & set("|<>\"'[]{}\\ \n")
        assert linked == "" or linked.startswith(("http://", "https://"))


@pytest.mark.parametrize(
    "address", ["ftp://a.test", "https://", "http://u:p@a.test", "http://[", "//a.test", ""]
)
def test_what_is_no_page_of_the_web_is_not_linked(address: str) -> None:
    assert web_address(address) == ""


def test_channels_are_those_that_settings_name() -> None:
    assert configured(NotifySettings()) == ()
    settings = NotifySettings(jira_project="NORM", mail_to="a@b.test, c@d.test")
    assert [(one.name, one.target) for one in configured(settings)] == [
        (ChannelName.JIRA, "NORM"),
        (ChannelName.MAIL, "a@b.test, c@d.test"),
    ]
    assert channel(settings, "jira").connection == "jira_default"
    with pytest.raises(ConfigurationError, match="not set up"):
        channel(settings, "slack")


LONG = "Stuck: The generation 7 has been built for three days. " + "No document of it was written since. " * 4
FAILED = "Failed: the source 'norms' could not be read because " + "it is away, " * 20


def test_a_text_is_cut_between_words_and_marked() -> None:
    assert shortened("Борта красят суриком", 20) == "Борта красят суриком"
    assert shortened("Борта красят суриком", 19) == "Борта красят…"
    assert shortened("Рым " + "суриком" * 5, 10) == "Рым сурик…"


@given(TEXTS, st.integers(1, 60))
def test_a_text_that_is_cut_is_never_too_long(text: str, limit: int) -> None:
    shown = shortened(text, limit)
    assert len(shown) <= limit
    assert text.startswith(shown.removesuffix("…")) or shown == text


def test_a_headline_takes_whole_sentences_and_leaves_the_others() -> None:
    assert headline("One. Two.", 9) == ("One. Two.", "")
    assert headline("One. Two. Three.", 11) == ("One. Two.", "Three.")
    assert headline("recall is 0.562 now", 12) == ("recall is…", "recall is 0.562 now")


def test_a_sentence_ends_with_one_stop() -> None:
    assert [sentence(text) for text in ("Recall fell", "Fell. ", "Why?", " ")] == [
        "Recall fell.",
        "Fell.",
        "Why?",
        "",
    ]


@pytest.mark.parametrize("text", [LONG, FAILED])
@pytest.mark.parametrize("site", ["", "стенд"])
def test_a_title_is_cut_at_a_word_and_what_it_says_is_not_said_again(text: str, site: str) -> None:
    known = alarm(new_alarm(summary=text))
    said = facts(Settings(alarms_site=site), known, Event.CHANGED)
    header, first = (block["text"]["text"] for block in message(said).blocks[:2])
    assert header == said.title
    assert len(header) <= 150
    assert header[-1] in ".…"
    assert re.search(r"(\w\.|\w,?…)$", header)
    body = first.removesuffix(f"\nOpen since {said.since}.")
    shown = letter(said).html
    if text is LONG:
        assert f"{header} {body}".endswith(text.strip())
        assert shown.count("The generation 7") == 1
    else:
        assert body == text.strip()
        assert html.escape(text.strip(), quote=False).replace("'", "&#39;") in shown
    short = facts(SETTINGS, alarm(), Event.OPENED)
    assert message(short).blocks[1]["text"]["text"] == f"Open since {short.since}."
    assert letter(short).html.count("under the floor") == 1


def test_what_to_do_about_an_alert_stands_once() -> None:
    told = {"commands": [{"command": "rubrica alarms show ID", "does": "shows all that the alert says"}]}
    said = facts(SETTINGS, alarm(new_alarm(kind=AlarmKind.ALERT, details=told)), Event.OPENED)
    assert said.commands == (("rubrica alarms show 7", "shows all that the alert says"),)
    told = {"commands": [{"command": "rubrica tune --set COVID", "does": "…"}]}
    said = facts(SETTINGS, alarm(new_alarm(kind=AlarmKind.ALERT, details=told)), Event.OPENED)
    assert said.commands == (("rubrica tune --set COVID", "…"),)


def test_links_of_a_letter_have_a_heading_and_names_that_say_what_they_are() -> None:
    shown = letter(facts(SETTINGS, alarm(), Event.OPENED)).html
    links = shown.partition("Links</h3>")[2]
    assert re.findall(r"<li><a href=[^>]*>([^<]*)</a></li>", links) == [
        "Recall in Airflow",
        "Runbook: what to do",
    ]
