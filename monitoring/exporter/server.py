"""The HTTP server: ``/metrics`` and ``/health``."""

from __future__ import annotations

from collections.abc import Iterable
from socketserver import ThreadingMixIn
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.registry import Collector

from rubrica.errors import ConfigurationError
from rubrica.log import get_logger

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_REQUEST_TIMEOUT_S = 10
_log = get_logger(__name__)


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    timeout = _REQUEST_TIMEOUT_S

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class's name)
        _log.debug("request", line=format % args)


class MetricsServer:
    """Serves the series of collectors."""

    def __init__(self, collector: Collector, *, host: str, port: int) -> None:
        """Listen; requests are answered once ``serve`` runs.

        Args:
            collector: Where the series come from.
            host: Address to listen on.
            port: Port; 0 takes any that is free.

        Raises:
            ConfigurationError: Nobody can listen there.
        """
        registry = CollectorRegistry(auto_describe=False)
        registry.register(collector)
        app = _application(make_wsgi_app(registry))
        try:
            self._server = make_server(host, port, app, server_class=_Server, handler_class=_Handler)
        except OSError as error:
            raise ConfigurationError(
                f"The exporter cannot listen on {host}:{port}: {error.strerror or error}.",
                hint="Choose another with --host and --port, or by settings.",
            ) from error

    @property
    def url(self) -> str:
        """Where it listens, as ``http://host:port``."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def serve(self) -> None:
        """Answer requests until ``stop`` is called, or the process is interrupted."""
        self._server.serve_forever(poll_interval=0.2)

    def stop(self) -> None:
        """Let ``serve``, in another thread, return."""
        self._server.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.server_close()


def _application(metrics: Any) -> Any:
    """``/metrics`` and ``/health``; anything else is not found."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "/")
        if path == "/metrics":
            found: Iterable[bytes] = metrics(environ, start_response)
            return found
        status, body = ("200 OK", b"ok\n") if path == "/health" else ("404 Not Found", b"see /metrics\n")
        start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
        return [body]

    return answer
