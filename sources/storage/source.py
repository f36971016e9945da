"""Documents of an object storage, or of any other file system that fsspec opens."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rubrica.errors import PoisonDocumentError, RubricaError, SourceError, SourceUnavailableError
from rubrica.identity import content_hash, digest
from rubrica.log import get_logger
from rubrica.model import SkippedFile, Snapshot, SourceFile, Stage
from rubrica.settings import SourceSettings
from sources import content
from sources.filters import PathFilter
from sources.location import check_storage, shown_url
from sources.options import checked_options
from sources.storage.marks import content_mark, info_marks, is_of_content, refused_mark
from sources.storage.opening import driver_errors, explained, is_refused, open_storage
from sources.storage.walking import Object, objects_below

_UNSAFE = "Its path is not safe."
_NO_FILE = "It is neither a file nor a folder."
_BLOCK = 1 << 20
_log = get_logger(__name__)


class StorageSource:
    """All objects below a prefix.

    A file's mark is its version, else its checksum (ETag), else its time and size, as the storage tells
    them; where it tells nothing, the content is read. The revision is a digest of the listing.
    """

    def __init__(
        self,
        location: str,
        *,
        options: Mapping[str, Any],
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        settings: SourceSettings,
    ) -> None:
        """Describe the source; nothing is opened yet.

        Args:
            location: URL of a folder: ``s3://bucket/prefix``.
            options: For the driver; values ``env:NAME`` are read from the environment when it is opened.
            include: Globs of paths to take (see ``sources.filters``); empty takes all.
            exclude: Globs of paths to leave out, applied after ``include``.
            settings: Limits.

        Raises:
            ConfigurationError: The address, an option or a glob is not valid.
        """
        check_storage(location)
        self._location = location
        self._options = checked_options("storage", options)
        self._filter = PathFilter(include, exclude)
        self._takes_back = any(glob.startswith("!") for glob in exclude)
        self._settings = settings
        self._opened: tuple[Any, str] | None = None

    def snapshot(self) -> Snapshot:
        """List all objects.

        Raises:
            ConfigurationError: The driver is not installed, or a variable is not set.
            SourceError: The place does not exist, holds no document, or access is refused.
            SourceUnavailableError: The storage does not answer.
        """
        try:
            files, skipped = self._list()
        except RubricaError as error:
            error.at(stage=Stage.DETECT)
            raise
        revision = digest("storage", *(part for file in files for part in (file.path, file.mark)))
        _log.info(
            "source_listed",
            storage=shown_url(self._location),
            revision=revision,
            files=len(files),
            skipped=len(skipped),
        )
        return Snapshot(revision, tuple(files), tuple(skipped))

    def read(self, file: SourceFile, revision: str) -> bytes:  # noqa: ARG002 - it is read as it is now
        """Read an object, provided that it still is what was listed.

        Raises:
            LimitExceededError: The object is over the size limit.
            PoisonDocumentError: This object alone is refused (its permissions, an archive).
            SourceError: The path does not lie below the prefix.
            SourceUnavailableError: The object was changed or removed since it was listed.
        """
        try:
            return self._read(file)
        except RubricaError as error:
            error.at(document=file.path, stage=Stage.EXTRACT)
            raise

    # --- Listing ----------------------------------------------------------------------------------

    def _list(self) -> tuple[list[SourceFile], list[SkippedFile]]:
        system, root = self._open()
        found = objects_below(system, root, self._location, enters=self._enters)
        files: list[SourceFile] = []
        skipped: list[SkippedFile] = []
        for path, info in self._selected(found, root):
            reason = _reason_against(path, info) or self._filter.reason_against(path)
            if reason:
                skipped.append(SkippedFile(path, reason))
            else:
                files.append(self._listed(system, path, info))
            self._check_count(len(files))
        if not files:
            raise SourceError(
                f"{shown_url(self._location)} holds no document.", hint="Check the address and the globs."
            )
        return sorted(files, key=lambda file: file.path), sorted(skipped, key=lambda item: item.path)

    def _enters(self, folder: str) -> bool:
        return self._takes_back or not self._filter.excludes_folder(folder)

    def _selected(self, found: Iterator[Object], root: str) -> Iterator[Object]:
        prefix = f"{root}/" if root else ""
        for name, info in found:
            path = name.removeprefix(prefix)
            # A prefix is no folder: s3://bucket/norms does not take in norms-old/a.md.
            if name.startswith(prefix) and path and not path.endswith("/") and self._filter.selects(path):
                yield path, info

    def _listed(self, system: Any, path: str, info: Mapping[str, Any]) -> SourceFile:
        mark = next(iter(info_marks(path, info)), "")
        if not mark:
            with explained(self._location):
                mark = self._read_mark(system, path)
        return SourceFile(path, mark, int(info.get("size") or 0))

    def _read_mark(self, system: Any, path: str) -> str:
        """A mark of the content; of its own kind for an object that is refused, so that it stays listed."""
        try:
            with system.open(self._full(path), "rb") as stream:
                return content_mark(hashlib.file_digest(stream, "sha256").hexdigest())
        except driver_errors() as error:
            if not is_refused(error):
                raise
            self._check_login(system, path)
            return refused_mark(path)

    def _check_count(self, count: int) -> None:
        most = self._settings.source_max_documents
        if count > most:
            raise SourceError(
                f"{shown_url(self._location)} holds more than {most} documents.",
                hint="Raise RUBRICA_SOURCE_MAX_DOCUMENTS, or choose with include globs.",
            )

    # --- Reading ----------------------------------------------------------------------------------

    def _read(self, file: SourceFile) -> bytes:
        if not _is_safe(file.path):
            raise SourceError("The path does not lie below the source.")
        limit = self._settings.max_file_mb
        content.check_size(file.path, file.size, limit)
        system, _ = self._open()
        try:
            with explained(self._location):
                data = self._fetch(system, file.path, limit * _BLOCK + 1)
                same = self._is_same(system, file, data)
        except SourceError as error:
            raise SourceUnavailableError(
                f"The object can no longer be read: {error.reason}", hint="Start a new run."
            ) from error
        content.check_size(file.path, len(data), limit)
        if not same:
            raise SourceUnavailableError(
                "The object was changed since it was listed.", hint="Start a new run."
            )
        return data

    def _fetch(self, system: Any, path: str, most: int) -> bytes:
        """The content; an object that is refused for good fails alone.

        Raises:
            PoisonDocumentError: It is refused, while its folder is not.
        """
        try:
            return _read_at_most(system, self._full(path), most)
        except driver_errors() as error:
            if not is_refused(error):
                raise
            self._check_login(system, path)
            raise PoisonDocumentError(
                "The storage refuses to hand out this object.",
                hint="Check its permissions and its storage class, or leave it out with an exclude glob.",
            ) from error

    def _check_login(self, system: Any, path: str) -> None:
        """Ask for the folder, with the driver's own errors: a login that ran out is no object's fault."""
        folder = self._full(path).rpartition("/")[0]
        system.invalidate_cache()
        system.info(folder)

    def _is_same(self, system: Any, file: SourceFile, data: bytes) -> bool:
        """Whether an object is, after it was read, still what was listed.

        Asked about one object, some drivers tell more or less than in a listing, so the second way of
        asking is by a listing of that object alone.
        """
        if is_of_content(file.mark):
            return content_mark(content_hash(data)) == file.mark
        full = self._full(file.path)
        system.invalidate_cache()
        if file.mark in info_marks(file.path, system.info(full)):
            return True
        listed = system.find(full, detail=True).get(full, {})
        return file.mark in info_marks(file.path, listed)

    def _open(self) -> tuple[Any, str]:
        if self._opened is None:
            self._opened = open_storage(self._location, self._options)
        return self._opened

    def _full(self, path: str) -> str:
        root = self._open()[1]
        return f"{root}/{path}" if root else path


def _read_at_most(system: Any, name: str, most: int) -> bytes:
    with system.open(name, "rb") as stream:
        data: bytes = stream.read(most)
    return data


def _reason_against(path: str, info: Mapping[str, Any]) -> str:
    if not _is_safe(path):
        return _UNSAFE
    if info.get("islink"):
        return content.SYMLINK
    return "" if info.get("type", "file") == "file" else _NO_FILE


def _is_safe(path: str) -> bool:
    """Whether a path stays below the source and can be stored."""
    if not path.isprintable() or path != posixpath.normpath(path):
        return False
    return not path.startswith("/") and {"", ".", ".."}.isdisjoint(path.split("/"))
