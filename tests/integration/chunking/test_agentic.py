"""Answers of a language model in a real Redis."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator

import pytest
import redis
from structlog.testing import capture_logs

from chunking.factory import build_chunker
from chunking.strategies.agentic_cache import AnswerCache
from rubrica.errors import TransientError
from rubrica.model import ChunkedDocument, Document
from rubrica.settings import ChunkingSettings
from tests.fixtures.redis import RedisServer
from tests.support.chat_server import ChatServer, Reply, Request, chat_server
from tests.support.chunk_invariants import check_chunks
from tests.support.chunking_parts import WordCounter, document, paragraphs

pytestmark = pytest.mark.integration


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    with chat_server() as server:
        server.settings = server.settings.model_copy(update={"llm_model": uuid.uuid4().hex})
        yield server


def at_random(request: Request) -> Reply:
    """A model that never says the same thing twice."""
    count = len(json.loads(request["messages"][1]["content"])["units"])
    half = uuid.uuid4().int % max(count - 1, 1) + 1
    spans = [(1, half), (half + 1, count)]
    return Reply(
        json.dumps({"chunks": [{"first": a, "last": b, "title": uuid.uuid4().hex} for a, b in spans]})
    )


def some_document() -> Document:
    return document(paragraphs([f"Sentence {i} is here. And another one {i} is." for i in range(40)]))


def cut(chat: ChatServer, url: str, doc: Document) -> ChunkedDocument:
    """As a new process would, with nothing in its memory."""
    settings = ChunkingSettings(strategy="agentic", max_tokens=60, min_tokens=0, agentic_window_tokens=100)
    return build_chunker(settings, WordCounter(), url, llm=chat.settings).chunk_one(doc)


def test_another_process_gets_the_same_chunks_for_nothing(chat: ChatServer, redis_url: str) -> None:
    chat.answer = at_random
    doc = some_document()
    first = cut(chat, redis_url, doc)
    asked = len(chat.requests)
    assert asked > 1
    assert cut(chat, redis_url, doc) == first
    assert len(chat.requests) == asked
    check_chunks(doc, first.chunks, WordCounter(), 60)


def test_what_was_answered_before_the_server_went_away_is_kept(chat: ChatServer, redis_url: str) -> None:
    away = Reply("later", status=503, headers={"Retry-After": "0"})
    chat.answer = lambda request: at_random(request) if len(chat.requests) < 3 else away
    with pytest.raises(TransientError):
        cut(chat, redis_url, some_document())
    chat.requests.clear()
    chat.answer = at_random
    cut(chat, redis_url, some_document())
    total = len(chat.requests)
    chat.requests.clear()
    chat.settings = chat.settings.model_copy(update={"llm_model": "another"})
    cut(chat, redis_url, some_document())
    assert len(chat.requests) == total + 2


def test_redis_is_not_needed(chat: ChatServer, redis_server: RedisServer) -> None:
    """K03: Redis down is a miss and a warning."""
    chat.answer = at_random
    redis_server.kill()
    doc = some_document()
    with capture_logs() as logs:
        chunked = cut(chat, redis_server.url, doc)
    check_chunks(doc, chunked.chunks, WordCounter(), 60)
    assert any(log["event"].startswith("answer_cache") for log in logs)


def test_answers_expire_and_a_read_renews_them(redis_url: str) -> None:
    cache = AnswerCache(uuid.uuid4().hex, redis_url, days=2)
    cache.write("question", "answer")
    (key,) = cache._near
    with redis.Redis.from_url(redis_url, protocol=2) as client:
        assert 0 < client.ttl(key) <= 2 * 86_400
        client.expire(key, 10)
        cache._near.clear()
        assert cache.read("question") == "answer"
        assert client.ttl(key) > 10
        client.delete(key)
        client.hset(key, "somebody", "else")
    cache._near.clear()
    assert cache.read("question") is None
