"""A server on loopback that speaks OpenAI's chat API and answers as a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rubrica.settings import LlmSettings

Request = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server sends back.

    Attributes:
        content: The model's text; with another status than 200, the error's message.
        status: HTTP status.
        finish: Why the model stopped.
        raw: The whole body, in place of one that the API would send.
        headers: More headers.
    """

    content: str | None = ""
    status: int = 200
    finish: str = "stop"
    raw: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return json.dumps({"error": {"message": self.content}}).encode()
        message = {"role": "assistant", "content": self.content}
        return json.dumps(
            {"choices": [{"index": 0, "message": message, "finish_reason": self.finish}]}
        ).encode()


class ChatServer:
    """The requests it got, and how it answers them.

    Attributes:
        answer: Makes the reply to a request.
        requests: The bodies of all requests, in order.
        authorizations: Their ``Authorization`` headers; empty strings where there were none.
        settings: Settings that lead to it.
    """

    def __init__(self, url: str) -> None:
        self.answer: Callable[[Request], Reply] = lambda _: Reply('{"headings": []}')
        self.requests: list[Request] = []
        self.authorizations: list[str] = []
        self.settings = LlmSettings(
            llm_url=url, llm_model="small", llm_api_key="sesame", llm_timeout_s=10, llm_retries=2
        )

    def user_content(self, number: int = -1) -> dict[str, Any]:
        """The JSON that the model was asked about."""
        content: dict[str, Any] = json.loads(self.requests[number]["messages"][1]["content"])
        return content


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Clients that have given up waiting are no errors."""


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Serve on a free port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path != "/v1/chat/completions":
                self.send_error(404)
                return
            request = json.loads(body)
            chat.requests.append(request)
            chat.authorizations.append(self.headers.get("Authorization", ""))
            reply = chat.answer(request)
            content = reply.body()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Keep the output of tests quiet."""

    with _Server(("127.0.0.1", 0), Handler) as server:
        chat = ChatServer(f"http://127.0.0.1:{server.server_port}/v1")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield chat
        finally:
            server.shutdown()
            thread.join()
