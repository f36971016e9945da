"""What the kinds of sources can be told besides where they are, and how it is checked.

Options are stored with the source, shown to people and handed between processes, so they never hold a
secret: a login stands in an environment variable, and the option names that variable.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from rubrica.errors import ConfigurationError

VARIABLE_PREFIX = "env:"

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_SECRET_KEY = re.compile(
    r"secret|passw|passphrase|token|credential|private_key|pkey|account_key|api_key|sas|conn.*str"
    r"|authori[sz]ation|cookie|(?:^|_)(?:auth|signature)$"
)
_HARMLESS_VALUES = frozenset({"", "anon", "cloud", "cache", "browser", "google_default"})
"""Words that ``token`` and ``credential`` of gcsfs and adlfs take besides secrets."""


class _Options(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GitOptions(_Options):
    """Options of a git repository.

    Attributes:
        auth_env: Variable that holds ``user:password`` or a token; https only.
    """

    auth_env: str = ""

    @field_validator("auth_env")
    @classmethod
    def _is_variable(cls, value: str) -> str:
        return checked_variable(value) if value else value


class HttpOptions(GitOptions):
    """Options of a web site.

    Attributes:
        auth_env: Variable that holds ``user:password`` or a bearer token.
        depth: How many folders below its base a listing is followed.
        mark: What tells that a document changed: ``auto`` takes ETag, else Last-Modified, else the
            content; ``content`` reads every document at every look.
        recheck_hours: Hours that a sitemap's unchanged ``lastmod`` is believed; 0: never.
    """

    depth: int = Field(8, ge=0, le=64)
    mark: Literal["auto", "content"] = "auto"
    recheck_hours: int = Field(24, ge=0)


class FolderOptions(_Options):
    """A folder has no options."""


_MODELS: Mapping[str, type[_Options]] = {"git": GitOptions, "folder": FolderOptions, "http": HttpOptions}


def checked_options(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, if the kind knows them.

    Args:
        kind: Kind of the source.
        options: As they were written.

    Raises:
        ConfigurationError: One is unknown, not valid, or holds a secret.
    """
    if "auth_env" in options and kind not in {"git", "http"}:
        hint = "Logins of a storage stand in `options`, as `env:NAME`." if kind == "storage" else "Remove it."
        raise ConfigurationError("auth_env: only for git and http.", hint=hint)
    if kind == "storage":
        _check_storage(options, "options")
        return dict(options)
    model = _MODELS.get(kind, FolderOptions)
    try:
        model.model_validate(dict(options))
    except ValidationError as error:
        key, problem, hint = explain(error, list(model.model_fields))
        raise ConfigurationError(f"options.{key}: {problem}.", hint=hint) from None
    return dict(options)


def explain(error: ValidationError, known: list[str]) -> tuple[str, str, str]:
    """Key, problem and hint of the first fault that pydantic found; the value is never repeated."""
    first = error.errors(include_input=False, include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return key, "the key is not known", did_you_mean(key.rpartition(".")[2], known)
    message = first["msg"].removeprefix("Value error, ").removesuffix(".")
    hint = "Put it into quotes." if first["type"] == "string_type" else ""
    return key, message[:1].lower() + message[1:], hint


def did_you_mean(word: str, known: list[str]) -> str:
    """A hint at the known word that is nearest, or at all of them."""
    near = get_close_matches(word, known, n=1)
    return f"Did you mean `{near[0]}`?" if near else f"Known are: {', '.join(known)}." if known else ""


def checked_variable(name: str) -> str:
    """The name of an environment variable, if it is one; never repeated, for it may be a secret.

    Raises:
        ValueError: It is not one.
    """
    if not _VARIABLE.fullmatch(name):
        raise ValueError("give the name of an environment variable, never the secret itself")
    return name


def from_environment(name: str) -> str:
    """The value of an environment variable that an option names.

    Raises:
        ConfigurationError: It is not set.
    """
    value = os.environ.get(name, "")
    if not value:
        raise ConfigurationError(
            f"The environment variable {name} is not set.",
            hint="Set it where the source is read: for this command and for Airflow's workers.",
        )
    return value


def resolve(value: Any) -> Any:
    """A storage option with every ``env:NAME`` in it replaced by the value of that variable.

    Raises:
        ConfigurationError: A variable is not set.
    """
    if isinstance(value, str) and value.startswith(VARIABLE_PREFIX):
        return from_environment(value.removeprefix(VARIABLE_PREFIX))
    if isinstance(value, Mapping):
        return {key: resolve(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(item) for item in value]
    return value


def _check_storage(value: Any, where: str, *, secret: bool = False) -> None:
    """Refuse what is not JSON, and secrets that stand in the options themselves."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise ConfigurationError(f"{where}: a key is not text.", hint="Put it into quotes.")
            hidden = secret or _SECRET_KEY.search(key.lower().replace("-", "_")) is not None
            _check_storage(item, f"{where}.{key}", secret=hidden)
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            _check_storage(item, f"{where}.{number}", secret=secret)
    elif isinstance(value, str):
        _check_text(value, where, secret=secret)
    elif value is not None and not isinstance(value, bool | int | float):
        raise ConfigurationError(
            f"{where}: {type(value).__name__} cannot be stored.", hint="Put it into quotes."
        )


def _check_text(value: str, where: str, *, secret: bool) -> None:
    hint = f"Write `{VARIABLE_PREFIX}NAME`, where NAME is an environment variable that holds it."
    if value.startswith(VARIABLE_PREFIX):
        if not _VARIABLE.fullmatch(value.removeprefix(VARIABLE_PREFIX)):
            raise ConfigurationError(f"{where}: this is not the name of a variable.", hint=hint)
    elif secret and value not in _HARMLESS_VALUES:
        raise ConfigurationError(f"{where}: a secret must not stand in the options.", hint=hint)
