"""Requests to one site: few at a time, tried again, never to another host."""

from __future__ import annotations

import base64
import gzip
import io
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from ipaddress import ip_address
from typing import Self
from urllib.parse import urljoin

import httpx

from rubrica import __version__
from rubrica.errors import SourceError, SourceUnavailableError
from rubrica.log import get_logger
from rubrica.settings import SourceSettings
from sources.http.site import Site
from sources.location import shown_url

_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 60.0
_MOST_REDIRECTS = 5
_LONGEST_DOWNLOAD = 20
"""How many times the longest silence a whole answer may take."""

_log = get_logger(__name__)


class PageError(SourceError):
    """One address is bad for good, and nothing is said about others."""


class OffSiteError(PageError):
    """An address redirects to another site."""


class TooLargeError(SourceError):
    """An answer is larger than it may be."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said.

    Attributes:
        status: HTTP status; redirects have been followed.
        headers: Headers, by small letters.
        target: Path and query that answered in the end.
        body: Content; empty where only the head was asked for.
    """

    status: int
    headers: Mapping[str, str]
    target: str
    body: bytes = b""

    @property
    def ok(self) -> bool:
        """Whether there is content."""
        return self.status == HTTPStatus.OK


class SiteClient:
    """Speaks to one site; use it as a context manager. Threads may share it."""

    def __init__(self, site: Site, login: str, settings: SourceSettings) -> None:
        """Prepare; nothing is asked yet.

        Args:
            site: The site.
            login: ``user:password`` or a bearer token; empty: none.
            settings: Time-out, retries, connections.
        """
        self._site = site
        self._retries = settings.http_retries
        self._longest_s = settings.http_timeout_s * _LONGEST_DOWNLOAD
        # Compressed and plain answers have different ETags with some servers.
        headers = {"User-Agent": f"rubrica/{__version__}", "Accept-Encoding": "identity"}
        if login:
            headers["Authorization"] = _authorization(login)
        self._client = httpx.Client(
            headers=headers,
            timeout=settings.http_timeout_s,
            limits=httpx.Limits(max_connections=settings.http_connections),
            trust_env=not _is_local(site.host),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def head(self, target: str, headers: Mapping[str, str]) -> Answer:
        """Ask for the headers of an address.

        Raises:
            PageError: It redirects to another site or in a circle.
            SourceUnavailableError: The server does not answer, or is busy after all tries.
        """
        return self._ask("HEAD", target, headers, most_bytes=0)

    def get(self, target: str, *, most_bytes: int, headers: Mapping[str, str] | None = None) -> Answer:
        """Ask for the content of an address.

        Args:
            target: Path and query.
            most_bytes: Largest content that is accepted.
            headers: Conditions.

        Raises:
            PageError: It redirects to another site or in a circle, or the content cannot be unpacked.
            TooLargeError: The content is larger.
            SourceUnavailableError: The server does not answer, or is busy after all tries.
        """
        return self._ask("GET", target, headers or {}, most_bytes=most_bytes)

    def _ask(self, method: str, target: str, headers: Mapping[str, str], most_bytes: int) -> Answer:
        url = self._site.origin + target
        problem = ""
        for attempt in range(self._retries + 1):
            wait = None
            with _explained(url):
                try:
                    answer = self._follow(method, url, headers, most_bytes)
                except (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError) as error:
                    problem = f"cannot be reached: {str(error) or type(error).__name__}"
                else:
                    if answer.status not in _BUSY:
                        return answer
                    problem = f"answers with status {answer.status}"
                    wait = _retry_after(answer.headers.get("retry-after", ""))
            if attempt == self._retries or not _pause(attempt, wait):
                break
            _log.info("site_asked_again", address=shown_url(url), reason=problem)
        raise SourceUnavailableError(f"{shown_url(url)} {problem}.", hint="Try again later.")

    def _follow(self, method: str, url: str, headers: Mapping[str, str], most_bytes: int) -> Answer:
        """One try, along redirects."""
        for _ in range(_MOST_REDIRECTS + 1):
            with self._client.stream(method, url, headers=dict(headers)) as response:
                location = response.headers.get("location", "")
                if not response.is_redirect or not location:
                    body = self._read(response, most_bytes) if method == "GET" else b""
                    target = self._site.locate(url) or "/"
                    return Answer(response.status_code, response.headers, target, body)
            url = self._following(url, location)
        raise PageError(f"{shown_url(url)} redirects in a circle.")

    def _following(self, url: str, location: str) -> str:
        """Where a redirect leads."""
        try:
            following = urljoin(url, location)
        except ValueError:
            raise PageError(f"{shown_url(url)} redirects to an address that is not valid.") from None
        if not self._site.allows(following):
            raise OffSiteError(
                f"{shown_url(url)} redirects to another site, {shown_url(following)}.",
                hint="Declare the address that it redirects to.",
            )
        return following

    def _read(self, response: httpx.Response, most_bytes: int) -> bytes:
        """The content, as far as it stays within the limits of size and time."""
        if response.status_code != HTTPStatus.OK:
            return b""
        until, parts, size = time.monotonic() + self._longest_s, [], 0
        for part in response.iter_raw():
            size += len(part)
            if size > most_bytes:
                raise TooLargeError(f"{shown_url(str(response.url))} is larger than {most_bytes} bytes.")
            if time.monotonic() > until:
                raise SourceUnavailableError(
                    f"{shown_url(str(response.url))} takes longer than {self._longest_s} seconds.",
                    hint="Try again later or raise RUBRICA_HTTP_TIMEOUT_S.",
                )
            parts.append(part)
        return _decoded(b"".join(parts), response, most_bytes)


def _decoded(body: bytes, response: httpx.Response, most_bytes: int) -> bytes:
    """The content without an encoding that was not asked for; servers put it on files that end in gz."""
    shown = shown_url(str(response.url))
    encoding = response.headers.get("content-encoding", "").strip().lower() or "identity"
    if encoding in ("gzip", "x-gzip"):
        return gunzip(body, shown, most_bytes)
    if encoding != "identity":
        raise PageError(f"{shown} is encoded in a way that was not asked for.")
    return body


def gunzip(body: bytes, name: str, most_bytes: int) -> bytes:
    """Unpack, within a limit.

    Raises:
        TooLargeError: The content is larger than ``most_bytes``.
        PageError: It is damaged.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as stream:
            content = stream.read(most_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise PageError(f"{name} is damaged: it cannot be unpacked.") from error
    if len(content) > most_bytes:
        raise TooLargeError(f"{name} unpacks to more than {most_bytes} bytes.")
    return content


@contextmanager
def _explained(url: str) -> Iterator[None]:
    """Turn what a further try would not mend into an error of ours."""
    try:
        yield
    except httpx.InvalidURL as error:
        raise PageError(f"{shown_url(url)} is not a valid address.") from error
    except httpx.TransportError as error:
        raise SourceError(
            f"{shown_url(url)} cannot be read ({type(error).__name__}).",
            hint="Check address, login and proxy.",
        ) from error


def _pause(attempt: int, wait: float | None) -> bool:
    """Wait before a further try; tells whether there is to be one."""
    seconds = _FIRST_PAUSE_S * 2**attempt if wait is None else wait
    if seconds > _LONGEST_PAUSE_S:
        return False
    time.sleep(seconds)
    return True


def _retry_after(value: str) -> float | None:
    """Seconds of a ``Retry-After``, which holds seconds or a date."""
    if value.strip().isdecimal():
        return float(value)
    try:
        date = parsedate_to_datetime(value).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


def _authorization(login: str) -> str:
    if ":" in login:
        return f"Basic {base64.b64encode(login.encode()).decode()}"
    return f"Bearer {login}"


def _is_local(host: str) -> bool:
    """Whether the server runs on this machine, which no proxy leads to."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
