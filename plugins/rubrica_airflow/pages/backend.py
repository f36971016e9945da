"""The services behind the pages: opened by the first request that needs them, closed with the server."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from pipeline.services import Services


class Backend:
    """Holds the services of one server.

    Args:
        make: Opens them.
    """

    def __init__(self, make: Callable[[], Services] = Services) -> None:
        self._make = make
        self._lock = Lock()
        self._services: Services | None = None

    @property
    def services(self) -> Services:
        """The services, connected to PostgreSQL.

        Raises:
            StackDownError: No PostgreSQL is configured.
            ServiceUnavailableError: It does not answer.
            ConfigurationError: A setting is not valid.
        """
        with self._lock:
            if self._services is None:
                self._services = self._connected()
            return self._services

    def _connected(self) -> Services:
        """Services whose settings are read anew at each try: a stack that starts writes its addresses."""
        services = self._make()
        _ = services.catalog
        return services

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if self._services is not None:
                self._services.__exit__(None, None, None)
                self._services = None
