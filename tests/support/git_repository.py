"""A real git repository that a test fills, commits and rewrites."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from rubrica.model import Snapshot


class Repository:
    """A work tree that a test fills, commits and rewrites."""

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main", *options)

    @property
    def url(self) -> str:
        return self.path.as_uri()

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, input=stdin, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "replace").strip()

    def write(self, name: str | bytes, content: str | bytes = "text\n") -> Path:
        path = self.path / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def clear(self) -> None:
        """Empty the work tree."""
        for path in self.path.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def commit(self, message: str = "change", *options: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message, *options)
        return self.git("rev-parse", "HEAD")


def paths(snapshot: Snapshot) -> list[str]:
    return [file.path for file in snapshot.files]


def reasons(snapshot: Snapshot) -> dict[str, str]:
    return {item.path: item.reason for item in snapshot.skipped}
