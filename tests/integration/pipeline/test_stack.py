"""The local stack on real servers, killed in every way that people kill things."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from pipeline.airflow_client import AirflowClient
from pipeline.stack import EventKind, LocalStack, ServiceState, StackEvent, StackInfo
from pipeline.stack.processes import ProcessId, lives
from pipeline.stack.state import State
from rubrica.errors import ConfigurationError, FatalError, StackDownError
from rubrica.settings import Settings

pytestmark = pytest.mark.integration

STORES = ("postgres", "redis", "milvus")
AIRFLOW = ("api-server", "scheduler", "dag-processor", "triggerer")


class Stack:
    """A stack under test, and what it said."""

    def __init__(self, home: Path, checkout: Path | None = None) -> None:
        self.local = LocalStack(home, checkout=checkout)
        self.home = self.local.home
        self.events: list[StackEvent] = []

    def up(self, *services: str) -> StackInfo:
        self.events.clear()
        return self.local.up(self.events.append, services or STORES)

    def down(self) -> int:
        return self.local.down(self.events.append)

    def pids(self) -> dict[str, int]:
        return {name: record.pid for name, record in self.state.services.items()}

    @property
    def state(self) -> State:
        return State.load(self.home / "stack.json")

    def kinds(self, service: str) -> list[EventKind]:
        return [event.kind for event in self.events if event.service == service]

    def states(self) -> dict[str, ServiceState]:
        return {found.name: found.state for found in self.local.status()}

    def kill(self, *services: str) -> None:
        for service in services:
            process = psutil.Process(self.pids()[service])
            process.send_signal(signal.SIGKILL)
            while lives(process):
                pass

    def wish_ports(self) -> None:
        """Ports that no other stack is about to take."""
        self.home.mkdir()
        with contextlib.ExitStack() as probes:
            sockets = {name: probes.enter_context(socket.socket()) for name in STORES}
            for probe in sockets.values():
                probe.bind(("127.0.0.1", 0))
            ports = {name: probe.getsockname()[1] for name, probe in sockets.items()}
        state = State(self.home / "stack.json", ports=ports)
        state.learn(wish="made")

    def processes(self) -> list[psutil.Process]:
        """Whatever has to do with the home, by any sign."""
        data = self.state.facts.get("postgres.data", str(self.home))
        return [process for process in psutil.process_iter() if self._mentions(process, data)]

    def _mentions(self, process: psutil.Process, data: str) -> bool:
        try:
            if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
                return False
            words = [*process.cmdline(), process.cwd(), *process.environ().values()]
        except psutil.Error:
            return False
        return any(str(self.home) in word or data in word for word in words)


@pytest.fixture
def make_stack(tmp_path: Path) -> Iterator[Callable[..., Stack]]:
    made: list[Stack] = []

    def make(name: str = "мой 'дом' $HOME %d", checkout: Path | None = None) -> Stack:
        made.append(Stack(tmp_path / name, checkout))
        return made[-1]

    yield make
    for stack in made:
        stack.local.purge()


@pytest.fixture
def stack(make_stack: Callable[..., Stack]) -> Stack:
    return make_stack()


def _remember(info: StackInfo) -> None:
    with psycopg.connect(info.postgres_url) as connection:
        connection.execute("CREATE TABLE memory (word text)")
        connection.execute("INSERT INTO memory VALUES ('Толщина')")


def _recall(info: StackInfo) -> str:
    with psycopg.connect(info.postgres_url) as connection:
        row = connection.execute("SELECT upper(word) FROM memory").fetchone()
    assert row is not None
    return str(row[0])


def _listeners(pids: set[int]) -> set[tuple[str, int]]:
    everything = psutil.net_connections("inet")
    return {
        (connection.laddr.ip.removeprefix("::ffff:"), connection.laddr.port)
        for connection in everything
        if connection.laddr and connection.pid in pids and connection.status == psutil.CONN_LISTEN
    }


def test_stores_come_up_stay_up_and_go_down(stack: Stack) -> None:
    assert stack.down() == 0
    assert set(stack.states().values()) == {ServiceState.STOPPED}
    assert not stack.home.exists()

    stack.wish_ports()
    info = stack.up()
    settings = Settings(home=stack.home).services
    assert settings.postgres_url.get_secret_value() == info.postgres_url
    assert settings.redis_url.get_secret_value() == info.redis_url
    assert settings.milvus_uri == info.milvus_uri
    assert not settings.airflow_url
    _remember(info)
    assert [stack.states()[name] for name in STORES] == [ServiceState.RUNNING] * 3
    assert all(stack.kinds(name) == [EventKind.STARTING, EventKind.READY] for name in STORES)

    pids = stack.pids()
    again = stack.up()
    assert replace(again, seconds=info.seconds) == info
    assert stack.pids() == pids
    assert all(stack.kinds(name) == [EventKind.UNCHANGED] for name in STORES)

    assert stack.down() == 3
    assert stack.processes() == []
    assert not (stack.home / "stack.env").exists()
    assert stack.down() == 0

    again = stack.up()
    assert (again.postgres_url, again.milvus_uri) == (info.postgres_url, info.milvus_uri)
    assert _recall(again) == "ТОЛЩИНА"


def test_only_loopback_hears_and_only_the_password_opens(stack: Stack) -> None:
    info = stack.up()
    heard = _listeners(set(stack.pids().values()))
    assert {address for address, _ in heard} == {"127.0.0.1"}
    assert {port for _, port in heard} == set(stack.state.ports.values())
    port = stack.state.ports["postgres"]
    for user in ("postgres", "rubrica", "airflow"):
        with pytest.raises(psycopg.OperationalError, match=r"password|authentication"):
            psycopg.connect(host="127.0.0.1", port=port, user=user, password="", dbname="postgres")
    with (
        redis.Redis(port=stack.state.ports["redis"]) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()
    with redis.Redis.from_url(info.redis_url) as client:
        assert client.ping()


def test_secrets_are_in_private_files_only(stack: Stack) -> None:
    stack.up()
    secrets = [word for word in (stack.home / "secrets.json").read_text().split('"') if len(word) > 15]
    assert len(secrets) == 8
    said = " ".join(word for pid in stack.pids().values() for word in psutil.Process(pid).cmdline())
    said += "".join(path.read_text(errors="replace") for path in (stack.home / "logs").rglob("*.log"))
    said += " ".join(repr(event) for event in stack.events)
    assert [secret for secret in secrets if secret in said] == []
    holders = [path for path in stack.home.rglob("*") if path.is_file() and _holds(path, secrets)]
    assert {path.name for path in holders} == {"secrets.json", "stack.env", "redis.conf"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in holders} == {0o600}


def _holds(path: Path, secrets: list[str]) -> bool:
    content = path.read_bytes()
    return any(secret.encode() in content for secret in secrets)


@pytest.mark.parametrize("victims", [("postgres",), ("redis",), ("milvus",), STORES])
def test_what_was_killed_comes_back_and_nothing_is_lost(stack: Stack, victims: tuple[str, ...]) -> None:
    stack.wish_ports()
    info = stack.up()
    _remember(info)
    before = stack.pids()

    stack.kill(*victims)
    assert {name for name, state in stack.states().items() if state is ServiceState.DEAD} == set(victims)
    again = stack.up()

    after = stack.pids()
    assert {name for name in STORES if after[name] != before[name]} == set(victims)
    assert [stack.states()[name] for name in STORES] == [ServiceState.RUNNING] * 3
    assert (again.postgres_url, again.redis_url, again.milvus_uri) == (
        info.postgres_url,
        info.redis_url,
        info.milvus_uri,
    )
    assert _recall(again) == "ТОЛЩИНА"


def test_a_service_that_hangs_is_started_anew(stack: Stack) -> None:
    stack.up("redis")
    process = psutil.Process(stack.pids()["redis"])
    process.suspend()
    assert stack.states()["redis"] is ServiceState.UNHEALTHY
    stack.up("redis")
    assert not lives(process)
    assert stack.states()["redis"] is ServiceState.RUNNING


def test_a_lost_state_file_doubles_nothing(stack: Stack) -> None:
    _remember(stack.up())
    old = stack.pids()
    data = stack.state.facts["postgres.data"]
    (stack.home / "stack.json").unlink()

    info = stack.up()

    assert _recall(info) == "ТОЛЩИНА"
    assert stack.state.facts["postgres.data"] == data
    assert [pid for pid in old.values() if _is_alive(pid)] == []
    (stack.home / "stack.json").write_text("{", encoding="utf-8")
    stack.down()
    assert stack.processes() == []


def _is_alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and lives(psutil.Process(pid))


def test_lost_secrets_are_made_anew_and_the_data_stay(stack: Stack) -> None:
    info = stack.up()
    _remember(info)
    stack.down()
    (stack.home / "secrets.json").unlink()
    again = stack.up()
    assert again.postgres_url != info.postgres_url
    assert _recall(again) == "ТОЛЩИНА"


def test_a_home_removed_under_a_running_stack_leaves_nothing_behind(stack: Stack) -> None:
    stack.up("redis", "milvus")
    pids = stack.pids()
    shutil.rmtree(stack.home)
    assert stack.down() == 1
    assert [pid for pid in pids.values() if _is_alive(pid)] == []
    assert not stack.home.exists()


def test_a_busy_port_is_left_to_its_owner_and_the_new_one_remembered(stack: Stack) -> None:
    stack.wish_ports()
    with socket.socket() as other:
        stack.up("redis")
        first = stack.state.ports["redis"]
        stack.down()
        other.bind(("127.0.0.1", first))
        other.listen()
        info = stack.up("redis")
        second = stack.state.ports["redis"]
        assert second != first
        assert f":{second}/" in info.redis_url
        stack.down()
    stack.up("redis")
    assert stack.state.ports["redis"] == second


def test_an_innocent_process_with_a_recorded_pid_is_spared(stack: Stack) -> None:
    stack.up("postgres")
    stack.down()
    state = stack.state
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=-1) as innocent:
        state.started("redis", ProcessId(innocent.pid, 1.0), "")
        state.started("postgres", ProcessId(innocent.pid, 1.0), "")
        stale = Path(state.facts["postgres.data"]) / "postmaster.pid"
        stale.write_text(f"{innocent.pid}\n{stale.parent}\n0\n5432\n\n127.0.0.1\n0 0\nready\n")
        stack.up("postgres", "redis")
        assert stack.states()["postgres"] is ServiceState.RUNNING
        stack.down()
        assert innocent.poll() is None
        innocent.communicate(b"")


def test_two_at_once_start_one_stack(stack: Stack) -> None:
    code = """
