"""Opens file systems of fsspec, and says what their errors mean."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import fsspec  # type: ignore[import-untyped]
from fsspec.registry import known_implementations  # type: ignore[import-untyped]

from rubrica.errors import ConfigurationError, SourceError, SourceUnavailableError
from sources.location import check_storage, shown_url
from sources.options import resolve

_PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "adl": "adlfs",
    "sftp": "paramiko",
    "ssh": "paramiko",
    "smb": "smbprotocol",
    "oss": "ossfs",
    "webdav": "webdav4",
    "hdfs": "pyarrow",
    "hf": "huggingface-hub",
}
_OF_DRIVERS = (
    ("botocore.exceptions", "BotoCoreError"),
    ("botocore.exceptions", "ClientError"),
    ("azure.core.exceptions", "AzureError"),
    ("google.auth.exceptions", "GoogleAuthError"),
    ("gcsfs.retry", "HttpError"),
    ("aiohttp", "ClientError"),
    ("paramiko", "SSHException"),
    ("ftplib", "Error"),
    ("smbprotocol.exceptions", "SMBException"),
    ("webdav4.client", "ClientError"),
    ("httpx", "HTTPError"),
    ("zipfile", "BadZipFile"),
    ("tarfile", "TarError"),
)
"""Errors of drivers that are no ``OSError``."""

_REFUSING_CODES = frozenset({"BlobArchived", "BlobBeingRehydrated"})
_REFUSING_WORDS = re.compile(r"Forbidden: |550 ")
"""How errors of gcsfs (an ``OSError``) and of FTP begin that refuse one object."""

_LOGIN_REFUSED = "530 "


def open_storage(location: str, options: Mapping[str, Any]) -> tuple[Any, str]:
    """A file system and the path of its folder.

    Every call opens one of its own, without what an earlier one has cached.

    Args:
        location: URL of a folder.
        options: For the driver; values ``env:NAME`` are read from the environment.

    Raises:
        ConfigurationError: The address or an option is not valid, a variable is not set, or the driver
            is not installed.
        SourceError: The driver refuses.
        SourceUnavailableError: The storage does not answer.
    """
    check_storage(location)
    arguments = {"skip_instance_cache": True, "use_listings_cache": False} | resolve(options)
    protocol = location.partition("://")[0]
    try:
        with explained(location):
            system, root = fsspec.url_to_fs(location, **arguments)
    except ImportError as error:
        package = _PACKAGES.get(protocol, "")
        named = f"`pip install {package}`" if package else str(known_implementations[protocol].get("err", ""))
        raise ConfigurationError(
            f"The driver of {protocol}:// is not installed.",
            hint=f"Install it where sources are read: {named}",
        ) from error
    return system, str(root).rstrip("/")


@contextmanager
def explained(location: str) -> Iterator[None]:
    """Turn what a driver raises into errors of ours; its messages may hold secrets and are not shown."""
    shown = shown_url(location)
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise SourceError(f"There is nothing at {shown}.", hint="Check the address.") from error
    except PermissionError as error:
        raise SourceError(f"{shown} refuses access.", hint="Check the options that log in.") from error
    except TypeError as error:
        raise ConfigurationError(
            f"The driver of {shown} does not take these options.", hint="See the driver's documentation."
        ) from error
    except driver_errors() as error:
        if str(error).startswith(_LOGIN_REFUSED):
            raise SourceError(f"{shown} refuses access.", hint="Check the options that log in.") from error
        raise SourceUnavailableError(
            f"{shown} cannot be read ({_cause(error)}).", hint="Check address and options, then try again."
        ) from error


def is_refused(error: Exception) -> bool:
    """Whether an error that came of one object may be that object's own: no permission, an archive."""
    if isinstance(error, PermissionError) or _REFUSING_WORDS.match(str(error)):
        return True
    return any(getattr(item, "error_code", "") in _REFUSING_CODES for item in (error, error.__cause__))


def driver_errors() -> tuple[type[Exception], ...]:
    """What drivers raise: of those that are loaded, and in general; nothing is imported for it."""
    loaded = (getattr(sys.modules.get(module), name, None) for module, name in _OF_DRIVERS)
    of_drivers = (kind for kind in loaded if isinstance(kind, type) and issubclass(kind, Exception))
    return (OSError, ValueError, EOFError, *of_drivers)


def _cause(error: Exception) -> str:
    strerror = getattr(error, "strerror", None)
    return strerror if isinstance(strerror, str) and strerror else type(error).__name__
