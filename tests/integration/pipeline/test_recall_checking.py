"""The check of recall from commit to alarm and back, on real services and a real repository."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from indexing.catalog.alarms import Alarm, AlarmKind
from indexing.catalog.deliveries import Event
from indexing.embedders.factory import build_counter
from indexing.recall.model import GoldenQuestion, Origin
from pipeline.alarms import accept
from pipeline.delivery.facts import facts
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.recall_checking import check_set, sets_to_check, summary
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.errors import ConfigurationError, RunFailedError, TransientError
from rubrica.settings import Settings
from tests.support.command_line import CommandLine
from tests.support.git_repository import Repository
from tests.support.recall_corpus import StemEmbedder, fill, questions

pytestmark = pytest.mark.integration

SettingsFactory = Callable[..., Settings]


@pytest.fixture
def services(make_settings: SettingsFactory) -> Iterator[Services]:
    settings = make_settings(strategy="recursive", max_tokens=128, min_tokens=16)
    with Services(settings) as services:
        services.embedder = StemEmbedder(build_counter(settings.indexing))
        yield services


@pytest.fixture
def commands(
    make_settings: SettingsFactory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandLine:
    settings = make_settings()
    monkeypatch.setenv("RUBRICA_HOME", str(settings.home))
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", settings.services.postgres_url.get_secret_value())
    monkeypatch.setenv("RUBRICA_MILVUS_URI", settings.services.milvus_uri)
    monkeypatch.setenv("RUBRICA_ALIAS", settings.indexing.alias)
    return CommandLine(monkeypatch, capsys)


def _ingest(services: Services, repository: Repository, message: str) -> str:
    commit = repository.commit(message)
    spec = declare_source(services, str(repository.path), SourceOptions(name="norms"))
    run_here(services, IngestRequest(spec.name, allow_removals=True), new_run_id(spec.name), lambda *_: None)
    return commit


def _open(services: Services) -> dict[AlarmKind, Alarm]:
    return {alarm.said.kind: alarm for alarm in services.catalog.alarms.open_alarms()}


def _decoys(repository: Repository, asked: tuple[GoldenQuestion, ...], copies: int = 5) -> None:
    """Documents that repeat questions and answer none: they push the answers out of the first five."""
    for question in asked:
        for number in range(copies):
            repository.write(f"эхо/{question.id}-{number}.md", f"{question.question} {question.question}\n")


def test_a_drop_is_told_with_its_commits_and_closed_when_it_has_passed(
    services: Services, repository: Repository, commands: CommandLine
) -> None:
    golden = questions()
    fill(repository)
    first = _ingest(services, repository, "Правила порта")
    services.catalog.golden.save(golden)
    assert sets_to_check(services) == ["harbour"]
    good = check_set(services, "harbour")
    assert good["accepted"]
    assert (good["recall@5"], good["alarms"], good["before"]) == (1.0, [], None)

    hidden = golden.questions[:7]
    _decoys(repository, hidden)
    last = _ingest(services, repository, "Эхо вопросов")
    bad = check_set(services, "harbour", trigger="ingest")
    assert not bad["accepted"]
    assert bad["recall@5"] < 0.9
    _assert_tells_what_broke(_open(services)[AlarmKind.RECALL], hidden, first, last)
    # Seen again, it is the same alarm.
    assert check_set(services, "harbour")["alarms"] == bad["alarms"]

    _assert_commands_show_it(commands, bad["alarms"][0], hidden)

    for path in (repository.path / "эхо").iterdir():
        path.unlink()
    _ingest(services, repository, "Эха больше нет")
    again = check_set(services, "harbour")
    assert again["accepted"]
    assert again["alarms"] == []
    (cause,) = again["closed"]
    assert cause == f"recall/{services.settings.indexing.alias}/harbour"
    closed = services.catalog.alarms.get(bad["alarms"][0])
    assert closed is not None
    assert "recall@5 is 1.000 again" in closed.note
    assert commands("alarms", "--json").out == ""
    (listed,) = commands("alarms", "--all", "--json").objects
    assert (listed["id"], listed["open"]) == (closed.id, False)


def _assert_tells_what_broke(alarm: Alarm, hidden: tuple[GoldenQuestion, ...], first: str, last: str) -> None:
    said = alarm.said
    assert "under the floor of 0.90" in said.summary
    assert "fell from 1.000" in said.summary
    told: list[dict[str, Any]] = said.details["questions"]
    assert {item["id"] for item in told} <= {question.id for question in hidden}
    assert len(told) >= 5
    for item in told:
        assert (item["before"], item["now"]) == (1.0, 0.0)
        assert any(hit["relevant"] for hit in item["returned_before"])
        assert not any(hit["relevant"] for hit in item["returned"])
        assert item["returned"][0]["document"].startswith("эхо/")
        assert item["returned"][0]["text"]
    (source,) = said.details["change"]["sources"]
    assert (source["source"], source["from"], source["to"]) == ("norms", first, last)
    assert [commit["subject"] for commit in source["commits"]] == ["Эхо вопросов"]
    assert said.details["change"]["settings"] == []
    assert any(item["command"] == "rubrica tune --set harbour" for item in said.details["commands"])


def _assert_commands_show_it(commands: CommandLine, number: int, hidden: tuple[GoldenQuestion, ...]) -> None:
    (listed,) = commands("alarms", "--json").objects
    assert (listed["type"], listed["id"], listed["open"]) == ("alarm", number, True)
    assert f"{number} recall" in commands("alarms").out
    shown = commands("alarms", "show", str(number)).out
    assert any(question.question in shown for question in hidden)
    assert "Эхо вопросов" in shown
    assert f"rubrica alarms accept {number}" in shown
    missing = commands("alarms", "show", "999")
    assert missing.code == 2
    assert "There is no alarm 999" in missing.err


def test_a_drop_that_is_meant_is_accepted(
    services: Services, repository: Repository, commands: CommandLine
) -> None:
    golden = questions()
    fill(repository)
    _ingest(services, repository, "Правила порта")
    services.catalog.golden.save(golden)
    check_set(services, "harbour")
    _decoys(repository, golden.questions[:7])
    _ingest(services, repository, "Эхо вопросов")
    (number,) = check_set(services, "harbour")["alarms"]

    told = commands("alarms", "accept", str(number), "--note", "Эхо нужно.").out
    assert "Эхо нужно." in told
    assert services.catalog.alarms.open_alarms() == []
    with pytest.raises(ConfigurationError, match="no open alarm"):
        accept(services, number)
    # It is no drop any more, but the floor stays what it is.
    check_set(services, "harbour")
    assert "fell from" not in _open(services)[AlarmKind.RECALL].said.summary

    commands("alarms", "close", str(_open(services)[AlarmKind.RECALL].id))
    assert services.catalog.alarms.open_alarms() == []


def test_labels_gone_stale_are_an_alarm_of_their_own(services: Services, repository: Repository) -> None:
    fill(repository)
    _ingest(services, repository, "Правила порта")
    services.catalog.golden.save(questions())
    check_set(services, "harbour")

    (repository.path / "Лёд.md").unlink()
    _ingest(services, repository, "Правила зимней навигации отменены")
    found = check_set(services, "harbour")
    alarms = _open(services)
    assert set(alarms) == {AlarmKind.LABELS}
    assert found["recall@5"] == 1.0
    assert not found["accepted"]
    said = alarms[AlarmKind.LABELS].said
    assert {item["id"] for item in said.details["stale"]} == {"Лёд-0", "Лёд-1"}
    assert all("Лёд.md" in item["reason"] for item in said.details["stale"])
    (moved,) = said.details["change"]["sources"]
    assert [commit["subject"] for commit in moved["commits"]] == ["Правила зимней навигации отменены"]
    told = facts(services.settings, alarms[AlarmKind.LABELS], Event.OPENED)
    assert any("Правила зимней навигации отменены" in line for line in told.changes)
    with pytest.raises(ConfigurationError, match="golden check harbour"):
        accept(services, alarms[AlarmKind.LABELS].id)

    fill(repository)
    _ingest(services, repository, "И снова введены")
    assert check_set(services, "harbour")["closed"]
    assert services.catalog.alarms.open_alarms() == []


class _Meddler:
    """Does something to the index when the first question has been asked."""

    def __init__(self, meddle: Callable[[], object], times: int) -> None:
        self.asked = 0
        self._meddle = meddle
        self._times = times

    def advance(self, amount: int = 1) -> None:
        self.asked += amount
        if self._times:
            self._times -= 1
            self._meddle()


def test_a_run_in_the_middle_of_a_check_is_no_drop(services: Services, repository: Repository) -> None:
    golden = questions()
    fill(repository)
    _ingest(services, repository, "Правила порта")
    services.catalog.golden.save(golden)
    assert check_set(services, golden.name)["accepted"]

    def remove() -> None:
        for path in sorted(repository.path.glob("*.md"))[:4]:
            path.unlink()
        _ingest(services, repository, "Убрано")

    meddler = _Meddler(remove, times=1)
    check_set(services, golden.name, progress=meddler)
    assert meddler.asked > len(golden.questions)
    assert set(_open(services)) == {AlarmKind.LABELS}

    def disturb() -> None:
        repository.write("новое.md", f"Без перерыва {meddler.asked}.")
        _ingest(services, repository, "Ещё")

    meddler = _Meddler(disturb, times=100)
    with pytest.raises(TransientError, match="recall-check"):
        check_set(services, golden.name, progress=meddler)


def test_a_source_without_questions_is_asked_those_that_rubrica_makes_and_has_no_floor(
    services: Services, repository: Repository
) -> None:
    fill(repository)
    _ingest(services, repository, "Правила порта")
    assert sets_to_check(services) == ["norms.bootstrap"]
    found = check_set(services, "norms.bootstrap")
    assert found["origin"] == "bootstrap"
    assert found["accepted"]

    golden = services.catalog.golden.get("norms.bootstrap")
    assert golden is not None
    _decoys(repository, golden.questions[:8])
    _ingest(services, repository, "Эхо вопросов")
    check_set(services, "norms.bootstrap")
    summary_ = _open(services)[AlarmKind.RECALL].said.summary
    assert "(questions that Rubrica made itself)" in summary_
    assert "fell from" in summary_
    assert "floor" not in summary_


def test_before_anything_is_indexed_there_is_nothing_to_check(
    services: Services, commands: CommandLine
) -> None:
    assert sets_to_check(services) == []
    assert summary(services, [], []) == {"sets": 0, "worse": [], "open_alarms": []}
    with pytest.raises(RunFailedError, match="could not be asked: harbour"):
        summary(services, ["harbour"], [])
    with pytest.raises(ConfigurationError, match="no golden set"):
        check_set(services, "harbour")
    done = commands("recall-check")
    assert done.code == 0
    assert "There are no golden questions yet" in done.out
    assert "No alarm is open" in commands("alarms").out


def test_questions_made_by_hand_are_not_replaced_by_those_of_a_repository(
    services: Services, repository: Repository
) -> None:
    repository.write("причал.md", "# Причал\n\nДоски настила меняют раз в пять лет.\n")
    _ingest(services, repository, "Без вопросов")
    services.catalog.golden.save(replace(questions(), name="norms", origin=Origin.COMMAND))
    entry = "- id: boards\n  question: Когда меняют доски?\n  document: причал.md\n  quote: Доски настила\n"
    repository.write("golden.yaml", entry)
    _ingest(services, repository, "Вопрос")
    assert sets_to_check(services) == ["norms"]
    kept = services.catalog.golden.get("norms")
    assert kept is not None
    assert kept.origin == Origin.COMMAND
    assert "made by hand" in _open(services)[AlarmKind.QUESTIONS].said.summary
    services.catalog.golden.delete("norms")
    sets_to_check(services)
    assert AlarmKind.QUESTIONS not in _open(services)


def test_a_set_that_lost_its_questions_has_no_alarm(services: Services, repository: Repository) -> None:
    golden = questions()
    fill(repository)
    _ingest(services, repository, "Правила порта")
    _decoys(repository, golden.questions)
    _ingest(services, repository, "Эхо вопросов")
    services.catalog.golden.save(golden)
    check_set(services, "harbour")
    assert AlarmKind.RECALL in _open(services)
    services.catalog.golden.save(replace(golden, questions=()))
    sets_to_check(services)
    assert AlarmKind.RECALL not in _open(services)


def test_questions_that_cannot_be_read_are_an_alarm_until_they_can(
    services: Services, repository: Repository
) -> None:
    repository.write("причал.md", "# Причал\n\nДоски настила меняют раз в пять лет.\n")
    good = "- id: boards\n  question: Когда меняют доски?\n  document: причал.md\n  quote: Доски настила\n"
    repository.write("golden.yaml", good)
    _ingest(services, repository, "Вопрос")
    asked = sets_to_check(services)
    assert len(asked) == 1
    repository.write("golden.yaml", "- id: [boards\n")
    _ingest(services, repository, "Вопрос сломан")
    assert sets_to_check(services) == asked
    alarm = _open(services)[AlarmKind.QUESTIONS]
    assert "'norms'" in alarm.said.summary
    assert alarm.said.details["commands"][0]["command"] == "rubrica golden sync norms"
    repository.write("golden.yaml", good)
    repository.commit("Вопрос цел")
    assert sets_to_check(services) == asked
    assert AlarmKind.QUESTIONS in _open(services), "nothing was read: the source is ahead of its index"
    _ingest(services, repository, "Вопрос цел")
    assert sets_to_check(services) == asked
    assert AlarmKind.QUESTIONS not in _open(services)
