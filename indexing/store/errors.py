"""Errors of Milvus, in our own words."""

from __future__ import annotations

import grpc
from pymilvus.exceptions import (  # type: ignore[import-untyped]  # noqa: TID253 — a leaf, loaded lazily
    ConnectError,
    MilvusException,
    MilvusUnavailableException,
)

from rubrica.errors import FatalError, RubricaError, ServiceUnavailableError

NETWORK: tuple[type[Exception], ...] = (grpc.RpcError, grpc.FutureTimeoutError)
SERVER: tuple[type[Exception], ...] = (MilvusException, *NETWORK)
"""Whatever a call to Milvus may raise."""

NOT_LOADED = 101
_NOT_FOUND = frozenset({4, 100})
# Illegal argument of milvus-lite and of Milvus: the request is at fault, not the service.
_INVALID = frozenset({5, 6, 1100, 65_535})
_REFUSALS = frozenset(
    {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.OUT_OF_RANGE}
)


class InvalidRequestError(FatalError):
    """Milvus does not accept the request: a filter, say, that it cannot parse."""


def translate(error: Exception) -> RubricaError:
    """The error of ours that says what to do about an error of Milvus."""
    detail = " ".join(str(getattr(error, "message", "") or error).split())
    code = getattr(error, "code", 0)
    if code in _NOT_FOUND:
        return FatalError(
            f"Milvus does not know the collection: {detail}.", hint="Is RUBRICA_MILVUS_URI right?"
        )
    if code in _INVALID or not _is_of_the_service(error):
        return InvalidRequestError(f"Milvus refuses the request: {detail}.")
    return ServiceUnavailableError(
        f"Milvus does not answer: {detail}.", hint="Run `rubrica up`, or check RUBRICA_MILVUS_URI."
    )


def _is_of_the_service(error: Exception) -> bool:
    """Whether an error says that Milvus cannot answer, not that the request is wrong."""
    if isinstance(error, grpc.RpcError):  # what pymilvus does not try again comes as gRPC raises it
        return not (isinstance(error, grpc.Call) and error.code() in _REFUSALS)
    unanswered = (grpc.FutureTimeoutError, ConnectError, MilvusUnavailableException)
    return type(error) is MilvusException or isinstance(error, unanswered)


def is_unknown_alias(error: RubricaError) -> bool:
    """Whether Milvus does not know the alias that it was asked for."""
    # Milvus has a code of its own for it (1600), milvus-lite uses that of a missing collection.
    return getattr(error.__cause__, "code", 0) in _NOT_FOUND | {1600}


def is_not_loaded(error: RubricaError) -> bool:
    """Whether the collection is not in the server's memory."""
    return getattr(error.__cause__, "code", 0) == NOT_LOADED
