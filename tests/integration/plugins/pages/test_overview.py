"""The overview: what is wrong with answers, and apart from it what is wrong with the machinery."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import httpx
import pytest

from indexing.catalog.alarms import AlarmKind, NewAlarm
from pipeline.alarms import note_deadline, note_run_failed
from pipeline.alerting import Alert, note_alerts
from pipeline.commits.poll_alarms import note_poll_failed
from pipeline.ingestion import SourceOptions, declare_source
from pipeline.pages.glance import glance
from pipeline.services import Services
from rubrica.errors import SourceError
from rubrica.model import SourceSpec
from rubrica.settings import Settings
from tests.integration.plugins.pages.conftest import opened_pages, serving

pytestmark = pytest.mark.integration

Read = Callable[[str], str]


@pytest.fixture
def services(make_settings: Callable[..., Settings]) -> Iterator[Services]:
    with Services(make_settings()) as services:
        yield services


@pytest.fixture
def read(services: Services) -> Iterator[Read]:
    """The words of a page."""
    with serving(opened_pages(services.settings)) as url, httpx.Client(base_url=url) as client:

        def read(path: str) -> str:
            answer = client.get(path)
            assert answer.status_code == 200
            return answer.text

        yield read


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_alarms_about_the_machinery_say_nothing_about_answers(services: Services, read: Read) -> None:
    note_run_failed(services, "ingest", "r1", "No room is left.", source="norms")
    note_deadline(services, "reindex", "r2", "it runs since yesterday.")
    note_poll_failed(services, "letters", SourceError("The folder does not exist.", hint="Check the path."))
    told = {"summary": "An <b>exporter</b> is down.", "description": "Nothing answers at its port."}
    told["runbook_url"] = "https://runbooks.example/ExporterDown.md"
    note_alerts(services, [Alert(True, {"alertname": "ExporterDown"}, told, "f1")])
    evil = told | {"runbook_url": "javascript:alert(1)"}
    note_alerts(services, [Alert(True, {"alertname": "Evil"}, evil, "f2")])

    now = glance(services)
    assert now.right is None
    assert now.worse == []
    assert [item.said.kind.value for item in now.others] == ["run", "deadline", "poll", "alert", "alert"]

    page = words(read("/?lang=en"))
    assert "Answers have become worse" not in page
    assert "Something needs a look" in page
    for said in (
        "run failed ingest of 'norms' failed: No room is left.".replace("'", "&#39;"),
        "run is late reindex is late: it runs since yesterday.",
        "The folder does not exist. Check the path.",
        "alert ExporterDown: An &lt;b&gt;exporter&lt;/b&gt; is down.",
        "A source is behind letters",
    ):
        assert said in page
    assert "Нужно взглянуть" in read("/?lang=ru")

    alerts = read("/recall?lang=en")
    assert '<p lang="en">Nothing answers at its port.</p>' in alerts
    assert 'href="https://runbooks.example/ExporterDown.md"' in alerts
    assert "javascript:alert" not in re.sub(r"<p[^>]*>.*?</p>", "", alerts)


@pytest.mark.parametrize("kind", [AlarmKind.RECALL, AlarmKind.LABELS, AlarmKind.QUESTIONS, AlarmKind.GATE])
def test_alarms_about_answers_say_that_they_are_worse(
    services: Services, read: Read, kind: AlarmKind
) -> None:
    services.catalog.alarms.open(NewAlarm(f"{kind.value}/docs/norms", kind, "It fell."))
    page = words(read("/?lang=en"))
    assert "Answers have become worse 1 open alarm" in page
    assert "Something needs a look" not in page


def test_sources_that_are_behind_are_named(services: Services, read: Read, tmp_path: object) -> None:
    assert glance(services).fresh is None
    declare_source(services, str(tmp_path), SourceOptions(name="norms"))
    now = glance(services)
    assert (now.fresh, now.behind) == (False, ("norms",))
    assert "Есть отставший источник norms" in words(read("/?lang=ru"))


def test_the_addresses_of_sources_hide_their_logins(services: Services, read: Read) -> None:
    for name, kind, location in (
        ("token", "git", "https://glpat-hush@gitlab.example/x.git"),
        ("site", "http", "https://site.example/sitemap.xml?token=hush"),
        ("slash", "git", "https://u:pa/hush@host.example/x"),
    ):
        services.catalog.sources.register(SourceSpec(name, kind, location))
    assert [item.location for item in glance(services).sources] == [
        "https://site.example/sitemap.xml",
        "https://***@host.example/x",
        "https://gitlab.example/x.git",
    ]
    assert "hush" not in read("/?lang=en")
