"""Asks a language model over OpenAI's chat API, which most servers of models speak."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Self
from urllib.parse import urlsplit

from rubrica.errors import ConfigurationError, RubricaError, ServiceUnavailableError
from rubrica.log import get_logger
from rubrica.settings import LlmSettings

_log = get_logger(__name__)

_SEED = 7
_MOST_BYTES = 1 << 20
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 30.0
_BUSY = frozenset({408, 409, 425, 429})
_REFUSED = frozenset({400, 422})
# Said of the server, not of one request.
_AWAY = _BUSY | {502, 503, 504}
# Said of one request: too long, or not to the taste of a filter.
_OF_THE_TEXT = _REFUSED | {413}
_LEAST_ERROR = 300
_LEAST_FAULT = 500


class LlmError(RubricaError):
    """A language model gave no answer that could be used."""


class LlmUnavailableError(LlmError, ServiceUnavailableError):
    """The server of the language model cannot be reached or stays busy; it may work in a minute."""


class LlmRefusedError(LlmError, ConfigurationError):
    """The server refuses every request: address, model or key are wrong."""


@dataclass(slots=True)
class Spent:
    """What a language model has cost so far.

    Attributes:
        answers: Answers got.
        prompt_tokens: Tokens sent, as the server counts them; 0 where it does not.
        completion_tokens: Tokens of its answers.
    """

    answers: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, usage: Any) -> None:
        """Count an answer with the usage that the server states."""
        known = usage if isinstance(usage, dict) else {}
        self.answers += 1
        self.prompt_tokens += _whole(known.get("prompt_tokens"))
        self.completion_tokens += _whole(known.get("completion_tokens"))


@dataclass(frozen=True, slots=True)
class _Reply:
    """Status (0 where the server was not reached), content, and how long to wait by its wish."""

    status: int = 0
    content: bytes = b""
    wait: float | None = None


class ChatModel:
    """A language model behind an API, as deterministic as it lets itself be made.

    Use it as a context manager: it keeps a connection open.

    Args:
        settings: Address, model, key and patience.

    Attributes:
        spent: What its answers have cost.
    """

    def __init__(self, settings: LlmSettings) -> None:
        # Loaded by those who ask a model: most runs do not.
        import httpx  # noqa: PLC0415

        self._httpx = httpx
        self._settings = settings
        self.spent = Spent()
        self._options: dict[str, Any] = {
            "temperature": 0,
            "seed": _SEED,
            "response_format": {"type": "json_object"},
        }
        self._length = "max_tokens"
        self._client = self._connect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self, system: str, user: str, *, max_tokens: int, deadline: float = float("inf")) -> str:
        """The model's answer.

        Args:
            system: What the model is to do.
            user: What it is to do it with.
            max_tokens: Most tokens of the answer.
            deadline: Time of ``time.monotonic`` after which no answer is waited for.

        Raises:
            LlmError: There is none, it is cut off, or the deadline has passed.
            LlmUnavailableError: The server cannot be reached or stays busy.
            LlmRefusedError: It does not accept the address, the model or the key.
        """
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        reply = self._send(messages, max_tokens, deadline)
        for attempt in range(self._settings.llm_retries):
            if reply.status == self._httpx.codes.OK:
                break
            self._pause(attempt, reply, deadline)
            reply = self._send(messages, max_tokens, deadline)
        if reply.status == self._httpx.codes.OK:
            return _content(reply.content, self.spent)
        kind = LlmUnavailableError if not reply.status or reply.status in _AWAY else LlmError
        raise kind(
            "The server of the language model cannot be reached."
            if not reply.status
            else f"The server of the language model fails with status {reply.status}.",
            hint="See whether it runs and is not overloaded, and look at RUBRICA_LLM_URL.",
        )

    def _connect(self) -> Any:
        headers = {"Content-Type": "application/json"}
        key = self._settings.llm_api_key.get_secret_value()
        if key:
            headers["Authorization"] = f"Bearer {key}"
        return self._httpx.Client(headers=headers, trust_env=not self._is_local())

    def _is_local(self) -> bool:
        """Whether the server runs on this machine, which no proxy leads to."""
        host = urlsplit(self._settings.llm_url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def _pause(self, attempt: int, reply: _Reply, deadline: float) -> None:
        pause = _FIRST_PAUSE_S * 2**attempt if reply.wait is None else reply.wait
        pause = min(pause, _LONGEST_PAUSE_S)
        if time.monotonic() + pause > deadline:
            raise _too_late()
        time.sleep(pause)

    def _send(self, messages: list[dict[str, str]], max_tokens: int, deadline: float) -> _Reply:
        """One try; it is made again at once without the options that the server does not know."""
        while True:
            body = {"model": self._settings.llm_model, "messages": messages, self._length: max_tokens}
            reply = self._post(body | self._options, deadline)
            if reply.status not in _REFUSED or not self._drop_option(reply.content):
                break
        if _LEAST_ERROR <= reply.status < _LEAST_FAULT and reply.status not in _BUSY:
            kind = LlmError if reply.status in _OF_THE_TEXT else LlmRefusedError
            raise kind(
                f"The server of the language model refuses the request with status {reply.status}.",
                hint="Look at RUBRICA_LLM_URL, RUBRICA_LLM_MODEL and RUBRICA_LLM_API_KEY.",
            )
        return reply

    def _post(self, body: dict[str, Any], deadline: float) -> _Reply:
        url = f"{self._settings.llm_url.rstrip('/')}/chat/completions"
        until = min(deadline, time.monotonic() + self._settings.llm_timeout_s)
        left = until - time.monotonic()
        if left <= 0:
            raise _too_late()
        try:
            with self._client.stream("POST", url, json=body, timeout=left) as answer:
                wait = _seconds(answer.headers.get("Retry-After", ""))
                return _Reply(answer.status_code, _read(answer.iter_bytes(), until), wait)
        except self._httpx.InvalidURL as error:
            raise LlmRefusedError("RUBRICA_LLM_URL is not a URL.") from error
        except self._httpx.TransportError as error:
            _log.warning("language model not reached", reason=type(error).__name__)
            return _Reply()

    def _drop_option(self, content: bytes) -> bool:
        """Leave out an optional parameter that the server says it does not know."""
        said = content.decode("utf-8", "replace")
        if self._length == "max_tokens" and "max_completion_tokens" in said:
            self._length = "max_completion_tokens"
            return True
        unknown = next((name for name in self._options if name in said), None)
        return unknown is not None and self._options.pop(unknown) is not None


def _read(parts: Iterable[bytes], until: float) -> bytes:
    content = b""
    for part in parts:
        content += part
        if len(content) > _MOST_BYTES:
            raise LlmError(f"The language model's answer is over {_MOST_BYTES} bytes.")
        if time.monotonic() > until:
            raise _too_late()
    return content


def _too_late() -> LlmError:
    return LlmError(
        "The time for asking the language model is up.",
        hint="Raise RUBRICA_LLM_TIMEOUT_S, or RUBRICA_EXTRACT_TIMEOUT_S for long documents.",
    )


def _seconds(header: str) -> float | None:
    return min(float(header), _LONGEST_PAUSE_S) if header.isdigit() else None


def _whole(number: Any) -> int:
    return number if type(number) is int and number > 0 else 0


def _content(answer: bytes, spent: Spent) -> str:
    try:
        said = json.loads(answer)
        choice = said["choices"][0]
        content, reason = choice["message"]["content"], choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise LlmError("The answer of the language model's server is not that of a chat API.") from error
    spent.add(said.get("usage"))
    if reason == "length":
        raise LlmError("The language model's answer is cut off.")
    if not isinstance(content, str):
        raise LlmError("The language model's answer has no text.")
    return content
