"""Airflow's REST API v2, as far as commands need it.

See https://airflow.apache.org/docs/apache-airflow/stable/stable-rest-api-ref.html; a token comes from
``POST /auth/token`` of the auth manager.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from rubrica.errors import ConfigurationError, FatalError, ServiceUnavailableError, StackDownError
from rubrica.settings import ServiceSettings

_PAGE = 100  # Airflow's [api] maximum_page_limit
_FINISHED = frozenset({"success", "failed"})
_NO_QUERY: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class DagRun:
    """A run of a DAG.

    Attributes:
        dag_id: The DAG.
        run_id: The run.
        state: ``queued``, ``running``, ``success`` or ``failed``.
        started: When its first task could start.
        ended: When it ended.
    """

    dag_id: str
    run_id: str
    state: str
    started: datetime | None = None
    ended: datetime | None = None

    @property
    def finished(self) -> bool:
        """Whether it has ended, well or not."""
        return self.state in _FINISHED


@dataclass(frozen=True, slots=True)
class Triggered:
    """Answer to a trigger.

    Attributes:
        run: The run with the wanted id.
        created: False when Airflow knew a run of this id already; that one is ``run``.
    """

    run: DagRun
    created: bool


@dataclass(frozen=True, slots=True)
class TaskInstance:
    """A task of a run.

    Attributes:
        task_id: The task.
        map_index: Its number among mapped ones; -1 for one that is not mapped.
        state: Airflow's state; ``none`` before it is scheduled.
        try_number: Count of tries so far.
        seconds: How long the last try took, where it ended.
        pool: Pool whose slots it takes.
        queue: Queue it was sent to.
    """

    task_id: str
    map_index: int
    state: str
    try_number: int
    seconds: float | None
    pool: str
    queue: str


@dataclass(frozen=True, slots=True)
class PartHealth:
    """Health of one part of Airflow.

    Attributes:
        status: ``healthy`` or ``unhealthy``; empty when it has never run.
        heartbeat: When it last wrote to the metadata database.
    """

    status: str
    heartbeat: datetime | None


OnPoll = Callable[[DagRun, "Counter[str]"], None]
"""Receives a run and its tasks, counted by state, while one waits."""


class AirflowClient:
    """A session with Airflow's API server; usable as a context manager.

    Args:
        url: ``http://host:port``.
        user: User name.
        password: Their password.
        timeout_s: Longest wait for one answer, in seconds.
    """

    def __init__(self, url: str, user: str, password: str, *, timeout_s: float = 30.0) -> None:
        self._url = url
        self._user = user
        self._password = password
        self._token = ""
        # trust_env off: a proxy set in the environment must not see requests to loopback.
        timeout = httpx.Timeout(timeout_s, connect=5.0)
        self._http = httpx.Client(base_url=url, timeout=timeout, trust_env=False)

    @classmethod
    def from_settings(cls, services: ServiceSettings, *, timeout_s: float = 30.0) -> Self:
        """A client for the configured Airflow.

        Args:
            services: Its address and login.
            timeout_s: Longest wait for one answer, in seconds.

        Raises:
            StackDownError: No address is configured: the stack has not been started.
        """
        if not services.airflow_url:
            raise StackDownError("Airflow's address is not known.", hint="Start the stack with `rubrica up`.")
        password = services.airflow_password.get_secret_value()
        return cls(services.airflow_url, services.airflow_user, password, timeout_s=timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    # --- What one asks for -----------------------------------------------------------------------

    def health(self) -> Mapping[str, PartHealth]:
        """Health of ``metadatabase``, ``scheduler``, ``dag_processor`` and ``triggerer``; needs no login."""
        answer = self._send("GET", "/api/v2/monitor/health")
        return {name: _part_health(name, part) for name, part in self._body(answer).items()}

    def ensure_pool(self, name: str, slots: int, description: str = "") -> bool:
        """Create a pool unless there is one of this name, whose slots stay as they are.

        Returns:
            Whether it was created.
        """
        body = {"name": name, "slots": slots, "description": description}
        answer = self._call("POST", "/api/v2/pools", json=body, accept=(httpx.codes.CONFLICT,))
        return answer.status_code != httpx.codes.CONFLICT

    def trigger(
        self, dag_id: str, run_id: str, conf: Mapping[str, Any] | None = None, *, dag_wait_s: float = 60.0
    ) -> Triggered:
        """Start a run.

        Args:
            dag_id: The DAG.
            run_id: Id of the run; Airflow allows ``[A-Za-z0-9_.~:+-]``.
            conf: What the run is given.
            dag_wait_s: How long to wait for the DAG processor to find the DAG, in seconds.

        Returns:
            The new run, or the one that has this id already.

        Raises:
            FatalError: There is no such DAG, its file does not import, or the request is refused.
        """
        self.wait_for_dag(dag_id, timeout_s=dag_wait_s)
        body = {"dag_run_id": run_id, "conf": dict(conf or {}), "logical_date": None}
        path = f"/api/v2/dags/{_part(dag_id)}/dagRuns"
        answer = self._call("POST", path, json=body, accept=(httpx.codes.CONFLICT,))
        if answer.status_code == httpx.codes.CONFLICT:
            return Triggered(self.run(dag_id, run_id), created=False)
        return Triggered(_dag_run(self._body(answer)), created=True)

    def run(self, dag_id: str, run_id: str) -> DagRun:
        """One run.

        Raises:
            FatalError: There is no such run.
        """
        return _dag_run(self._body(self._call("GET", _run_path(dag_id, run_id))))

    def runs(self, dag_id: str, *, state: str = "") -> Iterator[DagRun]:
        """Runs of a DAG, oldest first.

        Args:
            dag_id: The DAG.
            state: Only those in this state; empty: all.
        """
        query = {"state": state} if state else {}
        path = f"/api/v2/dags/{_part(dag_id)}/dagRuns"
        return (_dag_run(item) for item in self._pages(path, "dag_runs", query))

    def clear(self, dag_id: str, run_id: str, *, only_failed: bool = True) -> DagRun:
        """Let the tasks of a run, by default the failed ones, run again."""
        body = {"dry_run": False, "only_failed": only_failed}
        self._call("POST", _run_path(dag_id, run_id) + "/clear", json=body)
        return self.run(dag_id, run_id)

    def tasks(self, dag_id: str, run_id: str) -> list[TaskInstance]:
        """Every task instance of a run, mapped ones included."""
        path = _run_path(dag_id, run_id) + "/taskInstances"
        return [_task_instance(item) for item in self._pages(path, "task_instances")]

    def wait(
        self,
        dag_id: str,
        run_id: str,
        *,
        timeout_s: float | None = None,
        poll_s: float = 1.0,
        on_poll: OnPoll | None = None,
    ) -> DagRun:
        """Wait for the end of a run, good or bad.

        Args:
            dag_id: The DAG.
            run_id: The run.
            timeout_s: Longest wait in seconds; None waits for ever.
            poll_s: Seconds between two looks.
            on_poll: Called at every look with the run and its tasks by state.

        Raises:
            FatalError: It did not end in time.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            found = self.run(dag_id, run_id)
            if on_poll:
                on_poll(found, Counter(task.state for task in self.tasks(dag_id, run_id)))
            if found.finished:
                return found
            if deadline is not None and time.monotonic() > deadline:
                raise FatalError(
                    f"Run {run_id} of DAG {dag_id} did not end within {timeout_s:.0f} s; it goes on.",
                    hint=f"Look at it in {self._url}/dags/{_part(dag_id)}/runs/{_part(run_id)}.",
                )
            time.sleep(poll_s)

    def wait_for_dag(self, dag_id: str, *, timeout_s: float = 60.0) -> None:
        """Wait until the DAG processor has found a DAG.

        Raises:
            FatalError: It was not found in time; files that do not import are named.
        """
        deadline = time.monotonic() + timeout_s
        path = f"/api/v2/dags/{_part(dag_id)}"
        while self._call("GET", path, accept=(httpx.codes.NOT_FOUND,)).status_code != httpx.codes.OK:
            if time.monotonic() > deadline:
                raise FatalError(f"Airflow knows no DAG {dag_id}.", hint=self._import_errors())
            time.sleep(0.5)

    # --- How it is asked -------------------------------------------------------------------------

    def _import_errors(self) -> str:
        errors = self._body(self._call("GET", "/api/v2/importErrors"))["import_errors"]
        lines = [f"{error['filename']}: {_last_line(error['stack_trace'])}" for error in errors]
        return "These files do not import: " + "; ".join(lines) if lines else "See dag-processor.log."

    def _pages(self, path: str, key: str, query: Mapping[str, str] = _NO_QUERY) -> Iterator[dict[str, Any]]:
        offset = 0
        while True:
            page = {"limit": _PAGE, "offset": offset, "order_by": "id", **query}
            items = self._body(self._call("GET", path, params=page))[key]
            yield from items
            offset += len(items)
            if len(items) < _PAGE:
                return

    def _call(
        self, method: str, path: str, *, accept: tuple[int, ...] = (), **request: Any
    ) -> httpx.Response:
        answer = self._send(method, path, headers=self._login(), **request)
        if answer.status_code == httpx.codes.UNAUTHORIZED:  # the token has expired
            self._token = ""
            answer = self._send(method, path, headers=self._login(), **request)
        if answer.is_success or answer.status_code in accept:
            return answer
        raise _refused(answer)

    def _login(self) -> dict[str, str]:
        if not self._token:
            body = {"username": self._user, "password": self._password}
            answer = self._send("POST", "/auth/token", json=body)
            if answer.status_code == httpx.codes.UNAUTHORIZED:
                raise ConfigurationError(
                    f"Airflow at {self._url} refuses the password of user {self._user!r}.",
                    hint="Set RUBRICA_AIRFLOW_USER and RUBRICA_AIRFLOW_PASSWORD.",
                )
            if not answer.is_success:
                raise _refused(answer)
            self._token = self._body(answer)["access_token"]
        return {"Authorization": f"Bearer {self._token}"}

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        try:
            return self._http.request(method, path, **request)
        except httpx.ConnectError as error:
            raise StackDownError(
                f"Airflow does not answer at {self._url}.", hint="Start the stack with `rubrica up`."
            ) from error
        except httpx.TransportError as error:
            raise ServiceUnavailableError(f"Airflow at {self._url} broke off: {error!r}.") from error

    def _body(self, answer: httpx.Response) -> dict[str, Any]:
        try:
            body = answer.json()
        except ValueError as error:
            raise ServiceUnavailableError(f"What answers at {self._url} is not Airflow.") from error
        if not isinstance(body, dict):
            raise ServiceUnavailableError(f"What answers at {self._url} is not Airflow.")
        return body


