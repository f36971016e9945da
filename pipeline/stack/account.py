"""The system user that PostgreSQL runs as."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rubrica.errors import FatalError

_UNPRIVILEGED = "nobody"


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

    def run(self, command: list[str], *, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command to its end as this user."""
        switch: dict[str, Any] = {}
        if self.name:
            switch = {"user": self.uid, "group": self.gid, "extra_groups": []}
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, check=False, cwd="/", timeout=300, **switch
        )

    def can_run(self, command: list[str]) -> bool:
        """Whether a command runs and ends well as this user."""
        try:
            return self.run(command).returncode == 0
        except OSError:  # the user may not even reach the program
            return False

    def can_enter(self, folder: Path) -> bool:
        """Whether this user may enter a folder."""
        return self.can_run(["test", "-x", str(folder)])

    def own(self, path: Path) -> None:
        """Give a file or folder to this user."""
        if self.name:
            os.chown(path, self.uid, self.gid)
