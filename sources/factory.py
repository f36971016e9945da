"""From what the user typed to a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rubrica.errors import ConfigurationError
from rubrica.model import SourceSpec
from rubrica.settings import Settings
from sources.folder import FolderSource
from sources.git import GitSource
from sources.location import TRANSPORTS, is_scp_like, is_sitemap, is_storage, is_url, parse_remote
from sources.logins import git_location
from sources.protocol import Source
from sources.spec import KINDS, checked_spec

RESERVED = ("**/golden.yaml",)
"""Files that tell Rubrica about a source and are no documents of it: golden questions."""


def open_source(spec: SourceSpec, settings: Settings) -> Source:
    """Open a declared source; nothing is fetched yet.

    Args:
        spec: The declaration.
        settings: Limits, and the home folder, whose ``mirrors`` holds copies of repositories.

    Raises:
        ConfigurationError: The declaration is not valid.
    """
    skipped = map(_suffix_glob, settings.sources.skip_suffixes.split())
    return _open(replace(spec, exclude=(*spec.exclude, *RESERVED, *skipped)), settings)


def open_reserved(spec: SourceSpec, settings: Settings) -> Source | None:
    """Open what a source tells about itself: its ``RESERVED`` files alone.

    Only a repository or a folder has such files: a site or a storage is listed for its documents.
    """
    if spec.kind not in {"git", "folder"}:
        return None
    return _open(replace(spec, include=RESERVED, exclude=()), settings)


def _open(spec: SourceSpec, settings: Settings) -> Source:
    openers = {"git": _open_git, "folder": _open_folder, "http": _open_site, "storage": _open_storage}
    if spec.kind not in openers:
        raise ConfigurationError(
            f"Source {spec.name}: {spec.kind!r} is not a kind of source.",
            hint=f"Use one of {', '.join(KINDS)}.",
        )
    return openers[spec.kind](spec, settings)


def _open_git(spec: SourceSpec, settings: Settings) -> Source:
    return GitSource(
        git_location(spec),
        cache_dir=settings.home / "mirrors",
        branch=spec.branch,
        include=spec.include,
        exclude=spec.exclude,
        timeout_s=settings.sources.git_timeout_s,
        max_file_mb=settings.sources.max_file_mb,
    )


def _open_folder(spec: SourceSpec, settings: Settings) -> Source:
    return FolderSource(
        spec.location,
        include=spec.include,
        exclude=spec.exclude,
        max_file_mb=settings.sources.max_file_mb,
    )


def _open_site(spec: SourceSpec, settings: Settings) -> Source:
    from sources.http.source import HttpSource  # noqa: PLC0415 — loaded by those who read a site

    return HttpSource(
        spec.location,
        options=spec.options,
        state_dir=settings.home / "http",
        include=spec.include,
        exclude=spec.exclude,
        settings=settings.sources,
    )


def _open_storage(spec: SourceSpec, settings: Settings) -> Source:
    from sources.storage.source import StorageSource  # noqa: PLC0415 — loaded by those who read one

    return StorageSource(
        spec.location,
        options=spec.options,
        include=spec.include,
        exclude=spec.exclude,
        settings=settings.sources,
    )


def _suffix_glob(suffix: str) -> str:
    """A glob of a suffix in capitals or not: ``**/*.[pP][nN][gG]``."""
    return "**/*." + "".join(f"[{letter.lower()}{letter.upper()}]" for letter in suffix.lstrip("."))


def spec_from_location(
    location: str,
    *,
    kind: str = "",
    name: str = "",
    branch: str = "",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
) -> SourceSpec:
    """Declare a source from an address.

    Without a kind, a path that exists comes first: it is a git repository when it is the top of a work
    tree or a bare repository, and a plain folder otherwise, also when it lies inside a work tree. Then
    an ``http(s)`` address of a sitemap (``…xml``, ``…xml.gz``) is a web site, an address of a protocol
    that only fsspec knows (``s3://``, ``gs://`` …) is object storage, and every other ``scheme://…`` and
    ``user@host:path`` is a git repository. A listing of files on a web site looks like a repository, so
    its kind must be given.

    Args:
        location: URL, ``user@host:path``, or path of a repository or folder.
        kind: One of ``sources.spec.KINDS``; empty: as the address looks.
        name: Name of the source; empty derives one from the address: stable, ASCII, and different
            for different addresses and branches.
        branch: Branch to follow; git only.
        include: Globs of paths to take (see ``sources.filters``).
        exclude: Globs of paths to leave out.
        options: Options of the kind (see ``sources.options``).

    Raises:
        ConfigurationError: There is nothing at that path, or name, branch, glob or address is not valid.
    """
    if kind in ("", "folder", "git"):
        seen, location = _recognise(location)
        kind = kind or seen
    return checked_spec(
        kind, location, name=name, branch=branch, include=include, exclude=exclude, options=options
    )


def _recognise(location: str) -> tuple[str, str]:
    """Kind and full address of what the user typed."""
    if not location.strip() or "\0" in location:
        raise ConfigurationError("The address of the source is empty or not valid.")
    path = _local_path(location)
    if path is not None:
        return ("git" if _is_repository(path) else "folder"), str(path)
    if is_sitemap(location):
        return "http", location
    if is_url(location) and location.partition("://")[0] not in TRANSPORTS and is_storage(location):
        return "storage", location
    if is_url(location) or is_scp_like(location):
        parse_remote(location)
        return "git", location
    raise ConfigurationError(
        f"There is nothing at {location!r}.",
        hint="Give the path of a folder, the URL of a git repository, a sitemap, or object storage.",
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
