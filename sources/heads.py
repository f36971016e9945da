"""The newest revision of a source, as cheaply as its kind allows: what a poll asks for."""

from __future__ import annotations

from rubrica.errors import SourceError
from rubrica.model import SourceSpec
from rubrica.settings import Settings
from sources.factory import open_source
from sources.git import branch_reference
from sources.git_command import run_git
from sources.git_errors import explain
from sources.location import parse_remote
from sources.logins import git_location
from sources.mirror import SERVE_ANY_OWNER

_LONGEST_S = 60
"""A poll comes again; nobody waits for it as for a fetch."""


def newest_revision(spec: SourceSpec, settings: Settings) -> str:
    """The revision that a run which started now would bring the index to.

    Of a git repository only the head of the branch is asked for; any other source is listed.

    Args:
        spec: The source.
        settings: Limits, and the home folder.

    Raises:
        ConfigurationError: The declaration is not valid.
        SourceError: The source or its branch does not exist, or access is refused.
        SourceUnavailableError: The source does not answer right now.
    """
    if spec.kind == "git":
        return _head(spec, settings)
    return open_source(spec, settings).snapshot().revision


def _head(spec: SourceSpec, settings: Settings) -> str:
    remote, reference = parse_remote(git_location(spec)), branch_reference(spec.branch)
    folder = settings.home / "mirrors"
    folder.mkdir(parents=True, exist_ok=True)
    options = [SERVE_ANY_OWNER] if remote.local else []
    result = run_git(
        ["ls-remote", "--quiet", *options, "--", remote.url, reference],
        folder=folder,
        timeout_s=min(settings.sources.git_timeout_s, _LONGEST_S),
        about=remote.shown,
        secrets=remote.secrets,
    )
    if not result.ok:
        raise explain(result.message, remote, reference)
    for line in result.output.decode("utf-8", "replace").splitlines():
        commit, _, name = line.partition("\t")
        if name == reference:  # git takes the name for the end of a longer one, too
            return commit
    raise SourceError(
        f"{remote.shown} has no {reference}.",
        hint="Check the branch; an empty repository needs a first commit.",
    )