import sys
from pathlib import Path
from pipeline.stack import LocalStack
info = LocalStack(Path(sys.argv[1])).up(services=("postgres", "redis"))
print([(service.name, service.pid) for service in info.services])
"""
    command = [sys.executable, "-c", code, str(stack.home)]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert said[0] == said[1]
    assert "postgres" in said[0]


def test_an_up_that_is_killed_half_way_can_be_repeated(stack: Stack) -> None:
    code = """
import os, sys
from pathlib import Path
from pipeline.stack import EventKind, LocalStack

def die(event):
    if event.kind is EventKind.READY:
        os.kill(os.getpid(), 9)

LocalStack(Path(sys.argv[1])).up(die, services=("postgres", "redis", "milvus"))
"""
    run = subprocess.run([sys.executable, "-c", code, str(stack.home)], check=False)
    assert run.returncode == -signal.SIGKILL
    info = stack.up()
    assert [stack.states()[name] for name in STORES] == [ServiceState.RUNNING] * 3
    _remember(info)
    stack.down()
    assert stack.processes() == []


@pytest.mark.parametrize("moment", ["PG_VERSION", "global/pg_control"])
def test_an_up_that_is_killed_in_initdb_can_be_repeated_at_once(stack: Stack, moment: str) -> None:
    code = "import sys; from pathlib import Path; from pipeline.stack import LocalStack; "
    code += "LocalStack(Path(sys.argv[1])).up(services=('postgres',))"
    with subprocess.Popen([sys.executable, "-c", code, str(stack.home)]) as run:
        while not (draft := _draft(stack)) or not (draft / moment).exists():
            assert run.poll() is None
        run.kill()
    stack.up("postgres")  # beside an initdb that goes on: nobody has ended it
    assert stack.states()["postgres"] is ServiceState.RUNNING
    assert not draft.exists()
    assert not list(draft.parent.glob(".password-*"))
    stack.down()
    assert stack.processes() == []


def _draft(stack: Stack) -> Path | None:
    data = stack.state.facts.get("postgres.data")
    return Path(data).with_name(f".{Path(data).name}.new") if data else None


def test_two_homes_do_not_meet(make_stack: Callable[..., Stack]) -> None:
    one, other = make_stack("one"), make_stack("two")
    one.up("redis", "milvus")
    other.up("redis", "milvus")
    assert not set(one.state.ports.values()) & set(other.state.ports.values())
    other.down()
    assert one.states()["redis"] is one.states()["milvus"] is ServiceState.RUNNING


def test_a_service_that_dies_at_its_start_is_named_with_its_last_words(stack: Stack) -> None:
    stack.up("redis")
    stack.down()
    (stack.home / "redis" / "dump.rdb").write_bytes(b"not a dump" * 100)
    with pytest.raises(StackDownError, match=r"redis ended while it was starting \(exit code 1\)") as caught:
        stack.up("redis")
    assert "Wrong signature" in caught.value.reason
    assert str(stack.home / "logs" / "redis.log") in str(caught.value)
    assert stack.kinds("redis") == [EventKind.STARTING, EventKind.FAILED]
    assert stack.states()["redis"] is ServiceState.STOPPED
    assert stack.processes() == []


def test_wrong_usage_is_refused(stack: Stack, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="Unknown service kafka"):
        stack.up("kafka")
    with pytest.raises(ConfigurationError, match="no folder `dags`"):
        LocalStack(stack.home, checkout=tmp_path).up()
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(ConfigurationError, match="cannot be used"):
        LocalStack(file).up(services=("redis",))
    with pytest.raises(ConfigurationError, match="variable in the path"):
        LocalStack(tmp_path / "$HOME").up()
    assert not stack.home.exists()


def test_data_of_another_postgres_are_not_touched(stack: Stack) -> None:
    stack.up("postgres")
    stack.down()
    version = Path(stack.state.facts["postgres.data"]) / "PG_VERSION"
    version.write_text("16\n", encoding="utf-8")
    with pytest.raises(FatalError, match="written by PostgreSQL 16"):
        stack.up("postgres")
    assert version.exists()


_DAG = """
from airflow.sdk import dag, task

