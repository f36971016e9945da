"""Where studies are kept: PostgreSQL, in a schema of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import optuna
import sqlalchemy
from optuna.storages import BaseStorage, RDBStorage
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.schema import CreateSchema

from rubrica.errors import FatalError, ServiceUnavailableError, StackDownError
from rubrica.log import hide_secrets

SCHEMA = "tuning"
_UP = "Run `rubrica up`, or check RUBRICA_POSTGRES_URL."


@contextmanager
def open_storage(url: str) -> Iterator[BaseStorage]:
    """Optuna's tables in PostgreSQL, made when they are missing.

    Args:
        url: PostgreSQL of the catalog.

    Raises:
        StackDownError: No PostgreSQL is configured.
        ServiceUnavailableError: It does not answer.
        FatalError: It refuses a statement.
    """
    if not url:
        raise StackDownError("No PostgreSQL is configured.", hint="Run `rubrica up` first.")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    address = sqlalchemy.make_url(url).set(drivername="postgresql+psycopg")
    try:
        _make_schema(address)
        path = {"options": f"-csearch_path={SCHEMA}", "application_name": "rubrica tune"}
        kept = RDBStorage(
            address.render_as_string(hide_password=False),
            engine_kwargs={"connect_args": path, "pool_pre_ping": True},
        )
        try:
            yield kept
        finally:
            kept.remove_session()
            kept.engine.dispose()
    except OperationalError as error:
        raise ServiceUnavailableError(f"PostgreSQL does not answer: {_said(error)}.", hint=_UP) from error
    except SQLAlchemyError as error:
        raise FatalError(f"PostgreSQL refused a statement: {_said(error)}.") from error


def _make_schema(address: sqlalchemy.URL) -> None:
    engine = sqlalchemy.create_engine(address)
    try:
        with engine.begin() as connection:
            connection.execute(CreateSchema(SCHEMA, if_not_exists=True))
    finally:
        engine.dispose()


def _said(error: SQLAlchemyError) -> str:
    cause = getattr(error, "orig", None) or error
    return hide_secrets(" ".join(str(cause).split()))[:300]
