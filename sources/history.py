"""What happened in a repository between two commits, in the words of those who made them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from rubrica.errors import SourceUnavailableError
from rubrica.model import SourceSpec
from rubrica.settings import Settings
from sources.git import branch_reference
from sources.git_command import GitResult, run_git
from sources.git_errors import explain
from sources.location import Remote, parse_remote
from sources.logins import git_location

_DEPTH = 500
_OWN = "refs/rubrica/history"
_FORM = "%H%x1f%an%x1f%aI%x1f%s"
_SEPARATOR = "\x1f"
# A local repository is asked for commits alone, which its owner need not have allowed.
_SERVE = "--upload-pack=git -c 'safe.directory=*' -c uploadpack.allowFilter=true upload-pack"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit.

    Attributes:
        revision: Its id.
        author: Who wrote it.
        date: When, as ISO 8601 has it.
        subject: First line of its message.
    """

    revision: str
    author: str
    date: str
    subject: str


def commits(
    spec: SourceSpec, settings: Settings, *, since: str, until: str, limit: int = 20
) -> tuple[Commit, ...]:
    """The commits of a git source after one revision up to another, newest first.

    Only commits are fetched, no files, where the server lets one choose.

    Args:
        spec: The source; one that is no git repository has no commits.
        settings: The home folder, whose ``mirrors`` holds copies of repositories, and the time limit.
        since: Revision that is left out; where it is not among the last 500 commits, those before
            ``until`` are given.
        until: Revision that is the last.
        limit: Most commits.

    Raises:
        SourceError: The repository or the branch does not exist, or access is refused.
        SourceUnavailableError: The repository does not answer in time.
    """
    if spec.kind != "git" or not until or since == until:
        return ()
    remote = parse_remote(git_location(spec))
    history = _History(remote, settings.home / "mirrors", settings.sources.git_timeout_s)
    return history.between(since, until, branch_reference(spec.branch), limit)


class _History:
    """A repository beside the mirror, which holds the newest commit only."""

    def __init__(self, remote: Remote, folder: Path, timeout_s: float) -> None:
        self._remote = remote
        self._folder = folder.absolute()
        self._path = self._folder / f"{remote.key}.history.git"
        self._timeout_s = timeout_s

    def between(self, since: str, until: str, ref: str, limit: int) -> tuple[Commit, ...]:
        """Fetch what is missing and list it, one process at a time."""
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self._path.with_suffix(".lock"), timeout=self._timeout_s):
                if not self._git("cat-file", "-e", f"{until}^{{commit}}").ok:
                    self._fetch(ref)
                known = since and self._git("cat-file", "-e", f"{since}^{{commit}}").ok
                return self._log([until, f"^{since}"] if known else [until], limit)
        except Timeout as error:
            raise SourceUnavailableError(
                f"Another process has been fetching {self._remote.shown} for {self._timeout_s:g} seconds."
            ) from error

    def _log(self, revisions: list[str], limit: int) -> tuple[Commit, ...]:
        options = (f"--max-count={limit}", f"--format={_FORM}", "--no-show-signature")
        listed = self._git("log", *options, *revisions, "--")
        lines = listed.output.decode("utf-8", "replace").split("\n") if listed.ok else []
        fields = [line.split(_SEPARATOR, 3) for line in lines]
        return tuple(Commit(*parts) for parts in fields if len(parts) == 4)

    def _fetch(self, ref: str) -> None:
        if not (self._path / "HEAD").is_file():
            self._must("init", "--quiet", "--bare", "--template=", "--", str(self._path), bare=False)
        fixed = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--force")
        serve = (_SERVE,) if self._remote.local else ()
        chosen = (*fixed, *serve, f"--depth={_DEPTH}", "--filter=tree:0")
        self._must("fetch", *chosen, "--", "origin", f"+{ref}:{_OWN}")

    def _must(self, *arguments: str, bare: bool = True) -> None:
        result = self._git(*arguments) if bare else self._run(*arguments)
        if not result.ok:
            raise explain(result.message, self._remote, "branch")

    def _git(self, *arguments: str) -> GitResult:
        return self._run(f"--git-dir={self._path}", *arguments)

    def _run(self, *arguments: str) -> GitResult:
        # Under a name: git filters what it fetches from named remotes only.
        named = ("-c", f"remote.origin.url={self._remote.url}")
        return run_git(
            [*named, *arguments],
            folder=self._folder,
            timeout_s=self._timeout_s,
            about=self._remote.shown,
            secrets=self._remote.secrets,
        )
