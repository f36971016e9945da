"""Airflow 3.3: its configuration, its metadata database, and its four processes."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import psycopg

from pipeline.airflow_client import AirflowClient, PartHealth
from pipeline.stack import processes
from pipeline.stack.files import tail, write_private
from pipeline.stack.ports import LOOPBACK
from pipeline.stack.postgres import METADATA, Postgres
from pipeline.stack.processes import Launch, ProcessId
from pipeline.stack.service import BaseService, Context, NotReadyError
from rubrica.errors import RubricaError, StackDownError

USER = "admin"
POOLS = {"gpu": (1, "One model at a time on the accelerator.")}
"""Pools that DAGs name, with slots and description."""

_API_PORT = 8080
_CONNECTIONS = "AIRFLOW_CONN_"
_SCHEMA = "airflow.schema"
_MIGRATION = "airflow-migrate"


class AirflowPart(BaseService):
    """One process of Airflow.

    Args:
        context: Home, state and secrets.
        part: ``api-server``, ``scheduler``, ``dag-processor`` or ``triggerer``.
        postgres: Where the metadata are.
    """

    # The log servers of scheduler and triggerer listen on every interface; the API server reads
    # the same log files, so they are not needed.
    _ARGUMENTS: ClassVar[dict[str, tuple[str, ...]]] = {
        "scheduler": ("--skip-serve-logs",),
        "triggerer": ("--skip-serve-logs",),
    }
    _scheme = "http://"
    recovery_s = 120.0  # all are seen through the API server, which may be starting itself

    def __init__(self, context: Context, part: str, postgres: Postgres) -> None:
        super().__init__(context)
        self.name = part
        self.preferred_port = _API_PORT if part == "api-server" else 0
        self._postgres = postgres
        if part == "triggerer":
            self.stop_grace_s = 4.0  # it would wait for triggers, which keep nothing that could be lost

    def launch(self) -> Launch:
        """``airflow PART``, configured by environment only; of the caller's own Airflow, connections stay."""
        command = [sys.executable, "-m", "airflow", self.name, *self._ARGUMENTS.get(self.name, ())]
        connections = {name: value for name, value in os.environ.items() if name.startswith(_CONNECTIONS)}
        return Launch(
            command,
            env=connections | environment(self, self._postgres),
            cwd=self.home.airflow,
            drop=("AIRFLOW_",),
        )

    def check(self, process: ProcessId) -> None:
        """The API server answers, and knows a heartbeat that is younger than the process."""
        health = self._health()
        if self.name == "api-server":
            _require(health.get("metadatabase"), "metadatabase", None)
            return
        part = self.name.replace("-", "_")
        # A killed predecessor's last heartbeat counts as healthy for half a minute.
        _require(health.get(part), part, max(process.created, self._database_start()))

    def after_start(self) -> None:
        """Create the pools that are missing."""
        if self.name != "api-server":
            return
        with AirflowClient(api_url(self), USER, self.secrets.airflow) as client:
            for name, (slots, description) in POOLS.items():
                client.ensure_pool(name, slots, description)

    def _health(self) -> dict[str, PartHealth]:
        with AirflowClient(api_url(self), USER, self.secrets.airflow, timeout_s=5) as client:
            try:
                return dict(client.health())
            except RubricaError as error:
                raise NotReadyError(error.reason) from error

    def _database_start(self) -> float:
        record = self.state.services.get(self._postgres.name)
        return record.created if record else 0.0


def api_url(service: BaseService) -> str:
    """URL of the API server."""
    return f"http://{LOOPBACK}:{service.state.ports.get('api-server', _API_PORT)}"


