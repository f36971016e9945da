"""The whole stack: what is started when, and what callers are told."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pipeline.stack import airflow, processes
from pipeline.stack.airflow import AirflowPart, Metadata
from pipeline.stack.credentials import Secrets
from pipeline.stack.files import write_private
from pipeline.stack.home import StackHome, checkout_root
from pipeline.stack.lock import exclusive
from pipeline.stack.milvus import Milvus
from pipeline.stack.model import (
    AIRFLOW_PARTS,
    ALL_SERVICES,
    EventKind,
    OnEvent,
    ServiceState,
    ServiceStatus,
    StackEvent,
    StackInfo,
)
from pipeline.stack.postgres import Postgres
from pipeline.stack.redis import Redis
from pipeline.stack.runner import Runner
from pipeline.stack.service import Context, NotReadyError, Service
from pipeline.stack.state import State
from rubrica.errors import ConfigurationError, FatalError

_LOCK_TIMEOUT_S = 300.0
_ROUNDS = 3


def _ignore(event: StackEvent) -> None:
    del event


class _Services:
    """The services of one home."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.postgres = Postgres(context)
        self.redis = Redis(context)
        self.milvus = Milvus(context)
        self.airflow = [AirflowPart(context, part, self.postgres) for part in AIRFLOW_PARTS]
        self.metadata = Metadata(self.airflow[0], self.postgres)

    @property
    def stores(self) -> list[Service]:
        return [self.postgres, self.redis, self.milvus]

    @property
    def all(self) -> list[Service]:
        return [*self.stores, *self.airflow]


