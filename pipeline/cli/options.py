"""Options that stand for settings: errors speak of what the user wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rubrica.errors import ConfigurationError

_SEE_SETTINGS = "See docs/settings.md for every setting."


def option_of(setting: str) -> str:
    """The option that is named like a setting."""
    return "--" + setting.replace("_", "-")


@contextmanager
def named_as_options(options: Mapping[str, str]) -> Iterator[None]:
    """Let errors about settings that were given as options name the options.

    Args:
        options: Option by name of the setting: ``{"max_tokens": "--max-tokens"}``.

    Raises:
        ConfigurationError: The block's own, in other words.
    """
    try:
        yield
    except ConfigurationError as error:
        reason, hint = _worded(error.reason, options), _worded(error.hint, options)
        if reason != error.reason and hint == _SEE_SETTINGS:
            hint = "See `--help`."
        raise ConfigurationError(reason, document=error.document, stage=error.stage, hint=hint) from error


def _worded(text: str, options: Mapping[str, str]) -> str:
    for setting, option in options.items():
        name = rf"RUBRICA_{setting.upper()}\b"
        text = re.sub(name, option, re.sub(rf"{name}=(?=\S)", f"{option} ", text))
    return text
