"""Change marks out of what a server says.

Equal marks mean equal content. A server promises that only for one address, so a mark made of headers is
bound to the address; one made of the content is not, and a document that moved is recognised by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from rubrica.identity import content_hash, digest
from sources.http.paths import is_folder

_LONGEST_HEADER = 1024
_LEAST_AGE = timedelta(seconds=2)
"""A ``Last-Modified`` counts whole seconds: a document younger than this may change again under it."""

_LATEST_ZONE = timedelta(hours=12)


def header_mark(target: str, headers: Mapping[str, str]) -> str:
    """A mark of ``ETag``, else of ``Last-Modified`` and size; empty where neither can be relied on."""
    etag, modified = etag_of(headers), modified_of(headers)
    if etag:
        return _of_folder(target, f"e{digest('etag', target, etag)}")
    if modified and _is_settled(modified, headers.get("date", "")):
        size = headers.get("content-length", "")
        return _of_folder(target, f"m{digest('modified', target, modified, size)}")
    return ""


def content_mark(target: str, content: bytes) -> str:
    """A mark of the content itself."""
    return _of_folder(target, f"c{content_hash(content)}")


def oversize_mark(target: str, limit: int) -> str:
    """A mark of content that is too large to be read at all."""
    return _of_folder(target, f"o{digest('oversize', target, str(limit))}")


def is_of_content(mark: str) -> bool:
    """Whether a mark was made of the content."""
    return mark.startswith("c")


def is_of_folder(mark: str) -> bool:
    """Whether the document's address ends in a slash."""
    return mark.endswith("/")


def etag_of(headers: Mapping[str, str]) -> str:
    """The ``ETag``, where there is one that can be sent back."""
    return _clean(headers.get("etag", ""))


def modified_of(headers: Mapping[str, str]) -> str:
    """The ``Last-Modified``, where there is one."""
    return _clean(headers.get("last-modified", ""))


def believes_lastmod(lastmod: str, checked_at: float) -> bool:
    """Whether a sitemap's ``lastmod`` was over when the document was looked at.

    A date alone lasts until the day ends everywhere on earth, so that a second change on one day is
    not missed.
    """
    try:
        return checked_at > _end_of(lastmod)
    except (ValueError, OverflowError):
        return False


def _end_of(lastmod: str) -> float:
    """When a ``lastmod`` is over, in seconds since 1970; what is no date, or ends all dates, is an error."""
    moment = datetime.fromisoformat(lastmod)
    if len(lastmod) <= len("2026-01-31"):
        moment += timedelta(days=1) + _LATEST_ZONE
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment + _LEAST_AGE).timestamp()


def _of_folder(target: str, mark: str) -> str:
    return f"{mark}/" if is_folder(target) else mark


def _clean(value: str) -> str:
    value = value.strip()
    return value if len(value) <= _LONGEST_HEADER and value.isascii() and value.isprintable() else ""


def _is_settled(modified: str, now: str) -> bool:
    try:
        age = (parsedate_to_datetime(now) if now else datetime.now(UTC)) - parsedate_to_datetime(modified)
    except (ValueError, TypeError, OverflowError):
        return False
    return age >= _LEAST_AGE
