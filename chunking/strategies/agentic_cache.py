"""Answers of a language model that were read before: in this process, and in Redis where there is one.

A language model does not promise to say the same thing twice. The cache does: while an answer is in it, the
same window under the same settings is divided in the same way. What is stored is what was understood, not
what was written; answers that could not be used are not stored.
"""

from __future__ import annotations

from collections import OrderedDict

from chunking.cache.link import RedisLink
from rubrica.identity import digest

_REMEMBERED = 4096
_SECONDS_A_DAY = 86_400
_MOST_BYTES = 1 << 20


class AnswerCache:
    """Remembers answers by question.

    Redis may be slow, full or gone at any time: then only this process remembers.
    """

    def __init__(self, namespace: str, redis_url: str = "", *, days: int = 90) -> None:
        """Prepare a cache; nothing is connected yet.

        Args:
            namespace: Everything but the question that can change an answer.
            redis_url: ``redis://``, ``rediss://`` or ``unix://``; empty: only this process remembers.
            days: Days that Redis keeps an unused answer.

        Raises:
            ConfigurationError: The URL is not one of Redis.
        """
        self._prefix = f"rubrica:answers:{digest(namespace)}:"
        self._link = RedisLink(redis_url, "answer_cache") if redis_url else None
        self._seconds = days * _SECONDS_A_DAY
        self._near: OrderedDict[str, str] = OrderedDict()

    def read(self, question: str) -> str | None:
        """The answer to a question that was asked before, if it is known."""
        key = self._key(question)
        answer = self._near.get(key) or self._fetch(key)
        if answer:
            self._remember(key, answer)
        return answer

    def write(self, question: str, answer: str) -> None:
        """Remember an answer."""
        key = self._key(question)
        self._remember(key, answer)
        if self._link:
            self._link.write([("SET", key, answer.encode(), "EX", self._seconds)])

    def _key(self, question: str) -> str:
        return self._prefix + digest(question)

    def _fetch(self, key: str) -> str | None:
        if self._link is None:
            return None
        (value,) = self._link.read([("GET", key)])
        if not isinstance(value, bytes) or len(value) > _MOST_BYTES:
            return None
        self._link.write([("EXPIRE", key, self._seconds)])
        return value.decode("utf-8", "replace")

    def _remember(self, key: str, answer: str) -> None:
        self._near[key] = answer
        self._near.move_to_end(key)
        if len(self._near) > _REMEMBERED:
            self._near.popitem(last=False)
