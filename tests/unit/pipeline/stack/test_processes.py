from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from pipeline.stack import processes
from pipeline.stack.processes import Launch, ProcessId
from rubrica.errors import FatalError

_SLEEP = "import time; time.sleep(600)"
# A parent with a child in another session, both deaf to SIGTERM.
_FAMILY = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", deaf], start_new_session=True, stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(600)
"""

Start = Callable[..., ProcessId]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "дом с пробелом"


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    def launch(code: str, service: str = "probe", **options: object) -> ProcessId:
        command = Launch([sys.executable, "-c", code], **options)  # type: ignore[arg-type]
        return processes.launch(command, home=home, service=service, log=home / f"{service}.log")

    yield launch
    processes.kill(processes.marked(home), grace_s=0)


def _wait_for_log(path: Path) -> str:
    while not (text := path.read_text(encoding="utf-8")):
        pass
    return text


def test_a_process_outlives_its_terminal_and_writes_a_private_log(home: Path, start: Start) -> None:
    process = start("import os; print('готово', os.getsid(0) == os.getpid())")
    assert processes.wait(process, timeout_s=60) == 0
    log = home / "probe.log"
    assert log.read_text(encoding="utf-8") == "готово True\n"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_environment_is_added_dropped_and_marked(
    home: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "foreign")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy:3128")
    monkeypatch.setenv("NO_PROXY", "intranet")
    monkeypatch.delenv("no_proxy", raising=False)
    names = ("AIRFLOW__CORE__EXECUTOR", "A", "NO_PROXY", "HTTP_PROXY")
    show = f"import os; print(*(os.environ.get(name) for name in {names}))"
    process = start(show, env={"A": "б"}, drop=("AIRFLOW_",))
    assert processes.wait(process, timeout_s=60) == 0
    said = (home / "probe.log").read_text(encoding="utf-8")
    assert said == "None б intranet,127.0.0.1,localhost http://proxy:3128\n"


def test_a_process_is_found_until_it_ends(start: Start) -> None:
    process = start(_SLEEP)
    assert process.find() is not None
    os.kill(process.pid, signal.SIGKILL)
    assert processes.wait(process, timeout_s=60) == -signal.SIGKILL
    assert process.find() is None
    assert processes.exit_code(process.pid) == -signal.SIGKILL


def test_a_pid_that_was_given_to_another_process_is_not_ours(start: Start) -> None:
    process = start(_SLEEP)
    assert ProcessId(process.pid, process.created - 100).find() is None


def test_marks_tell_homes_and_services_apart(home: Path, start: Start) -> None:
    mine, other = start(_SLEEP, "one"), start(_SLEEP, "two")
    assert [process.pid for process in processes.marked(home, "one")] == [mine.pid]
    assert {process.pid for process in processes.marked(home)} == {mine.pid, other.pid}
    assert processes.marked(home.parent) == []
    assert processes.marked(home / "x") == []


def test_ending_a_family_leaves_nobody_however_deaf(home: Path, start: Start) -> None:
    parent = start(_FAMILY)
    child = int(_wait_for_log(home / "probe.log"))
    process = parent.find()
    assert process is not None
    assert psutil.pid_exists(child)
    processes.end([process], first=signal.SIGTERM, grace_s=0.2)
    assert parent.find() is None
    assert processes.marked(home) == []


def test_an_orphan_of_a_killed_parent_is_found_by_its_mark(home: Path, start: Start) -> None:
    parent = start(_FAMILY)
    child = int(_wait_for_log(home / "probe.log"))
    os.kill(parent.pid, signal.SIGKILL)
    processes.wait(parent, timeout_s=60)
    assert [process.pid for process in processes.marked(home, "probe")] == [child]


def test_the_caller_and_its_parents_are_never_found(home: Path, start: Start) -> None:
    # The caller carries the mark itself, as a task of the stack's own Airflow does.
    code = f"""
from pathlib import Path
from pipeline.stack import processes
print([process.pid for process in processes.marked(Path({str(home)!r}))])
"""
    process = start(code, env={"PYTHONPATH": str(Path(processes.__file__).parents[2])})
    assert processes.wait(process, timeout_s=60) == 0
    assert (home / "probe.log").read_text(encoding="utf-8") == "[]\n"


def test_a_program_that_is_missing_is_named(home: Path) -> None:
    with pytest.raises(FatalError, match="Cannot run /no/such/program"):
        processes.launch(Launch(["/no/such/program"]), home=home, service="probe", log=home / "probe.log")


def test_a_step_that_takes_too_long_is_ended(start: Start) -> None:
    process = start(_SLEEP)
    with pytest.raises(FatalError, match="did not end within"):
        processes.wait(process, timeout_s=0.1)
    assert process.find() is None


def test_a_huge_log_is_set_aside(home: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_MAX_LOG_BYTES", 10)
    home.mkdir()
    (home / "probe.log").write_text("x" * 11, encoding="utf-8")
    assert processes.wait(start("print('new')"), timeout_s=60) == 0
    assert (home / "probe.log").read_text(encoding="utf-8") == "new\n"
    assert (home / "probe.log.1").read_text(encoding="utf-8") == "x" * 11
