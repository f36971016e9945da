"""The declared sources, for a process that lives long: read anew when the file changes."""

from __future__ import annotations

import threading

from rubrica.errors import ConfigurationError
from rubrica.log import get_logger
from rubrica.settings import Settings
from sources.declared import DeclaredSource, declared_sources, sources_file

_log = get_logger(__name__)

_Version = tuple[str, int, int, int]


class DeclaredFile:
    """The file of sources; its methods may run in several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version: _Version | None = None
        self._sources: tuple[DeclaredSource, ...] = ()
        self._valid = True
        self._known = False

    @property
    def known(self) -> bool:
        """Whether it was ever read: else nobody knows which source has a secret of its own."""
        return self._known

    @property
    def valid(self) -> bool:
        """Whether the file could be read, when it was read last."""
        return self._valid

    def sources(self, settings: Settings) -> tuple[DeclaredSource, ...]:
        """What the file declares; what it declared last, as long as it cannot be read.

        Args:
            settings: Where the file is.
        """
        with self._lock:
            version = _version(settings)
            if version != self._version:
                self._version = version  # a broken file is told of once, not at each look
                try:
                    self._sources = declared_sources(settings)
                    self._valid = self._known = True
                except ConfigurationError as error:
                    self._valid = False
                    _log.error(
                        "the file of sources cannot be read; the sources from before are watched",
                        reason=error.reason,
                        hint=error.hint,
                        sources=len(self._sources),
                    )
            return self._sources


def _version(settings: Settings) -> _Version:
    path = sources_file(settings)
    try:
        found = path.stat()
    except OSError:
        return str(path), 0, 0, settings.sources.poll_s
    return str(path), found.st_mtime_ns, found.st_size, settings.sources.poll_s