@dag(schedule=None)
def probe():
    @task(pool="gpu", queue="gpu")
    def one(number):
        import os
        import pipeline
        from rubrica.settings import Settings
        settings = Settings()
        assert str(settings.home) == os.environ["RUBRICA_HOME"]
        assert settings.services.postgres_url.get_secret_value().startswith("postgresql://rubrica:")

    one.expand(number=[1, 2])

probe()
"""


@pytest.mark.slow
def test_airflow_runs_a_dag_and_survives(make_stack: Callable[..., Stack], tmp_path: Path) -> None:
    dags = tmp_path / "вынос" / "dags"
    dags.mkdir(parents=True)
    (dags / "probe.py").write_text(_DAG, encoding="utf-8")
    stack = make_stack("мой 'дом' $5 %d", checkout=dags.parent)
    everything = (*STORES, "airflow")

    info = stack.up(*everything)
    assert set(stack.states().values()) == {ServiceState.RUNNING}
    settings = Settings(home=stack.home).services
    assert settings.airflow_url == info.airflow_url
    _run_probe(info, "manual:1")
    family = {process.pid for process in stack.processes()}
    assert {address for address, _ in _listeners(family)} == {"127.0.0.1"}

    pids = stack.pids()
    stack.up(*everything)
    assert stack.pids() == pids
    assert all(stack.kinds(name) == [EventKind.UNCHANGED] for name in (*STORES, *AIRFLOW))
    assert "airflow" not in {event.service for event in stack.events}  # no second migration

    for victims in (("postgres", "scheduler"), (*STORES, *AIRFLOW)):
        stack.kill(*victims)
        info = stack.up(*everything)
        assert set(stack.states().values()) == {ServiceState.RUNNING}, victims
    _run_probe(info, "manual:2")

    assert stack.down() == 7
    assert stack.processes() == []
    with (
        AirflowClient(info.airflow_url, info.airflow_user, info.airflow_password) as client,
        pytest.raises(StackDownError, match="rubrica up"),
    ):
        client.health()


def _run_probe(info: StackInfo, run_id: str) -> None:
    with AirflowClient(info.airflow_url, info.airflow_user, "wrong") as stranger:
        with pytest.raises(ConfigurationError, match="refuses the password"):
            stranger.run("probe", run_id)
        assert stranger.health()["scheduler"].status == "healthy"
    with AirflowClient(info.airflow_url, info.airflow_user, info.airflow_password) as client:
        assert not client.ensure_pool("gpu", 8)  # it is there, and stays as it is
        assert client.trigger("probe", run_id, {"слово": "дом"}).created
        known = client.trigger("probe", run_id)
        assert (known.created, known.run.run_id) == (False, run_id)
        seen: list[str] = []
        run = client.wait("probe", run_id, timeout_s=300, on_poll=lambda run, _: seen.append(run.state))
        assert run.state == seen[-1] == "success"
        tasks = client.tasks("probe", run_id)
        assert [(task.pool, task.queue, task.state) for task in tasks] == [("gpu", "gpu", "success")] * 2
        assert not client.clear("probe", run_id, only_failed=False).finished
        assert client.wait("probe", run_id, timeout_s=300).state == "success"
        with pytest.raises(FatalError, match="Airflow knows no DAG missing"):
            client.trigger("missing", run_id, dag_wait_s=0)
        with pytest.raises(FatalError, match="404"):
            client.run("probe", "missing")
        with pytest.raises(FatalError, match="does not match regex"):
            client.trigger("probe", "not/allowed")
