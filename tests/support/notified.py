"""People on loopback who are told of alarms: a Slack webhook and a mail server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session


@dataclass
class SlackWebhook:
    """What a channel of Slack got; answers with ``status``."""

    port: int
    messages: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200

    def connection(self) -> str:
        """The same as a connection of Airflow."""
        host = f"http://127.0.0.1:{self.port}/services"
        return json.dumps({"conn_type": "slackwebhook", "host": host, "password": "T000/B000/secret-token"})


@contextmanager
def slack_webhook() -> Iterator[SlackWebhook]:
    """Serve on a free port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if slack.status == 200:
                slack.messages.append(body)
            content = b"ok" if slack.status == 200 else b"channel_is_archived"
            self.send_response(slack.status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Keep the output of tests quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        slack = SlackWebhook(server.server_port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield slack
        finally:
            server.shutdown()
            thread.join()


@dataclass
class MailServer:
    """The letters that arrived."""

    port: int = 0
    letters: list[EmailMessage] = field(default_factory=list)
    envelopes: list[tuple[str, list[str]]] = field(default_factory=list)

    def connection(self) -> str:
        """The same as a connection of Airflow."""
        extra = {
            "disable_ssl": True,
            "disable_tls": True,
            "from_email": "rubrica@here.test",
            "retry_limit": 0,
        }
        return json.dumps({"conn_type": "smtp", "host": "127.0.0.1", "port": self.port, "extra": extra})

    async def handle_DATA(self, _: SMTP, __: Session, envelope: Envelope) -> str:  # noqa: N802 — aiosmtpd's name
        content = envelope.content
        assert isinstance(content, bytes)
        letter = message_from_bytes(content, policy=policy.default)
        assert isinstance(letter, EmailMessage)
        self.letters.append(letter)
        self.envelopes.append((str(envelope.mail_from), list(envelope.rcpt_tos)))
        return "250 OK"


@contextmanager
def mail_server(port: int) -> Iterator[MailServer]:
    """Serve until the block ends."""
    server = MailServer(port)
    controller = Controller(server, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield server
    finally:
        controller.stop()
