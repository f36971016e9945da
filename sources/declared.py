"""Sources that a file declares.

The file is YAML, and hostile until it has been read: its size, its depth and its keys are checked,
references inside it are refused, and a fault is told with the file, the source and the key.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from dotenv import dotenv_values
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from rubrica.errors import ConfigurationError
from rubrica.model import SourceSpec
from rubrica.settings import Settings
from sources.location import has_password
from sources.naming import checked_name
from sources.options import checked_variable, did_you_mean, explain
from sources.spec import KINDS, checked_spec
from sources.strict_yaml import read_yaml

FILE_NAME = "sources.yaml"

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"(\d{1,6})([smhd])")
_NEVER = "never"


@dataclass(frozen=True, slots=True)
class DeclaredSource:
    """A source as the file declares it.

    Attributes:
        spec: What is read, and how.
        poll_s: Seconds between two looks at it; ``None``: it is never polled.
        webhook_secret_env: Environment variable with the secret of its webhook; empty: the common
            ``RUBRICA_WEBHOOK_SECRET``.
    """

    spec: SourceSpec
    poll_s: int | None
    webhook_secret_env: str = ""


def declared_sources(settings: Settings) -> tuple[DeclaredSource, ...]:
    """The sources that the file of the settings declares; none where there is no such file.

    Raises:
        ConfigurationError: The file is not valid, or ``RUBRICA_SOURCES_FILE`` names none.
    """
    path = sources_file(settings)
    if not settings.sources.sources_file and not path.exists():
        return ()
    return load_declared(path, default_poll_s=settings.sources.poll_s)


def webhook_secrets(settings: Settings, variable: str = "") -> tuple[str, ...]:
    """The secrets of a webhook as they are set now; several while one is replaced, none where none is set.

    Args:
        settings: The common secret, and the home whose ``settings.env`` may hold the others.
        variable: What a source's ``webhook_secret_env`` names; empty: the common secret.
    """
    if not variable:
        return tuple(settings.commits.webhook_secret.get_secret_value().split())
    found = os.environ.get(variable) or dotenv_values(settings.home / "settings.env").get(variable)
    return tuple((found or "").split())


def sources_file(settings: Settings) -> Path:
    """Where sources are declared; a relative ``RUBRICA_SOURCES_FILE`` begins at the home."""
    return settings.home / Path(settings.sources.sources_file or FILE_NAME).expanduser()


def load_declared(path: Path, *, default_poll_s: int = 300) -> tuple[DeclaredSource, ...]:
    """Read a file of sources.

    Args:
        path: The file; relative paths of folders and repositories in it begin where it lies.
        default_poll_s: Seconds between two looks at a source that does not say.

    Returns:
        The sources, in the order of the file.

    Raises:
        ConfigurationError: The file cannot be read or is not valid; the message names the file, the
            source and the key.
    """
    content = read_yaml(path)
    if content is None:
        return ()
    if not isinstance(content, dict):
        raise ConfigurationError(f"{path}: it is not a mapping.", hint="Begin it with `sources:`.")
    unknown = [str(key) for key in content if key != "sources"]
    if unknown:
        raise ConfigurationError(
            f"{path}: the key {unknown[0]!r} is not known.", hint=did_you_mean(unknown[0], ["sources"])
        )
    entries = content.get("sources") or {}
    if not isinstance(entries, dict):
        raise ConfigurationError(
            f"{path}: `sources` is not a mapping of names.", hint="Write `name: {git: https://…}` below it."
        )
    return tuple(_declared(path, name, entry, default_poll_s) for name, entry in entries.items())


# --- One entry ------------------------------------------------------------------------------------


def _seconds(value: object) -> object:
    """Seconds of ``30s``, ``5m``, ``1h``, ``2d``; ``None`` of ``never``."""
    if value == _NEVER:
        return None
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None or not int(match[1]):
        raise ValueError("write a duration as 30s, 5m, 1h or 1d, or `never`")
    return int(match[1]) * _UNITS[match[2]]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    git: str = ""
    folder: str = ""
    http: str = ""
    storage: str = ""
    branch: str = ""
    include: list[str] = Field(default_factory=list)
    exclude: list[str] = Field(default_factory=list)
    poll: Annotated[int | None, BeforeValidator(_seconds)] = None
    webhook_secret_env: str = ""
    auth_env: str = ""
    options: dict[str, Any] = Field(default_factory=dict)

    @field_validator("webhook_secret_env", "auth_env")
    @classmethod
    def _is_variable(cls, value: str) -> str:
        return checked_variable(value)

    def place(self) -> tuple[str, str]:
        """Kind and location.

        Raises:
            ConfigurationError: There is none, or more than one.
        """
        given = [kind for kind in KINDS if kind in self.model_fields_set]
        if len(given) != 1:
            raise ConfigurationError(
                f"{' and '.join(given)} stand together" if given else "it names no place",
                hint=f"Write exactly one of {', '.join(KINDS)}.",
            )
        return given[0], getattr(self, given[0])


def _declared(path: Path, name: object, content: object, default_poll_s: int) -> DeclaredSource:
    where = f"{path}: source {str(name)!r}"
    if not isinstance(name, str):
        raise ConfigurationError(f"{where}: the name is not text.", hint="Put it into quotes.")
    if not isinstance(content, Mapping):
        raise ConfigurationError(f"{where}: it is not a mapping.", hint="Write `{git: https://…}`.")
    entry = _entry(where, content)
    try:
        return _checked(path.parent, name, entry, default_poll_s)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error.reason.rstrip('.')}.", hint=error.hint) from None


def _entry(where: str, content: Mapping[Any, Any]) -> _Entry:
    if not all(isinstance(key, str) for key in content):
        raise ConfigurationError(f"{where}: a key is not text.", hint="Put it into quotes.")
    try:
        return _Entry.model_validate(dict(content))
    except ValidationError as error:
        key, problem, hint = explain(error, list(_Entry.model_fields))
        raise ConfigurationError(f"{where}: {key}: {problem}.", hint=hint) from None


def _checked(folder: Path, name: str, entry: _Entry, default_poll_s: int) -> DeclaredSource:
    checked_name(name)
    kind, location = entry.place()
    if has_password(location):
        raise ConfigurationError(
            f"{kind}: a login must not stand in the address",
            hint="Name an environment variable that holds it: `auth_env: NAME`, or options of a storage.",
        )
    if entry.webhook_secret_env and kind != "git":
        hint = "Other kinds are polled: `poll: 5m`."
        raise ConfigurationError("webhook_secret_env: only git repositories send webhooks", hint=hint)
    options = entry.options | ({"auth_env": entry.auth_env} if entry.auth_env else {})
    spec = checked_spec(
        kind,
        _absolute(folder, kind, location),
        name=name,
        branch=entry.branch,
        include=entry.include,
        exclude=entry.exclude,
        options=options,
    )
    poll_s = entry.poll if "poll" in entry.model_fields_set else default_poll_s
    return DeclaredSource(spec, poll_s, entry.webhook_secret_env)


def _absolute(folder: Path, kind: str, location: str) -> str:
    """A path from the file's folder on; addresses stay as they are."""
    is_path = kind == "folder" or (kind == "git" and location.startswith((".", "~")))
    if not is_path or not location.strip() or "\0" in location:
        return location
    try:
        return str((folder / Path(location).expanduser()).resolve())
    except (OSError, RuntimeError):
        raise ConfigurationError(f"{kind}: the path {location!r} is not valid") from None
