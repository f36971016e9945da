"""Documents out of a plain folder, as it is on disk now."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rubrica.errors import RubricaError, SourceError, SourceUnavailableError
from rubrica.identity import content_hash, digest
from rubrica.log import get_logger
from rubrica.model import SkippedFile, Snapshot, SourceFile, Stage
from sources import content
from sources.filters import PathFilter

# A pipe that is put in a file's place must not block the reader, nor a link lead it astray.
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OPEN_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC

_NO_PERMISSION = "It cannot be read: permission denied."
_NOT_REGULAR = "It is neither a file nor a folder."

_log = get_logger(__name__)


@dataclass(slots=True)
class _Listing:
    files: list[SourceFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)

    def skip(self, path: str, reason: str) -> None:
        self.skipped.append(SkippedFile(path, reason))


class FolderSource:
    """All files below a folder.

    A file's mark is the SHA-256 of its content, so a listing reads every file. The revision is a
    digest of the listing. Links are never followed, hidden files are left out, and files over the
    size limit are listed but refused by ``read``, so that they are reported as failures.
    """

    def __init__(
        self,
        location: str | Path,
        *,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        max_file_mb: int = 100,
    ) -> None:
        """Describe the source; nothing is read yet.

        Args:
            location: The folder.
            include: Globs of paths to take (see ``sources.filters``); empty takes all.
            exclude: Globs of paths to leave out, applied after ``include``.
            max_file_mb: Largest file that ``read`` hands out, in MiB.

        Raises:
            ConfigurationError: A glob is not valid.
        """
        self._root = Path(location)
        self._filter = PathFilter(include, exclude)
        self._max_file_mb = max_file_mb

    def snapshot(self) -> Snapshot:
        """List and digest all files.

        Raises:
            SourceError: The folder does not exist or cannot be listed.
            SourceUnavailableError: The disk fails below it.
        """
        listing = _Listing()
        try:
            self._walk(listing)
        except RubricaError as error:
            error.at(stage=Stage.DETECT)
            raise
        files = tuple(sorted(listing.files, key=lambda file: file.path))
        skipped = tuple(sorted(listing.skipped, key=lambda item: item.path))
        revision = digest("folder", *(part for file in files for part in (file.path, file.mark)))
        _log.info(
            "source_listed",
            folder=str(self._root),
            revision=revision,
            files=len(files),
            skipped=len(skipped),
        )
        return Snapshot(revision, files, skipped)

    def read(self, file: SourceFile, revision: str) -> bytes:  # noqa: ARG002 - a folder has no past
        """Read a file, provided that it still is what was listed.

        Raises:
            LimitExceededError: The file is over the size limit.
            SourceError: The path does not lie in the folder.
            SourceUnavailableError: The file was changed or removed since it was listed.
        """
        try:
            return self._read(file)
        except RubricaError as error:
            error.at(document=file.path, stage=Stage.EXTRACT)
            raise

    # --- Listing ----------------------------------------------------------------------------------

    def _walk(self, listing: _Listing) -> None:
        try:
            pending = [(self._root, "", _scan(self._root))]
        except (FileNotFoundError, NotADirectoryError) as error:
            raise SourceError(f"There is no folder {self._root}.", hint="Check the path.") from error
        except PermissionError as error:
            raise SourceError(f"The folder {self._root} cannot be listed: permission denied.") from error
        except OSError as error:
            raise _unlistable(self._root, error) from error
        while pending:
            folder, prefix, entries = pending.pop()
            for entry in entries:
                path = self._look_at(entry, prefix, listing)
                if path is not None:
                    below = self._list(folder / entry.name, path, listing)
                    pending.append((folder / entry.name, f"{path}/", below))

    def _look_at(self, entry: os.DirEntry[str], prefix: str, listing: _Listing) -> str | None:
        """Put a file on the listing; hand back the path of a folder that is to be entered."""
        raw = os.fsencode(prefix + entry.name)
        path = content.decode_name(raw)
        if path is None:
            listing.skip(content.printable_name(raw), content.NOT_UTF8)
            return None
        with _tolerant(path, listing):
            if entry.is_dir(follow_symlinks=False):
                return path if self._enters(path, listing) else None
            if self._filter.selects(path):
                self._take(entry, path, listing)
        return None

    def _enters(self, path: str, listing: _Listing) -> bool:
        enters = self._filter.enters(path) and path.rpartition("/")[2] != ".git"
        if not enters and self._filter.selects(path):
            listing.skip(path, self._filter.reason_against(path))
        return enters

    def _take(self, entry: os.DirEntry[str], path: str, listing: _Listing) -> None:
        reason = self._filter.reason_against(path)
        if entry.is_symlink():
            reason = content.SYMLINK
        elif not entry.is_file(follow_symlinks=False):
            reason = _NOT_REGULAR
        if reason:
            listing.skip(path, reason)
            return
        file = _digest(path, entry.path)
        if file is None:
            listing.skip(path, content.LFS_POINTER)
        else:
            listing.files.append(file)

    def _list(self, folder: Path, path: str, listing: _Listing) -> list[os.DirEntry[str]]:
        with _tolerant(path, listing):
            return _scan(folder)
        return []

    # --- Reading ----------------------------------------------------------------------------------

    def _read(self, file: SourceFile) -> bytes:
        try:
            with self._open(file.path) as descriptor:
                size = os.fstat(descriptor).st_size
                content.check_size(file.path, size, self._max_file_mb)
                data = _read_all(descriptor)
        except OSError as error:
            raise SourceUnavailableError(
                f"The file can no longer be read: {error.strerror}.", hint="Start a new run."
            ) from error
        if content_hash(data) != file.mark:
            raise SourceUnavailableError("The file was changed since it was listed.", hint="Start a new run.")
        return data

    @contextmanager
    def _open(self, path: str) -> Iterator[int]:
        """Open a file step by step from the root, so that no link on the way leads out of it."""
        parts = path.split("/")
        if "\0" in path or not {"", ".", ".."}.isdisjoint(parts):
            raise SourceError("The path does not lie in the folder.")
        descriptor = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for number, part in enumerate(parts, 1):
            parent, flags = descriptor, _OPEN_FILE if number == len(parts) else _OPEN_FOLDER
            try:
                descriptor = os.open(part, flags, dir_fd=parent)
            finally:
                os.close(parent)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def _unlistable(root: Path, error: OSError) -> SourceError | SourceUnavailableError:
    reason = f"The folder {root} cannot be listed: {error.strerror}."
    if error.errno in (errno.ELOOP, errno.ENAMETOOLONG):
        return SourceError(reason, hint="Check the path.")
    return SourceUnavailableError(reason, hint="Check the disk, then try again.")


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


@contextmanager
def _tolerant(path: str, listing: _Listing) -> Iterator[None]:
    """Go on without what may not be read or has just gone, but never without what a disk lost."""
    try:
        yield
    except PermissionError:
        listing.skip(path, _NO_PERMISSION)
    except FileNotFoundError:
        _log.debug("file_vanished", path=path)
    except OSError as error:
        raise SourceUnavailableError(
            f"{path} cannot be read: {error.strerror}.", hint="Check the disk, then try again."
        ) from error


def _digest(path: str, full_path: str) -> SourceFile | None:
    """A file with its mark and size, or ``None`` for a pointer of Git LFS."""
    with open(os.open(full_path, _OPEN_FILE), "rb") as stream:  # noqa: PTH123 - opened with flags
        head = stream.read(content.LFS_POINTER_MAX_BYTES)
        if content.is_lfs_pointer(head):
            return None
        stream.seek(0)
        mark = hashlib.file_digest(stream, "sha256").hexdigest()
        return SourceFile(path, mark, stream.tell())


def _read_all(descriptor: int) -> bytes:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise SourceUnavailableError("It is no longer a file.", hint="Start a new run.")
    with open(descriptor, "rb", closefd=False) as stream:
        return stream.read()
