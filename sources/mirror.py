"""A bare copy of a repository on this machine's disk, shared by all processes that read it.

The mirror holds the newest commit only (a fetch of depth 1): trees are compared with the catalog,
so no history is needed, and a rewritten one cannot hurt. What is no longer in use stays until git's
own maintenance removes it; a run that still needs it gets it fetched again.
"""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout

from rubrica.errors import SourceError, SourceUnavailableError
from rubrica.identity import digest
from rubrica.log import get_logger
from sources.git_command import GitResult, run_git
from sources.git_errors import BrokenMirrorError, explain
from sources.location import Remote

_T = TypeVar("_T")

_OTHER_FORMAT = re.compile(r"mismatched algorithms: client \w+; server (sha1|sha256)")
_NO_SHALLOW = "dumb http transport does not support shallow"
# Git checks who owns a local repository in the process that serves it, which sees neither our
# environment nor our options. The user named this very repository, so its owner is of no concern;
# serving never runs a repository's hooks (git-upload-pack(1), SECURITY).
SERVE_ANY_OWNER = "--upload-pack=git -c 'safe.directory=*' upload-pack"
_BATCH_HEADER = re.compile(rb"([0-9a-f]+) (\w+)(?: (\d+))?\n")

_log = get_logger(__name__)


class Mirror:
    """Objects of one repository.

    Fetches of several processes and threads wait for each other; reads wait for nobody. A mirror
    that is damaged or half made is made anew.
    """

    def __init__(self, remote: Remote, cache_dir: Path, timeout_s: float) -> None:
        """Name the mirror; nothing is made yet.

        Args:
            remote: The repository to copy.
            cache_dir: Folder of all mirrors; made when missing.
            timeout_s: Longest time of one git command and of a wait for another fetch, in seconds.
        """
        self._remote = remote
        self._cache_dir = cache_dir.absolute()
        self._path = self._cache_dir / f"{remote.key}.git"
        self._timeout_s = timeout_s

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._path

    def list_tip(self, ref: str) -> tuple[str, bytes]:
        """Fetch a reference and list its tree.

        Args:
            ref: ``HEAD`` or a full name, ``refs/heads/…``.

        Returns:
            Commit id, and the output of ``git ls-tree -r -z --long``.

        Raises:
            SourceError: The repository or the reference does not exist, or access is refused.
            SourceUnavailableError: The repository does not answer, or another process fetches it
                for longer than the time limit.
        """

        def fetch_and_list() -> tuple[str, bytes]:
            commit = self._fetch_ref(ref)
            return commit, self._must("ls-tree", "-r", "-z", "--long", "--full-tree", commit).output

        return self._healed(fetch_and_list)

    def blobs(self, blobs: Sequence[str]) -> Mapping[str, bytes]:
        """Contents of many small blobs, in one command; those that are missing are left out."""
        stdin = "".join(f"{blob}\n" for blob in blobs).encode()
        return dict(_parse_batch(self._must("cat-file", "--batch", stdin=stdin).output))

    def read(self, blob: str, commit: str, ref: str, check_size: Callable[[int], None]) -> bytes:
        """Content of a blob; fetched when it is missing here or damaged.

        Args:
            blob: The blob.
            commit: The commit it was listed in, perhaps on another machine.
            ref: The reference that led to the commit, for servers that hand out no bare commits.
            check_size: Hears the blob's bytes before its content is read, and may raise.

        Raises:
            SourceError: The repository no longer holds the blob.
            SourceUnavailableError: The repository does not answer.
        """
        data = self._blob(blob, check_size)
        if data is None:
            data = self._healed(lambda: self._fetch_blob(blob, commit, ref, check_size))
        return data

    def _blob(self, blob: str, check_size: Callable[[int], None]) -> bytes | None:
        if not self._exists():
            return None
        size = self._git("cat-file", "-s", blob)
        if not size.ok:
            return None
        check_size(int(size.output))
        result = self._git("cat-file", "blob", blob)
        return result.output if result.ok else None

    # --- Fetching ---------------------------------------------------------------------------------

    def _fetch_ref(self, ref: str) -> str:
        # Not under its own name: refs/heads/a, gone at the remote, would bar refs/heads/a/b.
        own = f"refs/rubrica/{digest(ref)}"
        self._fetch(f"+{ref}:{own}", ref)
        return self._must("rev-parse", "--verify", "--quiet", f"{own}^{{commit}}").output.decode().strip()

    def _fetch_blob(self, blob: str, commit: str, ref: str, check_size: Callable[[int], None]) -> bytes:
        data = self._blob(blob, check_size)  # another process may have been first
        if data is not None:
            return data
        gone = self._fetch_commit(commit, ref)
        data = self._blob(blob, check_size)
        if data is not None:
            return data
        if gone:
            raise SourceError(
                f"{self._remote.shown} no longer holds commit {commit}: its history was rewritten.",
                hint="Start a new run.",
            )
        raise BrokenMirrorError(f"The mirror of {self._remote.shown} lacks object {blob}.", hint="Try again.")

    def _fetch_commit(self, commit: str, ref: str) -> bool:
        """Fetch a commit, or what the reference leads to now; tells whether the commit is gone."""
        try:
            self._fetch(commit, f"commit {commit}")
        except SourceError:
            return self._fetch_ref(ref) != commit
        return False

    def _fetch(self, refspec: str, ref: str) -> None:
        if not self._exists():
            self._create("sha1")
        result = self._git_fetch("--depth=1", refspec)
        other = _OTHER_FORMAT.search(result.message)
        if other:
            self._create(other[1])
            result = self._git_fetch("--depth=1", refspec)
        elif _NO_SHALLOW in result.message:
            result = self._git_fetch(refspec)
        if not result.ok:
            raise explain(result.message, self._remote, _in_words(ref))

    def _git_fetch(self, *arguments: str) -> GitResult:
        *options, refspec = arguments
        if self._remote.local:
            options.append(SERVE_ANY_OWNER)
        fixed = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--force")
        return self._git("fetch", *fixed, *options, "--", self._remote.url, refspec)

    # --- The copy on disk -------------------------------------------------------------------------

    def _exists(self) -> bool:
        return (self._path / "HEAD").is_file()

    def _create(self, object_format: str) -> None:
        """Make an empty mirror, complete or not at all."""
        unfinished = self._path.with_suffix(".new")
        _remove(unfinished)
        arguments = ("init", "--quiet", "--bare", "--template=", f"--object-format={object_format}")
        result = self._run(*arguments, "--", str(unfinished))
        if not result.ok:
            raise explain(result.message, self._remote, "")
        _remove(self._path)
        unfinished.rename(self._path)

    def _healed(self, action: Callable[[], _T]) -> _T:
        """Do something under the lock, a second time on a new mirror if the first one is broken."""
        with self._locked():
            try:
                return action()
            except BrokenMirrorError as error:
                _log.warning("mirror_made_anew", repository=self._remote.shown, reason=error.reason)
                _remove(self._path)
                return action()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self._cache_dir.mkdir(parents=True, exist_ok=True)
            with FileLock(self._path.with_suffix(".lock"), timeout=self._timeout_s):
                yield
        except Timeout as error:
            raise SourceUnavailableError(
                f"Another process has been fetching {self._remote.shown} for {self._timeout_s:g} seconds.",
                hint="Try again later or raise RUBRICA_GIT_TIMEOUT_S.",
            ) from error
        except OSError as error:
            raise SourceError(
                f"The folder of mirrors {self._cache_dir} cannot be used: {error.strerror}.",
                hint="Make it writable or set RUBRICA_HOME.",
            ) from error

    # --- Git --------------------------------------------------------------------------------------

    def _must(self, *arguments: str, stdin: bytes = b"") -> GitResult:
        result = self._git(*arguments, stdin=stdin)
        if not result.ok:
            raise explain(result.message, self._remote, "")
        return result

    def _git(self, *arguments: str, stdin: bytes = b"") -> GitResult:
        return self._run(f"--git-dir={self._path}", *arguments, stdin=stdin)

    def _run(self, *arguments: str, stdin: bytes = b"") -> GitResult:
        return run_git(
            arguments,
            folder=self._cache_dir,
            timeout_s=self._timeout_s,
            about=self._remote.shown,
            secrets=self._remote.secrets,
            stdin=stdin,
        )


def _parse_batch(output: bytes) -> Iterator[tuple[str, bytes]]:
    """Take the answer of ``git cat-file --batch`` apart."""
    position = 0
    while header := _BATCH_HEADER.match(output, position):
        position = header.end()
        if header[3] is None:
            continue
        size = int(header[3])
        yield header[1].decode(), output[position : position + size]
        position += size + 1


def _in_words(ref: str) -> str:
    if ref == "HEAD":
        return "commit on its default branch"
    return ref.replace("refs/heads/", "branch ", 1)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        # A git whose parent was killed may still write below it; under another name it does no harm.
        aside = path.with_name(f"{path.name}.{uuid.uuid4().hex}.old")
        path.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
