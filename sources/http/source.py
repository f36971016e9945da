"""Documents of a web site."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

from rubrica.errors import (
    ConfigurationError,
    PoisonDocumentError,
    RubricaError,
    SourceError,
    SourceUnavailableError,
)
from rubrica.identity import digest
from rubrica.log import get_logger
from rubrica.model import SkippedFile, Snapshot, SourceFile, Stage
from rubrica.settings import SourceSettings
from sources import content
from sources.filters import PathFilter
from sources.http import marks, sitemap
from sources.http.client import Answer, PageError, SiteClient, TooLargeError
from sources.http.crawl import Crawler, Finding, refused
from sources.http.memory import Memory
from sources.http.paths import document_path, target_of
from sources.http.probe import Outcome, Prober, check_any_was_read, reread_mark
from sources.http.site import Site
from sources.location import check_site, shown_url
from sources.options import HttpOptions, checked_options, from_environment

_CHANGED = "The document was changed since it was listed."
_HOUR_S = 3600
_MIB = 1024 * 1024
_log = get_logger(__name__)


class HttpSource:
    """The documents that a sitemap or a listing of files names, all on one site.

    A file's mark is made of what the server says (ETag, else Last-Modified and size) or of the content.
    The revision is a digest of the listing. A listing that fails in part fails as a whole, so that no
    document looks removed because a server was busy.
    """

    def __init__(
        self,
        location: str,
        *,
        options: Mapping[str, Any],
        state_dir: Path,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        settings: SourceSettings,
    ) -> None:
        """Describe the source; nothing is asked yet.

        Args:
            location: Address of a sitemap or of a listing.
            options: See ``sources.options.HttpOptions``.
            state_dir: Folder for what is remembered of sites; it saves requests and holds no secret.
            include: Globs of paths to take (see ``sources.filters``); empty takes all.
            exclude: Globs of paths to leave out, applied after ``include``.
            settings: Limits.

        Raises:
            ConfigurationError: The address, an option or a glob is not valid.
        """
        check_site(location)
        self._site = Site.of(location)
        self._options = HttpOptions.model_validate(checked_options("http", options))
        self._filter = PathFilter(include, exclude)
        seen_through = self._options.model_dump(exclude={"recheck_hours"})
        choice = json.dumps([seen_through, list(include), list(exclude)], sort_keys=True)
        self._memory = Memory(state_dir, location, choice)
        self._settings = settings
        self._most_bytes = settings.max_file_mb * _MIB
        self._root = (document_path(f"{self._site.root}x") or "x").removesuffix("x")

    def snapshot(self) -> Snapshot:
        """Read the listing, and ask for each document whether it changed.

        Raises:
            SourceError: The listing does not exist, is refused, not valid or names no document.
            SourceUnavailableError: The server does not answer or is busy.
        """
        try:
            finding, outcomes = self._look()
        except RubricaError as error:
            error.at(stage=Stage.DETECT)
            raise
        skipped = finding.skipped | {item.found.path: item.reason for item in outcomes if item.file is None}
        files = tuple(sorted((item.file for item in outcomes if item.file), key=lambda file: file.path))
        revision = digest("http", *(part for file in files for part in (file.path, file.mark)))
        _log.info(
            "source_listed",
            site=shown_url(self._site.base),
            revision=revision,
            files=len(files),
            skipped=len(skipped),
        )
        return Snapshot(revision, files, tuple(SkippedFile(*item) for item in sorted(skipped.items())))

    def read(self, file: SourceFile, revision: str) -> bytes:  # noqa: ARG002 - a site has no past
        """Read a document, provided that it still is what was listed.

        Raises:
            LimitExceededError: The document is over the size limit.
            PoisonDocumentError: The server refuses this document alone, or its content cannot be unpacked.
            SourceError: The path is not one of this site, or the server wants a login.
            SourceUnavailableError: The server does not answer, or the document was changed or removed
                since it was listed.
        """
        try:
            return self._read(file)
        except RubricaError as error:
            error.at(document=file.path, stage=Stage.EXTRACT)
            raise

    # --- Listing ----------------------------------------------------------------------------------

    def _look(self) -> tuple[Finding, list[Outcome]]:
        finding = Finding(self._site, self._filter, self._settings.source_max_documents)
        known = self._memory.load()
        with self._client() as client, self._pool() as pool:
            Crawler(self._site, client, pool, depth=self._options.depth).run(finding)
            if not finding.documents:
                raise SourceError(
                    f"{shown_url(self._site.base)} names no document.",
                    hint="Check the address and the globs; a page of a site is no listing of its files.",
                )
            prober = Prober(
                self._site,
                client,
                known,
                by_content=self._options.mark == "content",
                recheck_s=self._options.recheck_hours * _HOUR_S,
                most_bytes=self._most_bytes,
            )
            outcomes = list(pool.map(prober.look, finding.documents.values()))
        check_any_was_read(outcomes, self._site.base)
        self._memory.save({item.found.target: item.remembered for item in outcomes if item.remembered})
        return finding, outcomes

    @contextmanager
    def _pool(self) -> Iterator[ThreadPoolExecutor]:
        """Threads; after an error, what has not begun is dropped."""
        pool = ThreadPoolExecutor(self._settings.http_connections, thread_name_prefix="http")
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)

    def _client(self) -> SiteClient:
        variable = self._options.auth_env
        login = from_environment(variable).strip() if variable else ""
        if ":" not in login and not login.isascii():
            raise ConfigurationError(
                f"The environment variable {variable} holds no token: it has letters beyond ASCII.",
                hint="Set it to a token, or to user:password.",
            )
        return SiteClient(self._site, login, self._settings)

    # --- Reading ----------------------------------------------------------------------------------

    def _read(self, file: SourceFile) -> bytes:
        target = self._target(file)
        content.check_size(file.path, file.size, self._settings.max_file_mb)
        with self._client() as client:
            try:
                answer = client.get(target, most_bytes=self._most_bytes)
                self._check(client, target, file, answer)
            except TooLargeError:
                content.check_size(file.path, self._most_bytes + 1, self._settings.max_file_mb)
                raise
            except PageError as error:
                self._check_site(client)
                raise PoisonDocumentError(
                    error.reason, hint="Mend it on the site, or leave it out with an exclude glob."
                ) from error
        return answer.body

    def _check_site(self, client: SiteClient) -> None:
        """Make sure that a document alone is refused: a login that ran out is no document's fault.

        Raises:
            SourceError: The site as a whole is refused.
        """
        answer = client.head(self._site.target, {})
        if answer.status == HTTPStatus.FORBIDDEN:
            # Some servers refuse every HEAD.
            answer = client.get(self._site.target, most_bytes=sitemap.MOST_BYTES)
        if answer.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            raise refused(answer.status, shown_url(self._site.origin + self._site.target))

    def _check(self, client: SiteClient, target: str, file: SourceFile, answer: Answer) -> None:
        """Make sure that an answer is what was listed.

        Some servers give other headers with the content than without, so a mark that differs is asked
        for once more in the way in which it was listed.
        """
        if answer.status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
            raise SourceUnavailableError(
                "The document was removed since it was listed.", hint="Start a new run."
            )
        if not answer.ok:
            problem = refused(answer.status, shown_url(self._site.origin + target))
            raise problem if answer.status == HTTPStatus.UNAUTHORIZED else PageError(problem.reason)
        if reread_mark(target, file.mark, answer) == file.mark:
            return
        if not marks.is_of_content(file.mark):
            head = client.head(target, {})
            if head.ok and marks.header_mark(target, head.headers) == file.mark:
                return
        raise SourceUnavailableError(_CHANGED, hint="Start a new run.")

    def _target(self, file: SourceFile) -> str:
        path = self._root + file.path
        target = target_of(path, is_folder=marks.is_of_folder(file.mark))
        if document_path(target) != path:
            raise SourceError("The path is not one of the site.")
        return target