def _refused(answer: httpx.Response) -> FatalError | ServiceUnavailableError:
    what = f"{answer.request.method} {answer.request.url.path}"
    reason = f"Airflow refused {what}: {answer.status_code} {_detail(answer)}".rstrip()
    return ServiceUnavailableError(reason) if answer.is_server_error else FatalError(reason)


def _detail(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["detail"])[:500]
    except (ValueError, KeyError, TypeError):
        return answer.text[:200]


def _part(text: str) -> str:
    return quote(text, safe="")


def _run_path(dag_id: str, run_id: str) -> str:
    return f"/api/v2/dags/{_part(dag_id)}/dagRuns/{_part(run_id)}"


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _part_health(name: str, part: dict[str, str | None]) -> PartHealth:
    return PartHealth(part.get("status") or "", _time(part.get(f"latest_{name}_heartbeat")))


def _dag_run(body: dict[str, Any]) -> DagRun:
    return DagRun(
        dag_id=body["dag_id"],
        run_id=body["dag_run_id"],
        state=body["state"],
        started=_time(body["start_date"]),
        ended=_time(body["end_date"]),
    )


def _task_instance(body: dict[str, Any]) -> TaskInstance:
    return TaskInstance(
        task_id=body["task_id"],
        map_index=body["map_index"],
        state=body["state"] or "none",
        try_number=body["try_number"],
        seconds=body["duration"],
        pool=body["pool"],
        queue=body["queue"] or "",
    )
