"""The gate on real generations in Milvus Lite and PostgreSQL, cut by the bundled tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from indexing.catalog import Generation
from indexing.embedders.factory import build_counter
from indexing.generations import begin
from indexing.recall.model import Origin
from indexing.recall.regressions import METRIC
from pipeline.converging import converge
from pipeline.gate import GateVerdict, judge
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.protocols import Embedder
from rubrica.settings import Settings
from tests.support.git_repository import Repository
from tests.support.recall_corpus import ConstantEmbedder, StemEmbedder, fill, questions

pytestmark = pytest.mark.integration

CHUNKING = {"strategy": "recursive", "max_tokens": 128, "min_tokens": 16}
SettingsFactory = Callable[..., Settings]


@pytest.fixture
def services(make_settings: SettingsFactory) -> Iterator[Services]:
    settings = make_settings(**CHUNKING)
    with Services(settings) as services:
        services.embedder = StemEmbedder(build_counter(settings.indexing))
        yield services


@pytest.fixture
def live(services: Services, repository: Repository) -> Generation:
    """The corpus, indexed as it should be."""
    fill(repository)
    repository.commit("Правила порта")
    spec = declare_source(services, str(repository.path), SourceOptions(name="norms"))
    run_here(services, IngestRequest(spec.name), new_run_id(spec.name), lambda *_: None)
    found = services.catalog.generations.live(services.settings.indexing.alias)
    assert found is not None
    return found


def _candidate(
    services: Services, make_settings: SettingsFactory, embedder: Embedder | None = None, **chunking: Any
) -> Generation:
    with Services(make_settings(**CHUNKING | chunking), lender=services) as wanted:
        alias, blueprint = services.settings.indexing.alias, wanted.blueprint
        made = begin(alias, services.catalog, services.store, services.embedder, blueprint)
    if embedder is not None:
        services.at(made).embedder = embedder
    converge(services, made)
    return made


def _names(verdict: GateVerdict) -> list[str]:
    return [item.golden.name for item in verdict.sets]


def test_a_good_candidate_passes_and_bad_ones_are_refused(
    services: Services, live: Generation, make_settings: SettingsFactory
) -> None:
    services.catalog.golden.save(questions())

    # Without vectors that mean anything, words alone find most: the gate looks at the vectors alone too.
    blind = _candidate(services, make_settings, ConstantEmbedder(services.embedder.counter))
    refused = judge(services, blind, live)
    assert not refused.passed
    assert "searched by vectors alone" in refused.reason
    assert "Worst: " in refused.reason

    # Twenty tokens, the context line among them, hold half a sentence.
    scraps = _candidate(services, make_settings, max_tokens=20, min_tokens=0)
    refused = judge(services, scraps, live)
    assert not refused.passed
    assert "Golden set 'harbour'" in refused.reason
    alarms = services.catalog.alarms.open_alarms()
    assert [alarm.said.kind.value for alarm in alarms] == ["gate"]
    _assert_tells_what_broke(alarms[0].said.details)

    good = _candidate(services, make_settings, max_tokens=160, min_tokens=16)
    passed = judge(services, good, live)
    assert passed.passed
    assert _names(passed) == ["harbour"]
    assert passed.sets[0].whole.candidate.metrics[METRIC] >= 0.9
    assert services.catalog.alarms.open_alarms() == []
    closed = services.catalog.alarms.get(alarms[0].id)
    assert closed is not None
    assert closed.note == f"Generation {good.number} passed the gate."


def _assert_tells_what_broke(details: Mapping[str, Any]) -> None:
    (told,) = details["sets"]
    assert told["questions"]
    for question in told["questions"]:
        assert question["now"] < question["before"]
        assert question["question"].endswith("?")
        assert any(hit["relevant"] for hit in question["returned_before"])
        assert all(hit["document"].endswith(".md") for hit in question["returned"])
    changed = {item["name"]: (item["before"], item["now"]) for item in details["change"]["settings"]}
    assert changed["RUBRICA_MAX_TOKENS"] == (128, 20)
    assert any(item["command"].startswith("rubrica tune") for item in details["commands"])


def test_documents_that_lost_their_text_are_refused(
    services: Services, live: Generation, make_settings: SettingsFactory
) -> None:
    services.catalog.golden.save(questions())
    made = _candidate(services, make_settings, max_tokens=160)
    gone = [id_ for id_, path in services.catalog.documents.paths("norms").items() if path < "П"]
    assert gone
    for id_ in gone:
        services.at(made).writer.clear_document(id_)
    refused = judge(services, made, live)
    assert not refused.passed
    assert "have lost the passages" in refused.reason


def test_without_questions_of_ones_own_those_made_by_rubrica_are_asked(
    services: Services, live: Generation, make_settings: SettingsFactory
) -> None:
    blind = _candidate(services, make_settings, ConstantEmbedder(services.embedder.counter))
    refused = judge(services, blind, live)
    assert _names(refused) == ["norms.bootstrap"]
    assert refused.sets[0].golden.origin == Origin.BOOTSTRAP
    assert not refused.passed
    assert "(questions that Rubrica made itself)" in refused.reason

    same = judge(services, live, live)
    assert same.passed
    assert not same.warnings


def test_without_any_question_it_passes_and_says_how_to_add_some(
    services: Services, repository: Repository, make_settings: SettingsFactory
) -> None:
    repository.write("a.md", "Да.\n")
    repository.commit()
    spec = declare_source(services, str(repository.path), SourceOptions(name="norms"))
    run_here(services, IngestRequest(spec.name), new_run_id(spec.name), lambda *_: None)
    live = services.catalog.generations.live(services.settings.indexing.alias)
    assert live is not None
    verdict = judge(services, _candidate(services, make_settings, max_tokens=64), live)
    assert verdict.passed
    assert len(verdict.warnings) == 1
    assert "rubrica golden import" in verdict.warnings[0]
