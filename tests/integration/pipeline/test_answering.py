"""Answers of a language model, from the index to the report; the model is a local server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from indexing.embedders.factory import build_counter
from indexing.recall.answers import AnswerOptions
from indexing.recall.model import GoldenSet
from pipeline.cli.answers import check_answerable, show_answers
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.recall import RecallRequest
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.errors import ConfigurationError
from rubrica.settings import Settings
from tests.support.chat_server import ChatServer, Reply, Request, chat_server
from tests.support.git_repository import Repository
from tests.support.recall_corpus import StemEmbedder, fill, questions

pytestmark = pytest.mark.integration

SettingsFactory = Callable[..., Settings]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture
def services(make_settings: SettingsFactory, server: ChatServer) -> Iterator[Services]:
    model = {"llm_url": server.settings.llm_url, "llm_model": "small", "llm_retries": 0}
    settings = make_settings(strategy="recursive", max_tokens=128, min_tokens=16, **model)
    with Services(settings) as services:
        services.embedder = StemEmbedder(build_counter(settings.indexing))
        yield services


def _with_answers() -> GoldenSet:
    """The experts say what the passages say; one question has no expert."""
    golden = questions()
    asked = [replace(item, answer=item.spans[0].quote) for item in golden.questions]
    return replace(golden, questions=(*asked[:-1], replace(asked[-1], answer="")))


def _reads_the_passages(golden: GoldenSet) -> Callable[[Request], Reply]:
    """A model that finds the answer if it is there, and knows nothing of cranes."""
    wanted = {item.question: item.answer for item in golden.questions}

    def answer(request: Request) -> Reply:
        asked = json.loads(request["messages"][1]["content"])
        expected = wanted[asked["question"]]
        there = any(expected in passage["text"] for passage in asked["passages"])
        known = there and "кран" not in expected
        return Reply(json.dumps({"answer": expected if known else ""}))

    return answer


def test_answers_are_reported_beside_recall(
    services: Services, server: ChatServer, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(repository)
    repository.commit("Правила порта")
    spec = declare_source(services, str(repository.path), SourceOptions(name="norms"))
    run_here(services, IngestRequest(spec.name), new_run_id(spec.name), lambda *_: None)
    golden = _with_answers()
    server.answer = _reads_the_passages(golden)
    live = services.catalog.generations.live(services.settings.indexing.alias)
    assert live is not None
    check_answerable(services, [golden])
    capsys.readouterr()
    show_answers(services, golden, RecallRequest(), live, AnswerOptions(), as_json=True)
    *answers, total = [json.loads(line) for line in capsys.readouterr().out.splitlines()[-12:]]
    assert (total["type"], total["model"], total["calls"], total["skipped"]) == ("answers", "small", 11, 1)
    assert len(answers) == total["answers_asked"] == total["answers"] == 11
    bad = {item["question_id"]: item["verdict"] for item in answers if item["verdict"] != "correct"}
    assert bad == {"Краны-0": "no_answer"}
    assert total["answers_correct"] == pytest.approx(10 / 11)

    show_answers(services, golden, RecallRequest(), live, AnswerOptions(max_calls=2), as_json=False)
    printed = capsys.readouterr()
    assert "2 answers of small: correct 100%" in printed.out
    assert "At most 2 calls" in printed.err


def test_without_a_model_or_an_expert_it_is_said_so(
    services: Services, make_settings: SettingsFactory
) -> None:
    with pytest.raises(ConfigurationError, match="expert's answer"):
        check_answerable(services, [questions()])
    with Services(make_settings()) as bare, pytest.raises(ConfigurationError, match="RUBRICA_LLM_URL"):
        check_answerable(bare, [_with_answers()])
