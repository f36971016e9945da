"""Reads a body, but never more of it than is allowed, whatever its length is said to be."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from starlette.requests import ClientDisconnect, Request

from rubrica_airflow.webhooks.reply import Reply

_LONGEST_S = 30.0
_FREE_BYTES = 1024 * 1024
"""A body up to this size is read at once; larger ones wait for each other."""


class BodyError(Exception):
    """The body was not read.

    Args:
        reply: Why, for the sender.
    """

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.reason)
        self.reply = reply


class BodyReader:
    """Reads bodies of one application.

    Args:
        large_at_once: Bodies over 1 MiB that are in memory at a time.
    """

    def __init__(self, large_at_once: int = 4) -> None:
        self._large = asyncio.Semaphore(large_at_once)

    async def read(self, request: Request, limit: int) -> bytes:
        """The whole body.

        Args:
            request: The request.
            limit: Most bytes.

        Raises:
            BodyError: It is no JSON, too large, too slow, or broke off.
        """
        _check_headers(request, limit)
        try:
            async with asyncio.timeout(_LONGEST_S):
                return await self._read(request, limit)
        except TimeoutError:
            raise BodyError(
                Reply(HTTPStatus.REQUEST_TIMEOUT, "too_slow", f"The body took over {_LONGEST_S:g} s.")
            ) from None
        except ClientDisconnect:
            raise BodyError(Reply(HTTPStatus.BAD_REQUEST, "broken_off", "The body broke off.")) from None

    async def _read(self, request: Request, limit: int) -> bytes:
        parts, size, holding = [], 0, False
        try:
            async for part in request.stream():
                size += len(part)
                if size > limit:
                    raise _too_large(limit)
                if size > _FREE_BYTES and not holding:
                    await self._large.acquire()
                    holding = True
                parts.append(part)
        finally:
            if holding:
                self._large.release()
        return b"".join(parts)


def _check_headers(request: Request, limit: int) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    encoding = request.headers.get("content-encoding", "identity").lower()
    if kind != "application/json" or encoding != "identity":
        raise BodyError(
            Reply(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "not_json",
                "Choose the content type application/json at the git host, without compression.",
            )
        )
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length[:20]) > limit:
        raise _too_large(limit)


def _too_large(limit: int) -> BodyError:
    reason = f"The body is larger than RUBRICA_WEBHOOK_MAX_MB allows ({limit // 1024**2} MiB)."
    return BodyError(Reply(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", reason))
