"""Addresses of git repositories: what is accepted, what git is given and what people see.

A password in an HTTP address never reaches a command line, a log or the mirror's configuration: it
is taken out of the address and handed to git in the environment.
"""

from __future__ import annotations

import base64
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, quote, unquote, urlsplit

from rubrica.errors import ConfigurationError
from rubrica.identity import digest
from rubrica.log import hide_secrets
from rubrica.model import SourceSpec

TRANSPORTS = ("file", "git", "http", "https", "ssh")
"""What git may speak; ``ext::`` and other helpers would run any command."""

_TOKEN_USER = "x-access-token"  # noqa: S105 — a name, which GitHub wants and others take

_NO_STORAGE = frozenset({"http", "https", "data", "generic", "dir", "reference", "dask", "asynclocal"}) | {
    "cached",
    "simplecache",
    "filecache",
    "blockcache",
    "asyncwrapper",
    "async_wrapper",
}
"""Names of fsspec that list no files, or that wrap another file system."""

_HINT = "Use https://host/path, ssh://user@host/path, user@host:path or the path of a local repository."
_SCP_LIKE = re.compile(
    r"(?:[A-Za-z0-9_][\w.+-]*@)?(?:[A-Za-z0-9_][\w.-]*|\[[0-9A-Fa-f:]+\]):(?!:)(?P<path>[^-].*)"
)
_UNSAFE = re.compile(r"[\x00-\x1f\x7f]")
_LOGIN = re.compile(r"(?<=://)[^/\s]*@")


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository that git can fetch from.

    Attributes:
        url: Address for git's command line, free of passwords.
        shown: Address for people and logs, free of logins and queries.
        local: Whether it is on this machine's disk.
        secrets: Git configuration that carries the login; goes into git's environment only.
    """

    url: str
    shown: str
    local: bool
    secrets: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def key(self) -> str:
        """Digest that names the repository; a new password leaves it alone."""
        return digest("git", self.url.rstrip("/").removesuffix(".git"))

    def redact(self, text: str) -> str:
        """Text of git with every login and query taken out."""
        return _LOGIN.sub("", text.replace(self.url, self.shown))


def shown_location(spec: SourceSpec) -> str:
    """Where a source is, for people and logs: without login; also where the address is not valid."""
    if spec.kind == "folder":
        return spec.location
    with suppress(ConfigurationError):
        if spec.kind == "git":
            return parse_remote(spec.location).shown
    return hide_secrets(shown_url(spec.location))


def shown_url(url: str) -> str:
    """A URL without login, query and fragment."""
    return _LOGIN.sub("", re.split(r"[?#]", url, maxsplit=1)[0])


def has_password(location: str) -> bool:
    """Whether an address carries a login with a password."""
    return ":" in location.partition("://")[2].partition("/")[0].rpartition("@")[0]


def check_site(location: str) -> None:
    """Refuse what is not the address of a web site.

    Raises:
        ConfigurationError: It is not one; an address with a login is not repeated.
    """
    hint = "Use https://host/path; a login goes into `auth_env`."
    try:
        parts = urlsplit(location)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise ConfigurationError("The site's address is not a valid URL.", hint=hint) from None
    if _UNSAFE.search(location) or location != location.strip():
        raise ConfigurationError("The site's address holds control characters or spaces.", hint=hint)
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigurationError("The site's address is no http or https URL.", hint=hint)
    if parts.username is not None:
        raise ConfigurationError("A login must not stand in the site's address.", hint=hint)


def check_storage(location: str) -> None:
    """Refuse what is not the address of an object storage that fsspec knows.

    Raises:
        ConfigurationError: It is not one; an address with a login is not repeated.
    """
    hint = "Use s3://bucket/prefix, gs://…, az://…, sftp://… or another protocol of fsspec."
    scheme, found, rest = location.partition("://")
    if _UNSAFE.search(location) or not found or not rest.strip("/") or "::" in location:
        raise ConfigurationError("The storage's address is not protocol://place.", hint=hint)
    if has_password(location):
        raise ConfigurationError("A password must not stand in the storage's address.", hint=hint)
    if not is_storage(location):
        raise ConfigurationError(f"{scheme!r} is not a protocol of object storage.", hint=hint)


def is_sitemap(location: str) -> bool:
    """Whether an address is, by its look, that of a web site's sitemap."""
    path = re.split(r"[?#]", location, maxsplit=1)[0].lower()
    return path.startswith(("http://", "https://")) and path.endswith((".xml", ".xml.gz"))


