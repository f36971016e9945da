"""From what the user typed to a source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from slugify import slugify

from rubrica.errors import ConfigurationError
from rubrica.identity import digest
from rubrica.model import SourceSpec
from rubrica.settings import Settings
from sources.filters import PathFilter
from sources.folder import FolderSource
from sources.git import GitSource, branch_reference
from sources.location import is_scp_like, is_url, parse_remote
from sources.protocol import Source

RESERVED = ("**/golden.yaml",)
"""Files that tell Rubrica about a source and are no documents of it: golden questions."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 63
_LONGEST_STEM = 40
_DIGEST_DIGITS = 8


def open_source(spec: SourceSpec, settings: Settings) -> Source:
    """Open a declared source; nothing is fetched yet.

    Args:
        spec: The declaration.
        settings: Limits, and the home folder, whose ``mirrors`` holds copies of repositories.

    Raises:
        ConfigurationError: The declaration is not valid.
    """
    limits = settings.sources
    exclude = (*spec.exclude, *RESERVED, *map(_suffix_glob, limits.skip_suffixes.split()))
    if spec.kind == "git":
        return GitSource(
            spec.location,
            cache_dir=settings.home / "mirrors",
            branch=spec.branch,
            include=spec.include,
            exclude=exclude,
            timeout_s=limits.git_timeout_s,
            max_file_mb=limits.max_file_mb,
        )
    if spec.kind == "folder":
        return FolderSource(
            spec.location, include=spec.include, exclude=exclude, max_file_mb=limits.max_file_mb
        )
    raise ConfigurationError(
        f"Source {spec.name}: {spec.kind!r} is not a kind of source.", hint="Use git or folder."
    )


def _suffix_glob(suffix: str) -> str:
    """A glob of a suffix in capitals or not: ``**/*.[pP][nN][gG]``."""
    return "**/*." + "".join(f"[{letter.lower()}{letter.upper()}]" for letter in suffix.lstrip("."))


def spec_from_location(
    location: str,
    *,
    name: str = "",
    branch: str = "",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> SourceSpec:
    """Declare a source from an address.

    A path that exists comes first; then ``scheme://…`` and ``user@host:path`` are git repositories.
    A folder is a git repository when it is the top of a work tree or a bare repository, and a plain
    folder otherwise, also when it lies inside a work tree.

    Args:
        location: URL, ``user@host:path``, or path of a repository or folder.
        name: Name of the source; empty derives one from the address: stable, ASCII, and different
            for different addresses and branches.
        branch: Branch to follow; git only.
        include: Globs of paths to take (see ``sources.filters``).
        exclude: Globs of paths to leave out.

    Raises:
        ConfigurationError: There is nothing at that path, or name, branch, glob or address is not valid.
    """
    kind, address = _recognise(location)
    if kind == "folder" and branch:
        raise ConfigurationError(f"{address} is a plain folder and has no branch {branch!r}.")
    branch_reference(branch)
    PathFilter(include, exclude)
    return SourceSpec(
        name=_checked_name(name) if name else _derived_name(kind, address, branch),
        kind=kind,
        location=address,
        branch=branch,
        include=tuple(include),
        exclude=tuple(exclude),
    )


def _recognise(location: str) -> tuple[str, str]:
    """Kind and full address of what the user typed."""
    if not location.strip() or "\0" in location:
        raise ConfigurationError("The address of the source is empty or not valid.")
    path = _local_path(location)
    if path is not None:
        return ("git" if _is_repository(path) else "folder"), str(path)
    if is_url(location) or is_scp_like(location):
        parse_remote(location)
        return "git", location
    raise ConfigurationError(
        f"There is nothing at {location!r}.",
        hint="Give the path of a folder or the URL of a git repository.",
    )


def _local_path(location: str) -> Path | None:
    try:
        path = Path(location).expanduser()
        if path.is_dir():
            return path.resolve()
        exists = path.exists()
    except (OSError, RuntimeError):  # a name too long for the disk; an unknown user behind ~
        return None
    if exists:
        raise ConfigurationError(
            f"{path} is a file.", hint="Give its folder, and name the file with an include glob."
        )
    return None


def _is_repository(path: Path) -> bool:
    bare = (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()
    return bare or (path / ".git").exists()


def _checked_name(name: str) -> str:
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"{name!r} is not a valid name of a source.",
            hint=f"Use a-z, 0-9 and single hyphens between them, at most {_LONGEST_NAME} in all.",
        )
    return name


def _derived_name(kind: str, address: str, branch: str) -> str:
    """Last part of the address, and a digest of all of it: two ``docs`` must not be taken for one."""
    if kind == "git":
        remote = parse_remote(address)
        identity, address = remote.key, remote.shown
    else:
        identity = digest("folder", address)
    last = re.split(r"[/:]", address.rstrip("/").removesuffix(".git"))[-1]
    stem = slugify(last, max_length=_LONGEST_STEM, backend="text-unidecode") or "source"
    return f"{stem}-{digest(identity, branch)[:_DIGEST_DIGITS]}"
