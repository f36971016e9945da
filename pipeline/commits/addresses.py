"""Tells whether two addresses lead to one repository, however each is written."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote, urlsplit

_SCP_LIKE = re.compile(r"(?:[^@/\s]+@)?(?P<host>\[[0-9A-Fa-f:]+\]|[^:/@\s]+):(?P<path>[^\s]+)")
_BITBUCKET_PREFIX = "scm/"  # Bitbucket Data Center's, over HTTP and not over SSH


def repository_key(location: str) -> str:
    """What all addresses of one repository have in common; empty where it is no address.

    Transport, login, port, ``.git`` and the case of letters make no difference: a host that serves two
    repositories so is rarer than one that is written in two ways, and a run too many does no harm.

    Args:
        location: URL, ``user@host:path`` or absolute path.
    """
    if location.startswith("/"):
        return _local(location)
    if "://" in location:
        return _of_url(location)
    match = _SCP_LIKE.fullmatch(location)
    return _remote(match["host"], match["path"]) if match else ""


def _of_url(location: str) -> str:
    try:
        parts = urlsplit(location)
        host = parts.hostname or ""
    except ValueError:
        return ""
    if parts.scheme == "file":
        return _local(unquote(parts.path))
    return _remote(host, unquote(parts.path))


def _local(path: str) -> str:
    return f"file:{posixpath.normpath(path).removesuffix('.git')}" if path.strip("/") else ""


def _remote(host: str, path: str) -> str:
    inner = path.casefold().strip("/").removesuffix(".git").removeprefix(_BITBUCKET_PREFIX)
    return f"{host.casefold().strip('[]')}/{inner}" if host and inner else ""