class LocalStack:
    """PostgreSQL, Redis, Milvus and Airflow of one home.

    Args:
        home: ``RUBRICA_HOME``; made by ``up`` when missing.
        checkout: Folder that holds ``dags`` and ``plugins``; by default the one Rubrica is installed from.
    """

    def __init__(self, home: Path, *, checkout: Path | None = None) -> None:
        self._home = StackHome(home)
        self._checkout = checkout or checkout_root()

    @property
    def home(self) -> Path:
        """The home, absolute."""
        return self._home.root

    def up(self, on_event: OnEvent = _ignore, services: Sequence[str] = ALL_SERVICES) -> StackInfo:
        """Start what does not run, mend what does not work, leave the rest alone.

        Args:
            on_event: Receives the progress, from one thread at a time.
            services: Names out of :data:`ALL_SERVICES`; ``airflow`` brings ``postgres`` with it.

        Returns:
            Addresses and login, which are also in ``stack.env``.

        Raises:
            ConfigurationError: An unknown service, or a home that cannot be used.
            StackDownError: A service does not start; the message has the end of its log.
            FatalError: The machine lacks something.
        """
        begun = time.monotonic()
        wanted = _resolve(services)
        if "airflow" in wanted:
            self._require_checkout()
        self._home.create()
        with self._exclusive(on_event), _system_errors():
            parts = _Services(self._context())
            runner = Runner(parts.context, on_event)
            try:
                self._bring_up(parts, runner, wanted)
            except BaseException:
                self._write_env(parts)  # what did start can be used
                raise
            seconds = time.monotonic() - begun
            known = [found for found in self._statuses(parts) if found.state is not ServiceState.STOPPED]
            return replace(self._info(parts), services=tuple(known), seconds=seconds)

    def down(self, on_event: OnEvent = _ignore) -> int:
        """Stop everything, in order, and whatever else carries this home's mark.

        Args:
            on_event: Receives the progress.

        Returns:
            How many services had something to stop.
        """
        if not self._home.root.is_dir():
            return self._sweep(on_event)
        with self._exclusive(on_event), _system_errors():
            return self._stop_all(on_event)

    def status(self) -> list[ServiceStatus]:
        """Every service as it is now; each is used once to see."""
        with _system_errors():
            return self._statuses(_Services(self._context(create=False)))

    def purge(self, on_event: OnEvent = _ignore) -> None:
        """Stop everything and delete the data, logs and secrets of the stack."""
        if not self._home.root.is_dir():
            self._sweep(on_event)
            return
        with self._exclusive(on_event), _system_errors():
            self._stop_all(on_event)
            Postgres(self._context(create=False)).purge()
            for folder in (self._home.redis, self._home.milvus, self._home.airflow, self._home.logs):
                shutil.rmtree(folder, ignore_errors=True)
            for file in (self._home.state, self._home.secrets, self._home.env):
                file.unlink(missing_ok=True)

    def _require_checkout(self) -> None:
        if not (self._checkout / "dags").is_dir():
            raise ConfigurationError(
                f"There is no folder `dags` in {self._checkout}, so Airflow would have nothing to run.",
                hint="Install Rubrica from its checkout: `make setup` or `pip install -e .`.",
            )
        for path in (str(self._home.root), str(self._checkout)):
            if os.path.expandvars(path) != path:
                raise ConfigurationError(
                    f"Airflow would replace the variable in the path {path}.",
                    hint="Choose a folder without `$` in its name.",
                )

    # --- Steps -----------------------------------------------------------------------------------

    def _bring_up(self, parts: _Services, runner: Runner, wanted: frozenset[str]) -> None:
        stores = [partial(runner.ensure, service) for service in parts.stores if service.name in wanted]
        if "airflow" not in wanted:
            _side_by_side(runner, stores)
            self._write_env(parts)
            return
        database = partial(self._bring_up_database, parts, runner)
        others = [partial(runner.ensure, service) for service in parts.stores[1:] if service.name in wanted]
        _side_by_side(runner, [database, *others])
        self._assign_api_port(parts, runner)
        self._write_env(parts)  # before Airflow, whose tasks read it
        _side_by_side(runner, [partial(runner.ensure, part) for part in parts.airflow])
        self._settle(parts, runner, wanted)
        self._write_env(parts)

    def _bring_up_database(self, parts: _Services, runner: Runner) -> None:
        runner.ensure(parts.postgres)
        parts.metadata.prepare()
        if not parts.metadata.is_current():
            begun = time.monotonic()
            runner.emit("airflow", EventKind.STARTING, "preparing its database")
            parts.metadata.migrate()
            runner.emit("airflow", EventKind.NOTE, "database prepared", since=begun)

    def _assign_api_port(self, parts: _Services, runner: Runner) -> None:
        # All parts are told the address of the API server, so it is settled before any starts.
        server = parts.airflow[0]
        if not runner.is_current(server):
            runner.stop([server], quiet=True)
            parts.context.state.assign_port(server.name, server.preferred_port)

    def _settle(self, parts: _Services, runner: Runner, wanted: frozenset[str]) -> None:
        """Start again what ended meanwhile, as a scheduler does whose database was just restarted."""
        services = [s for s in parts.all if s.name in wanted or s in parts.airflow]
        for _ in range(_ROUNDS):
            lagging = [service for service in services if not runner.is_current(service)]
            if not lagging:
                return
            _side_by_side(runner, [partial(runner.ensure, service) for service in lagging])

    def _stop_all(self, on_event: OnEvent) -> int:
        self._home.env.unlink(missing_ok=True)
        parts = _Services(self._context(create=False))
        runner = Runner(parts.context, on_event)
        stopped = runner.stop(parts.airflow) + runner.stop(parts.stores)
        return stopped + self._sweep(on_event)

    def _sweep(self, on_event: OnEvent) -> int:
        rest = processes.marked(self._home.root)
        processes.kill(rest)
        if rest:
            message = f"ended {len(rest)} processes that were left over"
            on_event(StackEvent("stack", EventKind.NOTE, message))
        return 1 if rest else 0

    # --- What is known ---------------------------------------------------------------------------

    def _context(self, *, create: bool = True) -> Context:
        state = State.load(self._home.state)
        known = create or self._home.secrets.exists()
        secrets = Secrets.load_or_create(self._home.secrets) if known else Secrets()
        return Context(self._home, state, secrets, self._checkout)

    def _exclusive(self, on_event: OnEvent) -> AbstractContextManager[None]:
        event = StackEvent("stack", EventKind.WAITING, "waiting for another `rubrica up` or `down` to end")
        return exclusive(self._home.lock, timeout_s=_LOCK_TIMEOUT_S, on_wait=lambda: on_event(event))

    def _status_of(self, service: Service, state: State) -> ServiceStatus:
        record = state.services.get(service.name)
        log = f"log: {self._home.log(service.name)}"
        if record is None:
            return ServiceStatus(service.name, ServiceState.STOPPED)
        if record.process.find() is None:
            return ServiceStatus(service.name, ServiceState.DEAD, detail=f"ended by itself; {log}")
        try:
            service.check(record.process)
            found, detail = ServiceState.RUNNING, ""
        except NotReadyError as error:
            found, detail = ServiceState.UNHEALTHY, f"{error}; {log}"
        since = datetime.fromtimestamp(record.created, UTC)
        return ServiceStatus(service.name, found, service.address(), record.pid, since, detail)

    def _statuses(self, parts: _Services) -> list[ServiceStatus]:
        with ThreadPoolExecutor(len(parts.all)) as pool:
            return list(pool.map(partial(self._status_of, state=parts.context.state), parts.all))

    def _info(self, parts: _Services) -> StackInfo:
        running = parts.context.state.services
        has_airflow = parts.airflow[0].name in running
        return StackInfo(
            home=str(self._home.root),
            postgres_url=parts.postgres.url() if "postgres" in running else "",
            redis_url=parts.redis.url if "redis" in running else "",
            milvus_uri=parts.milvus.address() if "milvus" in running else "",
            airflow_url=airflow.api_url(parts.airflow[0]) if has_airflow else "",
            airflow_user=airflow.USER if has_airflow else "",
            airflow_password=parts.context.secrets.airflow if has_airflow else "",
        )

    def _write_env(self, parts: _Services) -> None:
        info = self._info(parts)
        values = {
            "POSTGRES_URL": info.postgres_url,
            "REDIS_URL": info.redis_url,
            "MILVUS_URI": info.milvus_uri,
            "AIRFLOW_URL": info.airflow_url,
            "AIRFLOW_USER": info.airflow_user,
            "AIRFLOW_PASSWORD": info.airflow_password,
        }
        lines = [f"RUBRICA_{name}={value}" for name, value in values.items() if value]
        head = "# Written by `rubrica up`, removed by `rubrica down`; your own settings go to settings.env."
        write_private(self._home.env, "\n".join([head, *lines]) + "\n")


def _resolve(services: Iterable[str]) -> frozenset[str]:
    wanted = frozenset(services)
    if unknown := sorted(wanted.difference(ALL_SERVICES)):
        raise ConfigurationError(
            f"Unknown service {', '.join(unknown)}.", hint=f"There are {', '.join(ALL_SERVICES)}."
        )
    return wanted | {"postgres"} if "airflow" in wanted else wanted


def _side_by_side(runner: Runner, steps: Sequence[Callable[[], None]]) -> None:
    """Run steps in threads to their ends, then raise the first error."""
    if not steps:
        return
    with ThreadPoolExecutor(len(steps)) as pool:
        futures = [pool.submit(step) for step in steps]
        try:
            wait(futures)
        except KeyboardInterrupt:
            runner.cancel()
            raise
    for future in futures:
        future.result()


@contextmanager
def _system_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        foreign = "Does the home belong to another user? Run this as the one who ran `rubrica up`."
        raise FatalError(
            f"The system refused: {error.strerror or error}{where}.",
            stage="stack",
            hint=foreign if isinstance(error, PermissionError) else "",
        ) from error
