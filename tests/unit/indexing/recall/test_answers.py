from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from indexing.recall.answers import (
    AnswerOptions,
    AnswersReport,
    Verdict,
    evaluate_answers,
    right_words,
    token_f1,
)
from indexing.recall.model import GoldenQuestion, GoldenSpan
from indexing.recall.texts import IndexedText
from rubrica.errors import ConfigurationError
from rubrica.llm import ChatModel, LlmRefusedError
from rubrica.model import Hit
from tests.support.chat_server import ChatServer, Reply, Request, chat_server

TERM = "Срок подачи заявки составляет 30 дней со дня публикации извещения."
PLACE = "Заявки подаются в канцелярию заказчика по рабочим дням."
TEXT = f"{TERM}\n{PLACE}"
SPANS = ((0, len(TERM)), (len(TERM) + 1, len(TEXT)))

WHEN = GoldenQuestion(
    "when", "Каков срок подачи заявки?", "a.md", (GoldenSpan(TERM),), answer="30 дней со дня публикации"
)
WHERE = GoldenQuestion(
    "where", "Куда подают заявки?", "a.md", (GoldenSpan(PLACE),), answer="В канцелярию заказчика"
)


def _texts(source: str, name: str) -> IndexedText | None:
    return IndexedText("d", "a.md", TEXT, SPANS, ("c0", "c1"), ((1, 1), (1, 1))) if name == "a.md" else None


def _hit(number: int) -> Hit:
    start, end = SPANS[number]
    return Hit(1, 0.5, f"c{number}", "d", "norms", "a.md", "Нормы", start, end, 1, 1, (), (), TEXT[start:end])


def _finds_only_the_term(question: str, k: int) -> Sequence[Hit]:
    return [_hit(0)]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


def _ask(server: ChatServer, *questions: GoldenQuestion, **options: Any) -> AnswersReport:
    with ChatModel(server.settings) as model:
        return evaluate_answers(
            questions,
            _finds_only_the_term,
            _texts,
            lambda system, user: model.ask(system, user, max_tokens=200),
            AnswerOptions(**options),
        )


def _says(answer: str | None) -> Reply:
    return Reply(json.dumps({"answer": answer}, ensure_ascii=False))


def _verdicts(report: AnswersReport) -> dict[str, str]:
    return {item.question_id: item.verdict.value for item in report.answers}


@pytest.mark.parametrize(
    ("answer", "when", "where"),
    [
        ("Заявку подают за 30 дней со дня публикации.", "correct", "incomplete_context"),
        ("Заявку подают за 10 дней со дня публикации.", "wrong_answer", "incomplete_context"),
        ("", "no_answer", "incomplete_context"),
        (None, "no_answer", "incomplete_context"),
        ("В канцелярию заказчика.", "wrong_answer", "correct"),
    ],
)
def test_errors_are_sorted_by_whose_fault_they_are(
    server: ChatServer, answer: str | None, when: str, where: str
) -> None:
    server.answer = lambda _: _says(answer)
    assert _verdicts(_ask(server, WHEN, WHERE)) == {"when": when, "where": where}


def test_the_model_is_given_the_passages_as_data(server: ChatServer) -> None:
    server.answer = lambda _: _says("30 дней")
    report = _ask(server, WHEN)
    asked = server.user_content()
    assert asked["question"] == WHEN.question
    assert [(item["document"], item["page"], item["text"]) for item in asked["passages"]] == [
        ("a.md", 1, TERM)
    ]
    assert report.calls == len(server.requests) == 1
    assert report.answers[0].context_complete


def test_the_report_has_shares_beside_recall(server: ChatServer) -> None:
    server.answer = lambda _: _says("30 дней со дня публикации")
    metrics = _ask(server, WHEN, WHERE).metrics()
    assert metrics["answers_correct"] == metrics["answers_incomplete_context"] == 0.5
    assert metrics["answers_wrong_answer"] == metrics["answers_no_answer"] == 0.0
    assert (metrics["answers_asked"], metrics["answers_failed"]) == (2, 0)
    assert metrics["answers_f1"] == pytest.approx(0.5)


