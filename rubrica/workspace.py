"""The place where a run keeps what is too large for a message: any fsspec URL."""

from __future__ import annotations

import json
import posixpath
import uuid
from typing import Any

import fsspec  # type: ignore[import-untyped]

from rubrica.errors import ConfigurationError, FatalError


class Workspace:
    """Artefacts by key, below one root.

    A write is complete or absent: a reader never sees half a file.
    """

    def __init__(self, url: str) -> None:
        """Open a workspace.

        Args:
            url: A folder, or any URL that fsspec knows (``s3://bucket/prefix``, ``memory://x``).

        Raises:
            ConfigurationError: The URL's protocol is unknown or its library is not installed.
        """
        try:
            self._fs, root = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError) as error:
            raise ConfigurationError(
                f"RUBRICA_WORKSPACE {url!r} cannot be opened: {error}.",
                hint="Use a folder or a URL whose fsspec driver is installed.",
            ) from error
        self._root = root.rstrip("/")

    def _full(self, key: str) -> str:
        normal = posixpath.normpath(key)
        if normal.startswith(("/", "..")) or "\0" in key:
            raise FatalError(f"The workspace key {key!r} leads outside the workspace.")
        return f"{self._root}/{normal}"

    def write(self, key: str, data: bytes) -> str:
        """Store ``data`` under ``key`` and return the key."""
        target = self._full(key)
        self._fs.makedirs(posixpath.dirname(target), exist_ok=True)
        temporary = f"{target}.{uuid.uuid4().hex}.tmp"
        self._fs.pipe_file(temporary, data)
        self._fs.mv(temporary, target)
        return key

    def read(self, key: str) -> bytes:
        """The bytes under ``key``.

        Raises:
            FatalError: Nothing is stored there.
        """
        try:
            data: bytes = self._fs.cat_file(self._full(key))
        except FileNotFoundError as error:
            raise FatalError(f"The workspace holds nothing under {key!r}.") from error
        return data

    def exists(self, key: str) -> bool:
        """Whether something is stored under ``key``."""
        return bool(self._fs.exists(self._full(key)))

    def names(self, key: str) -> list[str]:
        """Names directly below ``key``, sorted; none where there is nothing."""
        folder = self._full(key)
        if not self._fs.exists(folder):
            return []
        return sorted(posixpath.basename(path) for path in self._fs.ls(folder, detail=False))

    def write_json(self, key: str, value: Any) -> str:
        """Store a JSON value under ``key`` and return the key."""
        return self.write(key, json.dumps(value, ensure_ascii=False).encode())

    def read_json(self, key: str) -> Any:
        """The JSON value under ``key``."""
        return json.loads(self.read(key))

    def delete(self, key: str) -> None:
        """Remove ``key`` and everything below it, if there."""
        if self.exists(key):
            self._fs.rm(self._full(key), recursive=True)
