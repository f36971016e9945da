"""Names of sources."""

from __future__ import annotations

import re

from slugify import slugify

from rubrica.errors import ConfigurationError
from rubrica.identity import digest
from sources.location import parse_remote

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 63
_LONGEST_STEM = 40
_DIGEST_DIGITS = 8


def checked_name(name: str) -> str:
    """The name, if it is one.

    Raises:
        ConfigurationError: It is not a slug.
    """
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"{name!r} is not a valid name of a source.",
            hint=f"Use a-z, 0-9 and single hyphens between them, at most {_LONGEST_NAME} in all.",
        )
    return name


def derived_name(kind: str, address: str, branch: str) -> str:
    """Last part of the address, and a digest of all of it: two ``docs`` must not be taken for one."""
    if kind == "git":
        remote = parse_remote(address)
        identity, address = remote.key, remote.shown
    else:
        identity = digest(kind, address)
    last = re.split(r"[/:]", address.rstrip("/").removesuffix(".git"))[-1]
    stem = slugify(last, max_length=_LONGEST_STEM, backend="text-unidecode") or "source"
    return f"{stem}-{digest(identity, branch)[:_DIGEST_DIGITS]}"
