"""What a site said at the last look, so that the next one costs it little.

Nothing here is needed: without it every document is asked about anew, with the same result.
"""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rubrica.identity import digest
from rubrica.log import get_logger
from sources.http.marks import is_of_content

_VERSION = 1
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Remembered:
    """A document at the last look.

    Attributes:
        mark: Its change mark.
        size: Bytes.
        etag: ``ETag``; may be empty.
        modified: ``Last-Modified``; may be empty.
        lastmod: What the sitemap said; may be empty.
        checked_at: When the server was asked, in seconds since 1970.
    """

    mark: str
    size: int
    etag: str = ""
    modified: str = ""
    lastmod: str = ""
    checked_at: float = 0.0

    def conditions(self) -> dict[str, str]:
        """Headers that ask for the document only if it changed."""
        headers = {"If-None-Match": self.etag, "If-Modified-Since": "" if self.etag else self.modified}
        return {name: value for name, value in headers.items() if value}


class Memory:
    """A file with what is remembered of one source."""

    def __init__(self, folder: Path, site: str, choice: str = "") -> None:
        """Name the file.

        Args:
            folder: Folder of all of them; made when missing.
            site: Address of the site.
            choice: What tells its sources apart, which may choose different documents of it.
        """
        self._site = digest("http", site)
        self._path = folder / f"{self._site}-{digest('choice', choice)}.json"

    def load(self) -> dict[str, Remembered]:
        """What is remembered, by path and query; nothing where the file is absent or not readable.

        A source whose globs were changed begins with what was remembered of its site last, so that a
        document that is refused at this moment is not taken for one that is gone.
        """
        try:
            content = json.loads(self._newest().read_bytes())
            return {name: _remembered(facts) for name, facts in content["documents"].items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            _log.warning("site_memory_not_read", file=str(self._path), reason=type(error).__name__)
            return {}

    def _newest(self) -> Path:
        """The source's own file, else the last one of its site."""
        if self._path.exists():
            return self._path
        others = self._path.parent.glob(f"{self._site}*.json")
        return max(others, key=lambda path: path.stat().st_mtime, default=self._path)

    def save(self, documents: dict[str, Remembered]) -> None:
        """Replace what is remembered; a disk that does not take it costs only time later."""
        facts = {name: asdict(document) for name, document in documents.items()}
        content = json.dumps({"version": _VERSION, "documents": facts}, ensure_ascii=False)
        unfinished = self._path.with_suffix(f".{uuid.uuid4().hex}.new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            unfinished.write_text(content, encoding="utf-8")
            os.replace(unfinished, self._path)  # noqa: PTH105 — atomic, over what is there
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            _log.warning("site_memory_not_written", file=str(self._path), reason=error.strerror)


def _remembered(facts: dict[str, Any]) -> Remembered:
    mark = str(facts["mark"])
    return Remembered(
        mark=mark,
        size=int(facts["size"]),
        etag=str(facts["etag"]),
        modified="" if is_of_content(mark) else str(facts["modified"]),
        lastmod=str(facts["lastmod"]),
        checked_at=float(facts["checked_at"]),
    )
