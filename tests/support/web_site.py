"""A web server of a test's own, with pages that the test writes and a log of what was asked."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from xml.sax.saxutils import escape


@dataclass
class Page:
    """What an address answers with."""

    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200


@dataclass
class WebSite:
    """Pages by path and query; ``asked`` holds what came in."""

    pages: dict[str, Page] = field(default_factory=dict)
    faults: dict[str, deque[Page]] = field(default_factory=lambda: defaultdict(deque))
    asked: list[tuple[str, str, Mapping[str, str], int]] = field(default_factory=list)
    no_head: bool = False
    login: str = ""
    origin: str = ""

    def write(self, target: str, text: str | bytes, *, mark: str = "etag", **headers: str) -> None:
        """Put a page there, with an ETag of its content, with a ``Last-Modified``, or with neither."""
        body = text.encode() if isinstance(text, str) else text
        given = {name.replace("_", "-").title(): value for name, value in headers.items()}
        if mark == "etag":
            given["ETag"] = f'"{hashlib.sha256(body).hexdigest()[:12]}"'
        elif mark == "modified":
            given.setdefault("Last-Modified", "Mon, 01 Jun 2026 10:00:00 GMT")
        self.pages[target] = Page(body, given)

    def sitemap(
        self, *targets: str, at: str = "/sitemap.xml", lastmod: Mapping[str, str] | None = None
    ) -> str:
        """Write a sitemap of those addresses; returns its own."""
        items = "".join(
            f"<url><loc>{escape(target if '://' in target else self.origin + target)}</loc>"
            + (f"<lastmod>{lastmod[target]}</lastmod>" if lastmod and target in lastmod else "")
            + "</url>"
            for target in targets
        )
        head = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        self.write(at, f"{head}{items}</urlset>", Content_Type="application/xml")
        return self.origin + at

    def listing(self, target: str, *links: str) -> str:
        """Write a page that links there; returns its address."""
        rows = "".join(f'<li><a href="{escape(link)}">{escape(link)}</a></li>' for link in links)
        self.write(target, f"<html><body><ul>{rows}</ul></body></html>", Content_Type="text/html")
        return self.origin + target

    def fail(self, target: str, *statuses: int, **headers: str) -> None:
        """Answer the next requests for an address with those statuses."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        self.faults[target].extend(Page(b"", given, status) for status in statuses)

    def requests(self) -> Counter[str]:
        """How often each method was asked with each status, ``HEAD 304``; forgets them."""
        counted = Counter(f"{method} {status}" for method, _, _, status in self.asked)
        self.asked.clear()
        return counted


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20
    site: WebSite

    def do_GET(self) -> None:
        self._answer(self._page())

    def do_HEAD(self) -> None:
        self._answer(Page(b"", {}, 405) if self.site.no_head else self._page())

    def _page(self) -> Page:
        faults = self.site.faults[self.path]
        if faults:
            return faults.popleft()
        if self.site.login and self.headers.get("Authorization") != self.site.login:
            return Page(b"who are you?", {}, 401)
        page = self.site.pages.get(self.path, Page(b"nothing here", {}, 404))
        etag, modified = page.headers.get("ETag"), page.headers.get("Last-Modified")
        if etag and self.headers.get("If-None-Match") == etag:
            return Page(b"", {"ETag": etag}, 304)
        if modified and not etag and self.headers.get("If-Modified-Since") == modified:
            return Page(b"", {}, 304)
        return page

    def _answer(self, page: Page) -> None:
        self.site.asked.append((self.command, self.path, dict(self.headers), page.status))
        self.send_response(page.status)
        for name, value in page.headers.items():
            self.send_header(name, value)
        if "Content-Length" not in page.headers and page.status != 304:
            self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(page.body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def web_site() -> Iterator[WebSite]:
    """A server while the block runs."""
    site = WebSite()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"site": site}))
    site.origin = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
