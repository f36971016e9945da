"""Finds the documents that a site names: by its sitemap, or by its listings of files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from http import HTTPStatus

from rubrica.errors import SourceError, SourceUnavailableError
from sources.filters import PathFilter
from sources.http import listing, sitemap
from sources.http.client import Answer, SiteClient
from sources.http.paths import document_path, is_folder, target_of
from sources.http.site import Site
from sources.http.sitemap import Link
from sources.location import is_sitemap, shown_url

FOREIGN = "It is on another site; declare that one as a source of its own."
OUTSIDE = "It does not lie below the declared address."
UNSAFE = "Its address is not safe."
SAME_PATH = "Its path is that of another address of the listing."
TOO_DEEP = "It lies deeper than the option `depth` goes."
EXCLUDED_HINT = "Check the address, or leave it out with an exclude glob."

_MOST_SITEMAPS = 5000
_DEEPEST_SITEMAP = 3
_MOST_PAGES = 10_000
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Found:
    """A document that the site names.

    Attributes:
        path: Its path.
        target: Path and query of its address.
        lastmod: When it changed last, if the sitemap says so.
    """

    path: str
    target: str
    lastmod: str = ""


class Finding:
    """Documents in the order in which they were found, and what is none."""

    def __init__(self, site: Site, path_filter: PathFilter, most: int) -> None:
        self._site = site
        self._filter = path_filter
        self._most = most
        self._root = (document_path(f"{site.root}x") or "x").removesuffix("x")
        self.documents: dict[str, Found] = {}
        self.skipped: dict[str, str] = {}

    def add(self, link: Link) -> None:
        """Take an address that is a document's; note why another one is not.

        Raises:
            SourceError: There are more documents than a site may have.
        """
        target = self._site.locate(link.url)
        if target is None:
            self.skip(shown_url(link.url), FOREIGN)
            return
        path = document_path(target)
        if path is None or not path.startswith(self._root):
            self.skip(shown_url(target), UNSAFE if path is None else OUTSIDE)
            return
        # Asked for as it is read later, so that a server which tells escapes apart gives one answer.
        asked = target_of(path, is_folder=is_folder(target))
        self._take(Found(path.removeprefix(self._root), asked, link.lastmod))

    def _take(self, found: Found) -> None:
        if not self._filter.selects(found.path):
            return
        reason = self._filter.reason_against(found.path)
        known = self.documents.get(found.path)
        if known is not None and known.target != found.target:
            self.skip(shown_url(found.target), SAME_PATH)
        elif reason:
            self.skip(found.path, reason)
        else:
            self.documents[found.path] = found
        if len(self.documents) > self._most:
            raise SourceError(
                f"{shown_url(self._site.base)} names more than {self._most} documents.",
                hint="Raise RUBRICA_SOURCE_MAX_DOCUMENTS, or choose with include globs.",
            )

    def skip(self, path: str, reason: str) -> None:
        """Note that something is no document."""
        self.skipped.setdefault(path, reason)

    def enters(self, target: str) -> bool:
        """Whether a folder of a listing is looked into."""
        path = document_path(f"{target}x")
        if path is None:
            self.skip(target, UNSAFE)
            return False
        folder = path.removeprefix(self._root).removesuffix("/x")
        return self._filter.enters(folder) and not self._filter.excludes_folder(folder)


class Crawler:
    """Reads listings; documents themselves are not asked for."""

    def __init__(self, site: Site, client: SiteClient, pool: Executor, *, depth: int) -> None:
        self._site = site
        self._client = client
        self._pool = pool
        self._depth = depth

    def run(self, finding: Finding) -> None:
        """Find every document.

        Raises:
            SourceError: A listing does not exist, is refused or is not valid.
            SourceUnavailableError: A listing does not answer.
        """
        answer = self._fetch(self._site.target)
        content = answer.body
        if is_sitemap(self._site.base) or sitemap.is_gzip(content) or sitemap.looks_like_xml(content):
            self._read_sitemaps(answer, finding)
        else:
            self._read_listings(answer, finding)

    # --- Sitemaps ---------------------------------------------------------------------------------

    def _read_sitemaps(self, first: Answer, finding: Finding) -> None:
        seen, answers = {self._site.target}, iter([first])
        for _ in range(_DEEPEST_SITEMAP + 1):
            following: dict[str, None] = {}
            for answer in answers:
                parsed = sitemap.parse_sitemap(answer.body, self._shown(answer.target))
                for link in parsed.documents:
                    finding.add(link)
                following |= dict.fromkeys(self._sitemap_target(link) for link in parsed.sitemaps)
            targets = [target for target in following if target not in seen]
            seen.update(targets)
            if not targets:
                return
            if len(seen) > _MOST_SITEMAPS:
                raise SourceError(f"{self._shown()} names more than {_MOST_SITEMAPS} sitemaps.")
            answers = self._fetch_all(targets)
        raise SourceError(f"{self._shown()}: its sitemaps are nested deeper than {_DEEPEST_SITEMAP}.")

    def _sitemap_target(self, link: Link) -> str:
        target = self._site.locate(link.url)
        if target is None:
            raise SourceError(
                f"{self._shown()} names a sitemap of another site, {shown_url(link.url)}.",
                hint="Declare that site as a source of its own.",
            )
        return target

    # --- Listings ---------------------------------------------------------------------------------

    def _read_listings(self, first: Answer, finding: Finding) -> None:
        if not _is_folder_of(first.target, self._site):
            raise SourceError(
                f"{self._shown()} redirects to {self._shown(first.target)}.", hint="Declare that address."
            )
        seen, answers = {self._site.target, first.target}, iter([first])
        for depth in range(self._depth + 1):
            folders = self._sort_links(answers, finding, seen)
            if not folders:
                return
            if len(seen) > _MOST_PAGES:
                raise SourceError(f"{self._shown()} lists more than {_MOST_PAGES} folders.")
            if depth < self._depth:
                answers = self._fetch_all(folders)
            for folder in folders if depth == self._depth else ():
                finding.skip(folder, TOO_DEEP)

    def _sort_links(self, answers: Iterable[Answer], finding: Finding, seen: set[str]) -> list[str]:
        """Note documents; hand back folders that were not seen."""
        folders = []
        for answer in answers:
            self._check_page(answer)
            for target in listing.links_below(answer.body, answer.target, self._site):
                if not is_folder(target):
                    finding.add(Link(target))
                elif "?" not in target and target not in seen and finding.enters(target):
                    seen.add(target)
                    folders.append(target)
        return folders

    def _check_page(self, answer: Answer) -> None:
        kind = answer.headers.get("content-type", "text/html").partition(";")[0].strip().lower()
        if kind not in ("text/html", "application/xhtml+xml"):
            raise SourceError(
                f"{self._shown(answer.target)} is no page that lists files but {kind or 'of no kind'}.",
                hint=EXCLUDED_HINT,
            )
        if len(answer.body) > listing.MOST_BYTES:
            raise SourceError(f"{self._shown(answer.target)} is too large for a listing.")

    # --- Both -------------------------------------------------------------------------------------

    def _fetch_all(self, targets: Sequence[str]) -> Iterator[Answer]:
        """Few at a time, each to be dropped when the next is taken: together they may not fit the memory."""
        for start in range(0, len(targets), _AT_ONCE):
            yield from self._pool.map(self._fetch, targets[start : start + _AT_ONCE])

    def _fetch(self, target: str) -> Answer:
        answer = self._client.get(target, most_bytes=sitemap.MOST_BYTES)
        if not answer.ok:
            raise refused(answer.status, self._shown(target))
        return answer

    def _shown(self, target: str = "") -> str:
        return shown_url(self._site.origin + (target or self._site.target))


def refused(status: int, shown: str) -> SourceError | SourceUnavailableError:
    """The error that a status of a listing means."""
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return SourceError(
            f"{shown} refuses access (status {status}).", hint="Name a variable with the login: `auth_env`."
        )
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        return SourceError(f"There is nothing at {shown} (status {status}).", hint=EXCLUDED_HINT)
    return SourceError(f"{shown} answers with status {status}.", hint=EXCLUDED_HINT)


def _is_folder_of(target: str, site: Site) -> bool:
    """Whether a listing stayed where it was declared; a slash at the end may have been added."""
    path, declared = target.partition("?")[0], site.target.partition("?")[0]
    return path in (declared, f"{declared}/")
