"""A server on loopback that speaks the part of Jira's API (version 2) that tickets need."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Json = dict[str, Any]

_QUERY = re.compile(
    r'project = "(?P<project>[A-Z0-9_]+)" AND labels = "(?P<label>[\w.-]+)" AND statusCategory != Done'
    r" ORDER BY created ASC"
)
_TRANSITIONS = [
    {"id": "11", "name": "Start", "to": {"name": "In Progress"}},
    {"id": "31", "name": "Close issue", "to": {"name": "Done"}},
]


@dataclass
class Issue:
    """A ticket."""

    key: str
    fields: Json
    status: str = "To Do"
    comments: list[str] = field(default_factory=list)

    def as_json(self) -> Json:
        status = {"name": self.status, "statusCategory": {"key": "done" if self.status == "Done" else "new"}}
        comments = [{"id": str(number), "body": text} for number, text in enumerate(self.comments)]
        rest = {"status": status, "comment": {"comments": comments, "total": len(comments)}}
        return {"id": self.key.split("-")[1], "key": self.key, "fields": self.fields | rest}


class RefusalError(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class JiraServer:
    """Its tickets, and the requests it got.

    Attributes:
        issues: Tickets by key.
        requests: Method and path of all requests, in order.
        authorizations: Their ``Authorization`` headers.
        refuse: Raises a ``RefusalError`` for requests that are to fail; called before anything is done.
        after: Called when a request was carried out, before it is answered.
        cloud: Whether only the new search is offered, as on Jira Cloud.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.issues: dict[str, Issue] = {}
        self.requests: list[tuple[str, str]] = []
        self.authorizations: list[str] = []
        self.refuse: Callable[[str, str], None] = lambda *_: None
        self.after: Callable[[str, str], None] = lambda *_: None
        self.cloud = False
        self._lock = threading.Lock()

    def connection(self) -> str:
        """The same as a connection of Airflow."""
        return json.dumps(
            {
                "conn_type": "jira",
                "host": f"http://127.0.0.1:{self.port}",
                "login": "robot",
                "password": "sesame",
                "extra": {"cloud": self.cloud},
            }
        )

    def handle(
        self, method: str, path: str, query: dict[str, list[str]], body: Json
    ) -> tuple[int, Json | None]:
        with self._lock:
            self.requests.append((method, path))
            self.refuse(method, path)
            answer = self._answer(method, path, query, body)
        self.after(method, path)
        return answer

    def _answer(
        self, method: str, path: str, query: dict[str, list[str]], body: Json
    ) -> tuple[int, Json | None]:
        if (method, path) in {("GET", "/rest/api/2/search"), ("GET", "/rest/api/3/search/jql")}:
            return 200, self._search(path, query["jql"][0])
        if (method, path) == ("POST", "/rest/api/2/issue"):
            return 201, self._create(body["fields"])
        found = re.fullmatch(r"/rest/api/2/issue/([A-Z0-9_]+-\d+)(/comment|/transitions)?", path)
        if not found:
            raise RefusalError(404, f"No such address: {method} {path}")
        issue = self.issues.get(found[1])
        if issue is None:
            raise RefusalError(404, "Issue does not exist or you do not have permission to see it.")
        return self._on_issue(method, found[2] or "", issue, body)

    def _search(self, path: str, jql: str) -> Json:
        if self.cloud != path.endswith("/jql"):
            raise RefusalError(410, "The requested API has been removed.")
        asked = _QUERY.fullmatch(jql)
        if not asked:
            raise RefusalError(400, f"Error in the JQL Query: {jql}")
        found = [
            issue.as_json()
            for issue in self.issues.values()
            if issue.fields["project"]["key"] == asked["project"]
            and asked["label"] in issue.fields["labels"]
            and issue.status != "Done"
        ]
        return {"issues": found, "total": len(found), "isLast": True}

    def _create(self, fields: Json) -> Json:
        problems = {}
        if not fields.get("summary") or "\n" in fields["summary"] or len(fields["summary"]) > 255:
            problems["summary"] = (
                "The summary is invalid because it contains newline characters or is too long."
            )
        if fields["issuetype"]["name"] not in {"Task", "Bug"}:
            problems["issuetype"] = "The issue type selected is invalid."
        if any(re.search(r"\s", label) for label in fields["labels"]):
            problems["labels"] = "The label contains spaces which is invalid."
        if len(fields["description"]) > 32767:
            problems["description"] = "The entered text is too long."
        if problems:
            raise RefusalError(400, json.dumps(problems))
        key = f"{fields['project']['key']}-{len(self.issues) + 1}"
        self.issues[key] = Issue(key, fields)
        return {"id": str(len(self.issues)), "key": key}

    @staticmethod
    def _on_issue(method: str, part: str, issue: Issue, body: Json) -> tuple[int, Json | None]:
        match method, part:
            case "GET", "":
                return 200, issue.as_json()
            case "POST", "/comment":
                issue.comments.append(body["body"])
                return 201, {"id": str(len(issue.comments))}
            case "GET", "/transitions":
                return 200, {"transitions": _TRANSITIONS}
            case "POST", "/transitions":
                chosen = [item for item in _TRANSITIONS if item["id"] == str(body["transition"]["id"])]
                if not chosen:
                    raise RefusalError(400, "It is not a valid transition.")
                issue.status = chosen[0]["to"]["name"]  # type: ignore[index]
                return 204, None
        raise RefusalError(405, "Method not allowed")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Clients that were killed are no errors."""


@contextmanager
def jira_server() -> Iterator[JiraServer]:
    """Serve on a free port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._serve("GET", {})

        def do_POST(self) -> None:
            self._serve("POST", json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _serve(self, method: str, body: Json) -> None:
            address = urlsplit(self.path)
            jira.authorizations.append(self.headers.get("Authorization", ""))
            try:
                status, answer = jira.handle(method, address.path, parse_qs(address.query), body)
            except RefusalError as refusal:
                status, answer = refusal.status, {"errorMessages": [str(refusal)], "errors": {}}
            content = b"" if answer is None else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json;charset=UTF-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Keep the output of tests quiet."""

    with _Server(("127.0.0.1", 0), Handler) as server:
        jira = JiraServer(server.server_port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield jira
        finally:
            server.shutdown()
            thread.join()
