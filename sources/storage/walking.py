"""Lists what lies below a folder of a file system, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fsspec.asyn import AsyncFileSystem  # type: ignore[import-untyped]
from fsspec.implementations.ftp import FTPFileSystem  # type: ignore[import-untyped]
from fsspec.spec import AbstractFileSystem  # type: ignore[import-untyped]

from rubrica.errors import SourceError, SourceUnavailableError
from sources.location import shown_url
from sources.storage.opening import explained

_DEEPEST = 64
_MOST_FOLDERS = 1_000_000

Object = tuple[str, Mapping[str, Any]]
"""A full name, and what fsspec tells about it."""


def objects_below(
    system: Any, root: str, location: str, *, enters: Callable[[str], bool] = lambda _: True
) -> Iterator[Object]:
    """Every object below a folder, once each.

    fsspec's own way through folders leaves out those that cannot be listed, and says nothing. It is
    gone only where a driver brings a way of its own (one listing of a prefix, as object storages have).

    Args:
        system: A file system of fsspec.
        root: Full name of the folder, without a slash at its end.
        location: Its address, for errors.
        enters: Whether a folder, by its path below the root, may hold anything that is wanted.

    Raises:
        SourceError: There is no such folder, access is refused, or folders never end.
        SourceUnavailableError: A folder cannot be listed right now.
    """
    if _finds_by_itself(type(system)):
        with explained(location):
            found = system.find(root, detail=True)
        return iter(found.items())
    return _walk(system, root, location, enters)


def _finds_by_itself(kind: type) -> bool:
    generic = (AbstractFileSystem.find, AsyncFileSystem._find)  # noqa: SLF001 - what drivers override
    return any(getattr(kind, name, generic[0]) not in generic for name in ("find", "_find"))


def _walk(system: Any, root: str, location: str, enters: Callable[[str], bool]) -> Iterator[Object]:
    prefix = f"{root}/" if root else ""
    pending, seen, folders = [(root, 0)], {root}, 0
    while pending:
        folder, depth = pending.pop()
        folders += 1
        _check_end(folders, depth, location)
        for info in _list(system, folder, root, location):
            name = str(info["name"]).rstrip("/")
            if name in seen:
                continue
            seen.add(name)
            if info.get("type") != "directory":
                yield name, info
            elif name.startswith(prefix) and enters(name.removeprefix(prefix)):
                pending.append((name, depth + 1))


def _list(system: Any, folder: str, root: str, location: str) -> list[Mapping[str, Any]]:
    shown = location.rstrip("/") + folder.removeprefix(root)
    with explained(shown):
        try:
            return _ask(system, folder)
        except (FileNotFoundError, NotADirectoryError) as error:
            if folder == root:
                raise
            # Some drivers say so of every failure, and what was listed a moment ago is hardly gone.
            raise SourceUnavailableError(
                f"{shown_url(shown)} can no longer be listed.", hint="Try again later."
            ) from error


def _ask(system: Any, folder: str) -> list[Mapping[str, Any]]:
    found = list(system.ls(folder, detail=True))
    if not found and isinstance(system, FTPFileSystem):
        # It takes a folder that cannot be listed for an empty one; the server knows better.
        system.ftp.dir(folder or "/", lambda _: None)
    return found


def _check_end(folders: int, depth: int, location: str) -> None:
    """Stop where links among folders lead in a circle, which gives ever longer names."""
    if folders > _MOST_FOLDERS or depth > _DEEPEST:
        raise SourceError(
            f"{shown_url(location)} has too many folders, or folders that lie too deep.",
            hint="Leave them out with exclude globs, and check for links that lead in a circle.",
        )
