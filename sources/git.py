"""Documents out of a git repository: a URL or a local path, one branch, committed files only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rubrica.errors import ConfigurationError, RubricaError, SourceError
from rubrica.log import get_logger
from rubrica.model import SkippedFile, Snapshot, SourceFile, Stage
from sources import content
from sources.filters import PathFilter
from sources.location import parse_remote
from sources.mirror import Mirror

_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# git-check-ref-format(1); a name is only ever used behind "refs/heads/", never bare.
_BAD_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/]|[/.]$|(?:^|/)\.|\.lock(?:/|$)")
_UNSAFE_PARTS = frozenset({"", ".", "..", ".git"})
_SYMLINK_MODE = b"120000"
_SUBMODULE_MODE = b"160000"

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of ``git ls-tree --long``; ``size`` is 0 for a submodule."""

    mode: bytes
    blob: str
    size: int
    name: bytes


class GitSource:
    """One branch of a git repository.

    A file's mark is its blob id; the revision is the commit id. Files over the size limit are listed,
    and ``read`` refuses them, so that they are reported as failures.
    """

    def __init__(
        self,
        location: str,
        *,
        cache_dir: Path,
        branch: str = "",
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        timeout_s: float = 600,
        max_file_mb: int = 100,
    ) -> None:
        """Describe the source; nothing is fetched yet.

        Args:
            location: URL, ``user@host:path`` or absolute path of a local repository.
            cache_dir: Folder for mirrors.
            branch: Branch to follow; empty means what the repository's ``HEAD`` points to.
            include: Globs of paths to take (see ``sources.filters``); empty takes all.
            exclude: Globs of paths to leave out, applied after ``include``.
            timeout_s: Longest time of one git command, in seconds.
            max_file_mb: Largest file that ``read`` hands out, in MiB.

        Raises:
            ConfigurationError: The address, the branch name or a glob is not valid.
        """
        self._remote = parse_remote(location)
        self._ref = branch_reference(branch)
        self._filter = PathFilter(include, exclude)
        self._mirror = Mirror(self._remote, cache_dir, timeout_s)
        self._max_file_mb = max_file_mb

    def snapshot(self) -> Snapshot:
        """Fetch the branch and list its documents.

        Raises:
            SourceError: The repository or branch does not exist, access is refused, or there is no
                commit yet. An empty repository is an error and not an empty listing, because a
                listing needs a revision and an empty one would ask for every document's removal.
            SourceUnavailableError: The repository does not answer in time.
        """
        try:
            commit, listing = self._mirror.list_tip(self._ref)
            files, skipped = self._sort(_parse_listing(listing))
        except RubricaError as error:
            error.at(stage=Stage.DETECT)
            raise
        _log.info(
            "source_listed",
            repository=self._remote.shown,
            revision=commit,
            files=len(files),
            skipped=len(skipped),
        )
        return Snapshot(commit, tuple(files), tuple(skipped))

    def read(self, file: SourceFile, revision: str) -> bytes:
        """Read a file by its blob id; fetched again when this machine's mirror lacks it.

        Raises:
            LimitExceededError: The file is over the size limit.
            SourceError: The repository no longer holds that revision.
            SourceUnavailableError: The repository does not answer in time.
        """
        check_size = partial(content.check_size, file.path, max_file_mb=self._max_file_mb)
        try:
            if not (_OBJECT_ID.fullmatch(file.mark) and _OBJECT_ID.fullmatch(revision)):
                raise SourceError("The file's mark or its revision is not an object id of git.")
            return self._mirror.read(file.mark, revision, self._ref, check_size)
        except RubricaError as error:
            error.at(document=file.path, stage=Stage.EXTRACT)
            raise

    def _sort(self, entries: Iterator[_Entry]) -> tuple[list[SourceFile], list[SkippedFile]]:
        """Tell documents from what is skipped, both in the order of paths."""
        files, skipped = [], []
        for entry in entries:
            path = content.decode_name(entry.name)
            if path is None:
                skipped.append(SkippedFile(content.printable_name(entry.name), content.NOT_UTF8))
            elif self._filter.selects(path):
                reason = _reason_against(entry, path) or self._filter.reason_against(path)
                if reason:
                    skipped.append(SkippedFile(path, reason))
                else:
                    files.append(SourceFile(path, entry.blob, entry.size))
        return self._without_pointers(files, skipped)

    def _without_pointers(
        self, files: list[SourceFile], skipped: list[SkippedFile]
    ) -> tuple[list[SourceFile], list[SkippedFile]]:
        small = {file.mark for file in files if 0 < file.size < content.LFS_POINTER_MAX_BYTES}
        contents = self._mirror.blobs(sorted(small)) if small else {}
        pointers = {mark for mark, data in contents.items() if content.is_lfs_pointer(data)}
        skipped = skipped + [
            SkippedFile(file.path, content.LFS_POINTER) for file in files if file.mark in pointers
        ]
        kept = [file for file in files if file.mark not in pointers]
        return sorted(kept, key=lambda file: file.path), sorted(skipped, key=lambda item: item.path)


def branch_reference(branch: str) -> str:
    """The full name of a branch; ``HEAD`` when none is named.

    Raises:
        ConfigurationError: Git would not allow a branch of that name.
    """
    if not branch:
        return "HEAD"
    name = branch.removeprefix("refs/heads/")
    if not name or _BAD_BRANCH.search(name):
        raise ConfigurationError(f"{branch!r} is not a valid name of a branch.")
    return f"refs/heads/{name}"


def _parse_listing(listing: bytes) -> Iterator[_Entry]:
    for line in listing.split(b"\0"):
        if line:
            facts, _, name = line.partition(b"\t")
            mode, _, blob, size = facts.split()
            yield _Entry(mode, blob.decode(), 0 if size == b"-" else int(size), name)


def _reason_against(entry: _Entry, path: str) -> str:
    if entry.mode == _SUBMODULE_MODE:
        return content.SUBMODULE
    if entry.mode == _SYMLINK_MODE:
        return content.SYMLINK
    # Git itself refuses to check such a tree out; a forged one can still be fetched.
    if not _UNSAFE_PARTS.isdisjoint(path.casefold().split("/")):
        return "Its path is not safe."
    return ""
