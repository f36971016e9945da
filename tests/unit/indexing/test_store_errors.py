from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from pymilvus.exceptions import (  # type: ignore[import-untyped]
    ConnectError,
    MilvusException,
    ParamError,
)

from indexing.store.errors import InvalidRequestError, translate
from rubrica.errors import RubricaError, ServiceUnavailableError


def _raised(code: grpc.StatusCode) -> Exception:
    """The error that a client of gRPC raises of an answer with that code."""

    def refuse(_: bytes, context: grpc.ServicerContext) -> Any:
        context.abort(code, "refused")

    server = grpc.server(ThreadPoolExecutor(1))
    method: Any = grpc.unary_unary_rpc_method_handler(refuse)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test", {"Ask": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.enable_http_proxy", 0)]) as channel:
            ask: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/test/Ask")
            ask(b"", timeout=10)
    except grpc.RpcError as error:
        return error
    finally:
        server.stop(None)
    raise AssertionError


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.DEADLINE_EXCEEDED, ServiceUnavailableError),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, ServiceUnavailableError),
        (grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ],
)
def test_what_grpc_says_of_itself_is_no_wrong_request(
    code: grpc.StatusCode, kind: type[RubricaError]
) -> None:
    assert type(translate(_raised(code))) is kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (grpc.FutureTimeoutError(), ServiceUnavailableError),
        (ConnectError(message="refused"), ServiceUnavailableError),
        (MilvusException(code=1, message="busy"), ServiceUnavailableError),
        (MilvusException(code=1100, message="filter"), InvalidRequestError),
        (ParamError(message="limit"), InvalidRequestError),
    ],
)
def test_what_may_work_when_tried_again_is_told_from_a_wrong_request(
    error: Exception, kind: type[RubricaError]
) -> None:
    assert type(translate(error)) is kind
