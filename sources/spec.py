"""Checks declarations, whether they were typed or read from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rubrica.errors import ConfigurationError
from rubrica.model import SourceSpec
from sources.filters import PathFilter
from sources.git import branch_reference
from sources.location import check_site, check_storage, parse_remote, with_login
from sources.naming import checked_name, derived_name
from sources.options import checked_options

KINDS = ("git", "folder", "http", "storage")


def checked_spec(
    kind: str,
    location: str,
    *,
    name: str = "",
    branch: str = "",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
) -> SourceSpec:
    """A declaration whose parts are all valid; nothing is opened or asked.

    Args:
        kind: One of ``KINDS``.
        location: Address, as the kind wants it; the path of a folder is absolute.
        name: Name of the source; empty derives one from the address: stable, ASCII, and different
            for different addresses and branches.
        branch: Branch to follow; git only.
        include: Globs of paths to take (see ``sources.filters``).
        exclude: Globs of paths to leave out.
        options: Options of the kind.

    Raises:
        ConfigurationError: Kind, address, name, branch, a glob or an option is not valid.
    """
    _check_storable([location, *include, *exclude, options or {}])
    _check_location(kind, location)
    if branch and kind != "git":
        raise ConfigurationError(f"{location} is no git repository and has no branch {branch!r}.")
    branch_reference(branch)
    PathFilter(include, exclude)
    checked = checked_options(kind, options or {})
    if kind == "git" and checked.get("auth_env"):
        with_login(location, "checked:here")
    return SourceSpec(
        name=checked_name(name) if name else derived_name(kind, location, branch),
        kind=kind,
        location=location,
        branch=branch,
        include=tuple(include),
        exclude=tuple(exclude),
        options=checked,
    )


def _check_storable(value: Any) -> None:
    """Refuse text that PostgreSQL does not take: U+0000 and halves of letters."""
    if isinstance(value, str):
        if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in value):
            raise ConfigurationError("The declaration holds an empty or not valid character.")
    elif isinstance(value, Mapping):
        _check_storable([*value.keys(), *value.values()])
    elif isinstance(value, list | tuple):
        for item in value:
            _check_storable(item)


def _check_location(kind: str, location: str) -> None:
    if not location.strip() or "\0" in location:
        raise ConfigurationError("The address of the source is empty or not valid.")
    if kind == "git":
        parse_remote(location)
    elif kind == "http":
        check_site(location)
    elif kind == "storage":
        check_storage(location)
    elif kind != "folder":
        raise ConfigurationError(f"{kind!r} is not a kind of source.", hint=f"Use one of {', '.join(KINDS)}.")
    elif not Path(location).is_absolute():
        raise ConfigurationError(f"The path {location} is not absolute.")