def with_login(location: str, login: str) -> str:
    """An http(s) address of a repository with a login put in.

    Args:
        location: The address.
        login: ``user:password``, or a token alone.

    Raises:
        ConfigurationError: The address is no http(s) address, or has a login already.
    """
    parts = urlsplit(location)
    if parts.scheme not in ("http", "https") or parts.username is not None:
        raise ConfigurationError(
            "Only an http or https address without a login takes `auth_env`.",
            hint="SSH addresses log in with a key.",
        )
    user, found, password = login.partition(":")
    if not found:
        user, password = _TOKEN_USER, login
    return parts._replace(netloc=f"{quote(user, '')}:{quote(password, '')}@{parts.netloc}").geturl()


def is_storage(location: str) -> bool:
    """Whether fsspec knows a file system of that address, other than those that list no files."""
    from fsspec.registry import known_implementations  # type: ignore[import-untyped]  # noqa: PLC0415

    scheme = location.partition("://")[0]
    return scheme in known_implementations and scheme not in _NO_STORAGE


def is_scp_like(location: str) -> bool:
    """Whether ``location`` is git's short form of an SSH address, ``user@host:path``."""
    return "://" not in location and _SCP_LIKE.fullmatch(location) is not None


def is_url(location: str) -> bool:
    """Whether ``location`` has the form ``scheme://…``."""
    return "://" in location


def parse_remote(location: str) -> Remote:
    """Check an address and take it apart.

    Args:
        location: URL, ``user@host:path`` or absolute path of a local repository.

    Raises:
        ConfigurationError: The address is not valid or its transport is not allowed. The message
            never repeats an address that could not be taken apart, for it may hold a password.
    """
    if _UNSAFE.search(location) or location != location.strip():
        raise _invalid("The repository's address holds control characters or spaces at its ends.")
    if Path(location).is_absolute():
        return Remote(url=location, shown=location, local=True)
    if is_url(location):
        return _parse_url(location)
    if is_scp_like(location):
        return Remote(url=location, shown=location, local=False)
    raise _invalid("The repository's address is neither a URL nor an absolute path.")


def _parse_url(location: str) -> Remote:
    try:
        parts = urlsplit(location)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise _invalid("The repository's address is not a valid URL.") from None
    if parts.scheme not in TRANSPORTS:
        raise _invalid(f"The transport of the repository's address is not one of {', '.join(TRANSPORTS)}.")
    if parts.scheme == "file":
        return Remote(url=location, shown=location, local=True)
    if not host or host.startswith("-") or (parts.username or "").startswith("-"):
        raise _invalid("The repository's address names no valid host.")
    return _parse_network_url(parts)


def _parse_network_url(parts: SplitResult) -> Remote:
    host = parts.netloc.rpartition("@")[2]
    bare = parts._replace(netloc=host)
    shown = bare._replace(query="", fragment="").geturl()
    if parts.scheme in ("http", "https"):
        secrets = _http_login(parts, f"{parts.scheme}://{host}/")
        return Remote(url=bare.geturl(), shown=shown, local=False, secrets=secrets)
    if parts.password is not None:
        raise _invalid(f"The address of {shown} carries a password, which {parts.scheme} does not use.")
    return Remote(url=parts.geturl(), shown=shown, local=False)


def _http_login(parts: SplitResult, origin: str) -> tuple[tuple[str, str], ...]:
    """Configuration that logs in at ``origin`` and nowhere else."""
    if parts.username is None:
        return ()
    if parts.password is None:
        return ((f"credential.{origin}.username", unquote(parts.username)),)
    login = f"{unquote(parts.username)}:{unquote(parts.password)}"
    token = base64.b64encode(login.encode()).decode()
    return ((f"http.{origin}.extraHeader", f"Authorization: Basic {token}"),)


def _invalid(reason: str) -> ConfigurationError:
    return ConfigurationError(reason, hint=_HINT)