def environment(service: BaseService, postgres: Postgres) -> dict[str, str]:
    """Configuration of every part of Airflow.

    See https://airflow.apache.org/docs/apache-airflow/stable/configurations-ref.html.
    """
    home, secrets, url = service.home, service.secrets, api_url(service)
    root = service.checkout
    metadata = postgres.url(METADATA).replace("postgresql://", "postgresql+psycopg2://")
    options = {
        "core.executor": "LocalExecutor",
        "core.parallelism": str(max(4, os.cpu_count() or 1)),
        "core.load_examples": "False",
        "core.dags_folder": str(root / "dags"),
        "core.plugins_folder": str(root / "plugins"),
        "core.dags_are_paused_at_creation": "False",
        "core.execution_api_server_url": f"{url}/execution/",
        "core.fernet_key": secrets.fernet,
        "core.simple_auth_manager_users": f"{USER}:admin",
        "core.simple_auth_manager_passwords_file": str(_passwords_file(home.airflow)),
        "core.hostname_callable": "socket.gethostname",  # no wait for a name server
        "database.sql_alchemy_conn": metadata,
        "logging.base_log_folder": str(home.logs / "airflow"),
        "logging.dag_processor_child_process_log_directory": str(home.logs / "airflow" / "dag_processor"),
        "logging.colored_console_log": "False",
        "api.host": LOOPBACK,
        "api.port": url.rpartition(":")[2],
        "api.base_url": url,
        "api.workers": "1",
        "api.secret_key": secrets.session,
        "api_auth.jwt_secret": secrets.jwt,
        # A killed scheduler's tasks are taken up again within two minutes, not ten.
        "scheduler.task_instance_heartbeat_timeout": "90",
        "scheduler.orphaned_tasks_check_interval": "60",
        "dag_processor.refresh_interval": "30",
        "usage_data_collection.enabled": "False",
    }
    env = {f"AIRFLOW__{key.replace('.', '__').upper()}": value for key, value in options.items()}
    return {
        **env,
        "AIRFLOW_HOME": str(home.airflow),
        "RUBRICA_STACK_AIRFLOW": version("apache-airflow-core"),  # an upgrade starts every part anew
        "RUBRICA_HOME": str(home.root),
        "PYTHONPATH": str(root),
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
        "SPT_NOENV": "1",  # setproctitle would write over the environment, and with it over our mark
    }


class Metadata:
    """Airflow's folders and metadata database, brought to the installed version.

    Args:
        part: Any part of Airflow, for the configuration.
        postgres: Where the metadata are.
    """

    def __init__(self, part: AirflowPart, postgres: Postgres) -> None:
        self._part = part
        self._postgres = postgres
        self._home = part.home

    def prepare(self) -> None:
        """Write the login and make the folders."""
        for folder in (self._home.airflow, self._home.logs / "airflow"):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        login = json.dumps({USER: self._part.secrets.airflow}) + "\n"
        file = _passwords_file(self._home.airflow)
        if not file.exists() or file.read_text(encoding="utf-8") != login:
            write_private(file, login)

    def is_current(self) -> bool:
        """Whether this version of Airflow has migrated the database as it now is."""
        revision = self._revision()
        return bool(revision) and self._part.state.facts.get(_SCHEMA) == _schema(revision)

    def migrate(self) -> None:
        """Run ``airflow db migrate``.

        Raises:
            StackDownError: It failed.
        """
        log = self._home.log(_MIGRATION)
        processes.kill(processes.marked(self._home.root, _MIGRATION))  # of an `up` that was cut off
        start = log.stat().st_size if log.exists() else 0
        launch = self._part.launch()
        command = [sys.executable, "-m", "airflow", "db", "migrate"]
        what = Launch(command, env=launch.env, cwd=launch.cwd, drop=launch.drop)
        child = processes.launch(what, home=self._home.root, service=_MIGRATION, log=log)
        if code := processes.wait(child, timeout_s=300):
            raise StackDownError(
                f"Airflow's database could not be migrated (exit code {code}):\n{tail(log, start=start)}",
                stage="airflow",
                hint=f"\nThe whole log: {log}",
            )
        self._part.state.learn(**{_SCHEMA: _schema(self._revision())})

    def _revision(self) -> str:
        try:
            with psycopg.connect(self._postgres.url(METADATA), connect_timeout=5) as connection:
                row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        except psycopg.errors.UndefinedTable:
            return ""
        return str(row[0]) if row else ""


def _schema(revision: str) -> str:
    return f"{version('apache-airflow-core')} {revision}"


def _passwords_file(folder: Path) -> Path:
    return folder / "passwords.json"


def _require(part: PartHealth | None, name: str, younger_than: float | None) -> None:
    if part is None or part.status != "healthy":
        raise NotReadyError(f"{name} is {(part and part.status) or 'not there yet'}")
    if younger_than is None:
        return
    if part.heartbeat is None or part.heartbeat < datetime.fromtimestamp(younger_than, UTC):
        raise NotReadyError(f"{name} has not sent a heartbeat yet")
