"""The connection pool, transactions and what their errors mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import errors
from psycopg_pool import ConnectionPool

from rubrica.errors import (
    ConfigurationError,
    FatalError,
    RubricaError,
    ServiceUnavailableError,
    StackDownError,
)
from rubrica.log import hide_secrets

Connection = psycopg.Connection[tuple[Any, ...]]

_CONNECT_TIMEOUT_S = 5
_POOL_TIMEOUT_S = 15
_LOCK_SPACE = 0x52554252  # keeps our locks apart from those of others in the same database
_UP = "Run `rubrica up`, or check RUBRICA_POSTGRES_URL."


def translate(error: psycopg.Error) -> RubricaError:
    """The error of ours that says what to do about an error of PostgreSQL."""
    detail = hide_secrets(" ".join(str(error).split())) or type(error).__name__
    if isinstance(error, errors.UndefinedTable):
        return FatalError(f"The catalog's tables are missing: {detail}.", hint="Run `rubrica up`.")
    if isinstance(error, psycopg.OperationalError):
        return ServiceUnavailableError(f"PostgreSQL does not answer: {detail}.", hint=_UP)
    return FatalError(f"PostgreSQL refused a statement: {detail}.")


class Database:
    """A pool of connections to one database."""

    def __init__(self, url: str, *, max_connections: int) -> None:
        """Connect.

        Raises:
            StackDownError: No address is configured.
            ConfigurationError: The address is not a PostgreSQL URL.
            ServiceUnavailableError: Nothing answers there.
        """
        if not url:
            raise StackDownError("No PostgreSQL is configured.", hint="Run `rubrica up` first.")
        self._url = url
        self._connect().close()
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            min_size=1,
            max_size=max_connections,
            timeout=_POOL_TIMEOUT_S,
            check=ConnectionPool.check_connection,
            kwargs={"connect_timeout": _CONNECT_TIMEOUT_S, "application_name": "rubrica"},
            open=True,
            name="catalog",
        )

    def _connect(self) -> Connection:
        """A connection outside the pool, which would try for long and then only say "timeout"."""
        try:
            return psycopg.connect(self._url, connect_timeout=_CONNECT_TIMEOUT_S, autocommit=True)
        except psycopg.ProgrammingError as error:
            raise ConfigurationError(
                "RUBRICA_POSTGRES_URL is not a PostgreSQL URL.",
                hint="Use postgresql://user:password@host/db.",
            ) from error
        except psycopg.Error as error:
            raise translate(error) from error

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection whose statements are committed together, or not at all."""
        try:
            with self._pool.connection() as connection:
                yield connection
        except psycopg.Error as error:
            raise translate(error) from error

    @contextmanager
    def exclusive(self, name: str) -> Iterator[None]:
        """Hold the lock ``name`` against every other process; it dies with this one."""
        # Not from the pool: threads that wait here must not use up the connections of the one inside.
        try:
            with self._connect() as connection:
                connection.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", (_LOCK_SPACE, name))
                yield
        except psycopg.Error as error:
            raise translate(error) from error

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()
