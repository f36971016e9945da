"""Logins of git repositories that stand in the environment."""

from __future__ import annotations

from rubrica.model import SourceSpec
from sources.location import with_login
from sources.options import from_environment


def git_location(spec: SourceSpec) -> str:
    """The address of a git source, with the login that its option ``auth_env`` names; never to be shown.

    Raises:
        ConfigurationError: The variable is not set, or the address takes no login.
    """
    variable = spec.options.get("auth_env", "")
    return with_login(spec.location, from_environment(variable).strip()) if variable else spec.location
