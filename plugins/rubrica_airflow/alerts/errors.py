"""What the errors of channels mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from airflow.sdk import BaseHook, Connection
from airflow.sdk.exceptions import AirflowNotFoundException

from rubrica.errors import ConfigurationError, ServiceUnavailableError


def require_connection(connection: str, kind: str) -> Connection:
    """The connection of Airflow that a channel needs.

    Raises:
        ConfigurationError: Airflow does not know it.
    """
    try:
        return BaseHook.get_connection(connection)
    except AirflowNotFoundException as error:
        raise ConfigurationError(
            f"Airflow has no connection {connection!r} for {kind}.",
            hint=f"Set AIRFLOW_CONN_{connection.upper()}, see docs/alarms.md.",
        ) from error


@contextmanager
def unavailable(kind: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn the errors of a client into one of ours, to be tried again later.

    Raises:
        ServiceUnavailableError: The channel does not answer, or not as it should.
    """
    try:
        yield
    except errors as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ServiceUnavailableError(f"{kind} does not take the message: {reason[:300]}") from error