def test_the_model_can_be_the_judge(server: ChatServer) -> None:
    def answer(request: Request) -> Reply:
        given = json.loads(request["messages"][1]["content"])
        return Reply('{"correct": true}') if "expert" in given else _says("Месяц")

    server.answer = answer
    assert _verdicts(_ask(server, WHEN, judge="words")) == {"when": "wrong_answer"}
    report = _ask(server, WHEN, judge="model")
    assert _verdicts(report) == {"when": "correct"}
    assert report.calls == 2


def test_the_budget_is_kept(server: ChatServer) -> None:
    server.answer = lambda _: _says("30 дней")
    report = _ask(server, WHEN, WHERE, max_calls=1)
    assert (len(report.answers), report.skipped, report.calls) == (1, 1, 1)
    assert "At most 1 calls" in report.stopped
    assert len(server.requests) == 1


def test_questions_without_an_expert_or_a_passage_are_not_asked(server: ChatServer) -> None:
    server.answer = lambda _: _says("30 дней")
    plain = GoldenQuestion("plain", "Что?", "a.md", (GoldenSpan(TERM),))
    stale = GoldenQuestion("stale", "Что?", "gone.md", (GoldenSpan(TERM),), answer="Ничего")
    report = _ask(server, plain, stale, WHEN)
    assert (set(_verdicts(report)), report.skipped) == ({"when"}, 2)
    with pytest.raises(ConfigurationError, match="expert's answer"):
        _ask(server, plain)


def test_what_cannot_be_read_is_a_failure_of_its_own_and_ends_after_a_while(server: ChatServer) -> None:
    server.answer = lambda _: Reply("not JSON")
    copies = [GoldenQuestion(f"q{i}", WHEN.question, "a.md", WHEN.spans, answer="30") for i in range(5)]
    report = _ask(server, *copies)
    assert set(_verdicts(report).values()) == {Verdict.FAILED.value}
    assert (len(report.answers), report.skipped) == (3, 2)
    assert "no usable answer" in report.stopped
    assert report.metrics()["answers_correct"] == 0.0
    assert report.metrics()["answers_failed"] == 3


def test_one_bad_reply_costs_one_question(server: ChatServer) -> None:
    server.answer = lambda _: Reply("[]") if len(server.requests) == 1 else _says("В канцелярию заказчика")
    assert _verdicts(_ask(server, WHEN, WHERE)) == {"when": "failed", "where": "correct"}


def test_a_busy_server_is_asked_again(server: ChatServer) -> None:
    def answer(_: Request) -> Reply:
        busy = len(server.requests) == 1
        return Reply("busy", status=503, headers={"Retry-After": "0"}) if busy else _says("30 дней")

    server.answer = answer
    assert _verdicts(_ask(server, WHEN)) == {"when": "correct"}


def test_a_server_that_refuses_ends_it(server: ChatServer) -> None:
    server.answer = lambda _: Reply("no such key", status=401)
    with pytest.raises(LlmRefusedError):
        _ask(server, WHEN, WHERE)


@pytest.mark.parametrize(
    ("expected", "given", "right"),
    [
        ("30 дней", "Не менее 30 дней", True),
        ("30 дней", "Не менее 20 дней", False),
        ("0,5 МПа", "0.5 МПа", True),
        ("Заказчик утверждает документацию", "Документация утверждается заказчиком", True),
        ("The customer approves it", "Nothing is known of that", False),
        ("30 дней", "По общему правилу заявки подаются за 30 дней до окончания срока торгов", True),
    ],
)
def test_answers_are_compared_by_words_and_numbers(expected: str, given: str, right: bool) -> None:
    assert right_words(expected, given) is right


def test_f1_knows_no_word_forms() -> None:
    assert token_f1("документация заказчика", "документацией заказчику") == 1.0
    assert token_f1("документация", "") == token_f1("", "документация") == 0.0
