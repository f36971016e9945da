"""Running git: as a list of arguments, in a clean environment, within a time limit."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rubrica.errors import SourceError, SourceUnavailableError
from sources.location import TRANSPORTS

_INHERITED = re.compile(
    r"GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_\w+|HTTP_\w+|EXEC_PATH"
    r"|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+))"
)
"""Git's variables that speak of the user's network and configuration.

All others are dropped: in a hook, git sets ``GIT_DIR`` and its like, which would lead it to another
repository; traces would print passwords.
"""

_ENVIRONMENT = {
    "LC_ALL": "C",  # errors are told apart by their English text
    "GIT_ALLOW_PROTOCOL": ":".join(TRANSPORTS),
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "GIT_NO_LAZY_FETCH": "1",  # a hostile partial clone could name a command to fetch with
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}
_CONFIG = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.quotePath=false",
    # Maintenance that went on in the background would outlive the mirror's lock.
    "gc.autoDetach=false",
    "maintenance.autoDetach=false",
)
_GRACE_S = 5


@dataclass(frozen=True, slots=True)
class GitResult:
    """What a git command gave.

    Attributes:
        code: Exit status.
        output: Standard output.
        message: Standard error.
    """

    code: int
    output: bytes
    message: str

    @property
    def ok(self) -> bool:
        """Whether the command succeeded."""
        return self.code == 0


def run_git(
    arguments: Sequence[str],
    *,
    folder: Path,
    timeout_s: float,
    about: str,
    secrets: Sequence[tuple[str, str]] = (),
    stdin: bytes = b"",
) -> GitResult:
    """Run one git command to its end.

    Args:
        arguments: What follows ``git``; not interpreted by any shell.
        folder: Where it runs.
        timeout_s: Longest time, in seconds; then git and all it started are ended.
        about: What it works on, for the error.
        secrets: Configuration that must not show in the list of processes.
        stdin: Standard input.

    Raises:
        SourceUnavailableError: It took too long.
        SourceError: Git is not installed.
    """
    options = [part for item in _CONFIG for part in ("-c", item)]
    try:
        # A session of its own: no terminal to prompt on, and a group that can be ended as a whole.
        process = subprocess.Popen(
            ["git", *options, *arguments],
            cwd=folder,
            env=git_environment(os.environ, secrets),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise SourceError("The command git was not found.", hint="Install git.") from error
    with process:
        try:
            output, message = process.communicate(stdin, timeout_s)
        except subprocess.TimeoutExpired as error:
            raise SourceUnavailableError(
                f"Git did not finish with {about} within {timeout_s:g} seconds.",
                hint="Check the connection or raise RUBRICA_GIT_TIMEOUT_S.",
            ) from error
        finally:
            _end(process)
    return GitResult(process.returncode, output, message.decode("utf-8", "replace"))


def git_environment(inherited: Mapping[str, str], secrets: Sequence[tuple[str, str]] = ()) -> dict[str, str]:
    """The environment of a git command.

    Args:
        inherited: This process's environment.
        secrets: Configuration added to what ``GIT_CONFIG_COUNT`` already counts.
    """
    environment = {
        name: value
        for name, value in inherited.items()
        if not name.startswith("GIT_") or _INHERITED.fullmatch(name)
    } | _ENVIRONMENT
    first = int(environment.get("GIT_CONFIG_COUNT") or 0)
    for number, (key, value) in enumerate(secrets, first):
        environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return environment | {"GIT_CONFIG_COUNT": str(first + len(secrets))}


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that still runs: politely first, so that it frees its locks, then what outlives it."""
    if process.returncode is not None:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
