"""The system user that PostgreSQL runs as."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from rubrica.errors import FatalError

_UNPRIVILEGED = "nobody"

# Nothing may be imported after setuid: the user may not be able to read Python's library.
_SWITCH = """\
import os, sys
os.setgroups([])
os.setgid(int(sys.argv[2]))
os.setuid(int(sys.argv[1]))
os.execv(sys.argv[3], sys.argv[3:])
"""


@dataclass(frozen=True, slots=True)
class Account:
    """A system user; an empty name means the caller."""

    name: str = ""
    uid: int = -1
    gid: int = -1

    @classmethod
    def pick(cls, data: Path) -> Account:
        """The caller; for root the owner of the data, or ``nobody`` when there are none yet.

        Raises:
            FatalError: The caller is root and the system has no such user.
        """
        if os.geteuid() != 0:
            return cls()
        owner = data.stat().st_uid if data.exists() else 0
        try:
            entry = pwd.getpwuid(owner) if owner else pwd.getpwnam(_UNPRIVILEGED)
        except KeyError as error:
            raise FatalError(
                f"PostgreSQL cannot run as root, and this system has no user `{owner or _UNPRIVILEGED}`.",
                stage="postgres",
                hint="Run `rubrica up` as another user.",
            ) from error
        return cls(entry.pw_name, entry.pw_uid, entry.pw_gid)

    def wrap(self, command: list[str]) -> list[str]:
        """The command that runs ``command``, which begins with a path, as this user in the same process.

        Not ``subprocess``'s ``user``: with it Python forks, where else it would vfork, and the fork
        handlers of libraries with threads (gRPC's) may crash the child.
        """
        if not self.name:
            return command
        return [sys.executable, "-I", "-S", "-c", _SWITCH, str(self.uid), str(self.gid), *command]

    def run(
        self, command: list[str], *, stdin: str = "", mark: Mapping[str, str] = MappingProxyType({})
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end as this user.

        Args:
            command: Program and arguments.
            stdin: What it reads.
            mark: Variables by which it is found again when its parent is killed.
        """
        return subprocess.run(
            self.wrap(command),
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env={**os.environ, **mark},
            timeout=300,
        )

    def can_run(self, command: list[str]) -> bool:
        """Whether a command can be run and ends well as this user."""
        try:
            return self.run(command).returncode == 0
        except OSError:
            return False

    def can_enter(self, folder: Path) -> bool:
        """Whether this user may enter a folder."""
        return self.can_run([shutil.which("test") or "/usr/bin/test", "-x", str(folder)])

    def own(self, path: Path) -> None:
        """Give a file or folder to this user."""
        if self.name:
            os.chown(path, self.uid, self.gid)
