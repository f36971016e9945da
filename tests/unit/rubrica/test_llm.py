"""Asking a language model, over HTTP, on a server that runs in the test."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from rubrica.errors import ConfigurationError, ServiceUnavailableError
from rubrica.llm import ChatModel, LlmError
from tests.support.chat_server import ChatServer, Reply, Request, chat_server

AT_ONCE = {"Retry-After": "0"}


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


def ask(chat: ChatServer, deadline: float = float("inf"), **changes: object) -> str:
    with ChatModel(chat.settings.model_copy(update=changes)) as model:
        return model.ask("be brief", "what?", max_tokens=10, deadline=deadline)


def test_a_question_and_its_answer(chat: ChatServer) -> None:
    chat.answer = lambda _: Reply("forty-two")
    assert ask(chat) == "forty-two"
    (request,) = chat.requests
    assert request["model"] == "small"
    assert request["temperature"] == 0
    assert isinstance(request["seed"], int)
    assert request["max_tokens"] == 10
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert chat.authorizations == ["Bearer sesame"]


def test_no_key_is_sent_where_there_is_none(chat: ChatServer) -> None:
    ask(chat, llm_api_key=SecretStr(""))
    assert chat.authorizations == [""]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(chat: ChatServer, status: int) -> None:
    replies = iter([Reply("later", status=status, headers=AT_ONCE), Reply("now")])
    chat.answer = lambda _: next(replies)
    assert ask(chat) == "now"
    assert chat.requests[0] == chat.requests[1]


def test_it_is_not_asked_for_ever(chat: ChatServer) -> None:
    chat.answer = lambda _: Reply("never", status=500, headers=AT_ONCE)
    with pytest.raises(LlmError, match="status 500"):
        ask(chat)
    assert len(chat.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 302])
def test_a_refusal_is_final(chat: ChatServer, status: int) -> None:
    chat.answer = lambda _: Reply("no", status=status)
    with pytest.raises(LlmError, match=f"status {status}") as raised:
        ask(chat)
    assert len(chat.requests) == 1
    assert "RUBRICA_LLM" in raised.value.hint


def test_options_that_a_server_does_not_know_are_left_out(chat: ChatServer) -> None:
    def answer(request: Request) -> Reply:
        for name in ("response_format", "seed"):
            if name in request:
                return Reply(f"Unrecognized request argument: {name}", status=400)
        return Reply("fine")

    chat.answer = answer
    assert ask(chat) == "fine"
    assert "seed" not in chat.requests[-1]
    assert chat.requests[-1]["temperature"] == 0


def test_a_newer_name_of_the_limit(chat: ChatServer) -> None:
    def answer(request: Request) -> Reply:
        if "max_tokens" in request:
            return Reply("Use 'max_completion_tokens' instead of 'max_tokens'.", status=400)
        return Reply(str(request["max_completion_tokens"]))

    chat.answer = answer
    assert ask(chat) == "10"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(raw=b"<html>"), "not that of a chat API"),
        (Reply(raw=b"[]"), "not that of a chat API"),
        (Reply(raw=b'{"choices": []}'), "not that of a chat API"),
        (Reply(raw=b'{"choices": [{"message": null}]}'), "not that of a chat API"),
        (Reply(raw=b"\xff\xfe"), "not that of a chat API"),
        (Reply(content=None), "no text"),
        (Reply("half an ans", finish="length"), "cut off"),
        (Reply("x" * (2 << 20)), "over"),
    ],
)
def test_answers_that_are_none(chat: ChatServer, reply: Reply, reason: str) -> None:
    chat.answer = lambda _: reply
    with pytest.raises(LlmError, match=reason):
        ask(chat)


def test_a_server_that_takes_too_long(chat: ChatServer) -> None:
    gone = threading.Event()

    def answer(_: Request) -> Reply:
        gone.wait(30)
        return Reply("too late")

    chat.answer = answer
    try:
        with pytest.raises(LlmError, match="cannot be reached"):
            ask(chat, llm_timeout_s=1, llm_retries=0)
    finally:
        gone.set()


def test_a_deadline_ends_the_waiting_between_tries(chat: ChatServer) -> None:
    chat.answer = lambda _: Reply("later", status=503, headers={"Retry-After": "29"})
    with pytest.raises(LlmError, match="time"):
        ask(chat, deadline=time.monotonic() + 5)
    assert len(chat.requests) == 1


def test_a_deadline_that_has_passed_asks_nothing(chat: ChatServer) -> None:
    with pytest.raises(LlmError, match="time"):
        ask(chat, deadline=time.monotonic() - 1)
    assert chat.requests == []


def test_a_server_that_is_not_there() -> None:
    with chat_server() as gone:
        pass
    with pytest.raises(LlmError, match="cannot be reached") as raised:
        ask(gone, llm_retries=0)
    assert "RUBRICA_LLM_URL" in raised.value.hint


def test_no_secret_reaches_log_or_error(chat: ChatServer) -> None:
    chat.answer = lambda _: Reply("sesame is a wrong key", status=401)
    with capture_logs() as logs, pytest.raises(LlmError) as raised:
        ask(chat)
    assert "sesame" not in str(raised.value) + raised.value.hint + json.dumps(logs, default=str)
    assert "sesame" not in repr(chat.settings)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(429, ServiceUnavailableError), (503, ServiceUnavailableError), (401, ConfigurationError)],
)
def test_errors_say_whether_to_try_again(chat: ChatServer, status: int, kind: type[Exception]) -> None:
    chat.answer = lambda _: Reply("no", status=status, headers=AT_ONCE)
    with pytest.raises(LlmError) as raised:
        ask(chat)
    assert isinstance(raised.value, kind)


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_what_one_text_provokes_is_not_said_of_the_server(chat: ChatServer, status: int) -> None:
    chat.answer = lambda _: Reply("no", status=status, headers=AT_ONCE)
    with pytest.raises(LlmError) as raised:
        ask(chat)
    assert type(raised.value) is LlmError


@pytest.mark.parametrize(
    "usage", [None, [], {"prompt_tokens": "9"}, {"prompt_tokens": 9, "completion_tokens": 4}]
)
def test_what_was_spent_is_counted(chat: ChatServer, usage: object) -> None:
    body = json.loads(Reply("yes").body()) | {"usage": usage}
    chat.answer = lambda _: Reply(raw=json.dumps(body).encode())
    with ChatModel(chat.settings) as model:
        model.ask("be brief", "what?", max_tokens=10)
        spent = model.spent
    known = isinstance(usage, dict) and "completion_tokens" in usage
    assert spent.answers == 1
    assert (spent.prompt_tokens, spent.completion_tokens) == ((9, 4) if known else (0, 0))
