"""Asks for one document whether it changed, at the price of one small request where the server lets it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus

from rubrica.errors import SourceError
from rubrica.log import get_logger
from rubrica.model import SourceFile
from sources.http import marks
from sources.http.client import Answer, OffSiteError, PageError, SiteClient, TooLargeError
from sources.http.crawl import Found, refused
from sources.http.memory import Remembered
from sources.http.site import Site
from sources.location import shown_url

_NO_HEAD = frozenset({400, 403, 405, 501})
"""Statuses that may mean: ask with GET."""

_OFF_SITE = "It redirects to another site."
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one document: a file to remember, or a reason why it is none."""

    found: Found
    file: SourceFile | None = None
    remembered: Remembered | None = None
    reason: str = ""


class Prober:
    """Finds the change mark and the size of documents. Threads may share it."""

    def __init__(
        self,
        site: Site,
        client: SiteClient,
        known: Mapping[str, Remembered],
        *,
        by_content: bool,
        recheck_s: float,
        most_bytes: int,
    ) -> None:
        """Prepare.

        Args:
            site: The site.
            client: Speaks to it.
            known: The last look, by address.
            by_content: Whether content alone is believed.
            recheck_s: How long an unchanged ``lastmod`` is believed, in seconds.
            most_bytes: Largest document.
        """
        self._site = site
        self._client = client
        self._known = known
        self._by_content = by_content
        self._recheck_s = recheck_s
        self._most_bytes = most_bytes

    def look(self, found: Found) -> Outcome:
        """Find out about one document.

        Raises:
            SourceError: The server wants a login.
            SourceUnavailableError: It does not answer.
        """
        known = self._known.get(found.target)
        if known is not None and self._is_fresh(found, known):
            return _unchanged(found, known)
        try:
            return self._ask(found, known)
        except OffSiteError:
            return self._keep(found, known, _OFF_SITE)
        except PageError as error:
            return self._keep(found, known, error.reason)

    def _is_fresh(self, found: Found, known: Remembered) -> bool:
        if self._by_content or not found.lastmod or found.lastmod != known.lastmod:
            return False
        recent = 0 <= time.time() - known.checked_at < self._recheck_s
        return recent and marks.believes_lastmod(found.lastmod, known.checked_at)

    def _ask(self, found: Found, known: Remembered | None) -> Outcome:
        conditions = known.conditions() if known is not None and not self._by_content else {}
        if not self._by_content:
            answer = self._client.head(found.target, conditions)
            if answer.status not in _NO_HEAD:
                outcome = self._judge(found, known, answer)
                if outcome is not None:
                    return outcome
        try:
            answer = self._client.get(found.target, most_bytes=self._most_bytes, headers=conditions)
        except TooLargeError:
            mark = marks.oversize_mark(found.target, self._most_bytes)
            return _seen(found, mark, self._most_bytes + 1, {})
        return self._judge(found, known, answer) or self._read_mark(found, answer)

    def _judge(self, found: Found, known: Remembered | None, answer: Answer) -> Outcome | None:
        """What an answer's head tells; ``None`` where the content must tell."""
        if answer.status == HTTPStatus.NOT_MODIFIED and known is not None:
            return _unchanged(found, replace(known, checked_at=time.time(), lastmod=found.lastmod))
        if not answer.ok:
            return self._refuse(found, known, answer)
        mark = "" if self._by_content else marks.header_mark(found.target, answer.headers)
        return _seen(found, mark, _length(answer), answer.headers) if mark else None

    def _read_mark(self, found: Found, answer: Answer) -> Outcome:
        mark = marks.content_mark(found.target, answer.body)
        return _seen(found, mark, len(answer.body), answer.headers)

    def _refuse(self, found: Found, known: Remembered | None, answer: Answer) -> Outcome:
        if answer.status == HTTPStatus.UNAUTHORIZED:
            raise refused(answer.status, shown_url(self._site.origin + found.target))
        gone = answer.status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
        return self._keep(found, None if gone else known, f"The server answers with status {answer.status}.")

    def _keep(self, found: Found, known: Remembered | None, reason: str) -> Outcome:
        """Refused is not removed: what was indexed stays until the site says that it is gone."""
        if known is None:
            return Outcome(found, reason=reason)
        _log.warning("document_refused", address=shown_url(self._site.origin + found.target), reason=reason)
        return _unchanged(found, known)


def reread_mark(target: str, listed: str, answer: Answer) -> str:
    """The mark of a document that was read, made in the way in which the listed one was."""
    if marks.is_of_content(listed):
        return marks.content_mark(target, answer.body)
    return marks.header_mark(target, answer.headers)


def check_any_was_read(outcomes: list[Outcome], base: str) -> None:
    """Refuse a look at which not one document could be seen: that is a broken site, not an empty one.

    Raises:
        SourceError: So it is.
    """
    if outcomes and not any(outcome.file for outcome in outcomes):
        reason = outcomes[0].reason
        raise SourceError(
            f"Not one of the {len(outcomes)} documents of {shown_url(base)} can be read: {reason}",
            hint="Check the address and the login.",
        )


def _seen(found: Found, mark: str, size: int, headers: Mapping[str, str]) -> Outcome:
    remembered = Remembered(
        mark=mark,
        size=size,
        etag=marks.etag_of(headers),
        # A date too fresh to make the mark of would, sent back, hide a second change under it for good.
        modified="" if marks.is_of_content(mark) else marks.modified_of(headers),
        lastmod=found.lastmod,
        checked_at=time.time(),
    )
    return Outcome(found, SourceFile(found.path, mark, size), remembered)


def _unchanged(found: Found, known: Remembered) -> Outcome:
    return Outcome(found, SourceFile(found.path, known.mark, known.size), known)


def _length(answer: Answer) -> int:
    value = answer.headers.get("content-length", "")
    return int(value) if value.isdecimal() else len(answer.body)
