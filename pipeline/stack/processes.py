"""Starting, recognising and ending processes, without ever touching somebody else's.

A process is ours when its pid *and* its time of birth are the recorded ones, or when it carries our
mark: two environment variables with the home and the service, which every descendant inherits. So
what outlives a killed parent, or a lost state file, is still found.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from rubrica.errors import FatalError

MARK_HOME = "RUBRICA_STACK_HOME"
MARK_SERVICE = "RUBRICA_STACK_SERVICE"

# psutil derives a birth time from the clock, which may be set while the process lives.
_CLOCK_TOLERANCE_S = 2.0
_MAX_LOG_BYTES = 16 * 1024 * 1024

# Children are kept so that they can be waited for: a dead one would stay a zombie.
_children: dict[int, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True, slots=True)
class ProcessId:
    """A process that cannot be mistaken for a later one with the same number.

    Attributes:
        pid: Process id.
        created: Time of birth, seconds since the epoch.
    """

    pid: int
    created: float

    def find(self) -> psutil.Process | None:
        """The process, when it still lives."""
        exit_code(self.pid)  # reaps a dead child
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.created) < _CLOCK_TOLERANCE_S
        except psutil.NoSuchProcess:
            return None
        return process if same and lives(process) else None


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a process.

    Attributes:
        command: Program and arguments; never a secret, since everybody may read them.
        env: Variables on top of the inherited ones.
        cwd: Working folder.
        drop: Inherited variables with these prefixes are left out.
    """

    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path = Path("/")
    drop: tuple[str, ...] = ()


def launch(what: Launch, *, home: Path, service: str, log: Path) -> ProcessId:
    """Start a process in a session of its own, which outlives the caller and its terminal.

    Args:
        what: The command.
        home: Home of the stack, for the mark.
        service: Name of the service, for the mark.
        log: File that receives its output, appended.

    Raises:
        FatalError: The program cannot be run.
    """
    _rotate(log)
    env = {name: value for name, value in os.environ.items() if not name.startswith(what.drop)}
    env |= {**what.env, **_no_proxy(env), **mark(home, service)}
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        child = subprocess.Popen(
            list(what.command),
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=subprocess.STDOUT,
            cwd=what.cwd,
            env=env,
            start_new_session=True,
        )
    except OSError as error:
        raise FatalError(f"Cannot run {what.command[0]}: {error.strerror}.", stage=service) from error
    finally:
        os.close(handle)
    _children[child.pid] = child
    return ProcessId(child.pid, _created(child.pid))


def exit_code(pid: int) -> int | None:
    """Exit code of a child that has ended; None while it lives or when it is not our child."""
    child = _children.get(pid)
    return None if child is None else child.poll()


def wait(child: ProcessId, *, timeout_s: float) -> int:
    """Wait for a child to end.

    Returns:
        Its exit code; negative when a signal ended it.

    Raises:
        FatalError: It did not end in time, and was ended.
    """
    try:
        return _children[child.pid].wait(timeout_s)
    except subprocess.TimeoutExpired as error:
        if process := child.find():
            kill([process, *descendants(process)])
        raise FatalError(f"A step did not end within {timeout_s:.0f} s and was stopped.") from error


def mark(home: Path, service: str) -> dict[str, str]:
    """The variables by which :func:`marked` finds a process and its descendants."""
    return {MARK_HOME: str(home), MARK_SERVICE: service}


def marked(home: Path, service: str = "") -> list[psutil.Process]:
    """Living processes that carry the mark of ``home`` (and of ``service``), callers excluded."""
    spared = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    found = []
    for process in psutil.process_iter():
        if process.pid in spared:
            continue
        try:
            env = process.environ()
        except (psutil.Error, OSError):
            continue  # another user's, or just gone
        if env.get(MARK_HOME) == str(home) and service in ("", env.get(MARK_SERVICE)):
            found.append(process)
    return [process for process in found if lives(process)]


def lives(process: psutil.Process) -> bool:
    """Whether a process still runs code.

    A zombie does not, unless it has threads that are still ending: they hold its files and ports.
    """
    try:
        if not process.is_running():
            return False
        return process.status() != psutil.STATUS_ZOMBIE or process.num_threads() > 1
    except psutil.NoSuchProcess:
        return False


def descendants(process: psutil.Process) -> list[psutil.Process]:
    """All children of a process, their children included."""
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def listens(process: psutil.Process, port: int) -> bool:
    """Whether a process or one it started listens on a port; also true where that cannot be seen."""
    for member in [process, *descendants(process)]:
        try:
            sockets = member.net_connections("tcp")
        except psutil.AccessDenied:
            return True
        except psutil.NoSuchProcess:
            continue
        if any(s.status == psutil.CONN_LISTEN and s.laddr.port == port for s in sockets):
            return True
    return False


def end(leaders: Iterable[psutil.Process], *, first: signal.Signals, grace_s: float) -> None:
    """Ask processes to end, then make sure that they and their descendants are gone.

    Args:
        leaders: Processes that know how to end their own children.
        first: The signal they understand as a polite request.
        grace_s: Seconds that the polite way may take.
    """
    leaders = list(leaders)
    family = [child for leader in leaders for child in descendants(leader)]
    _signal(leaders, first)
    stubborn = _wait_gone(leaders, grace_s)
    family += [child for leader in stubborn for child in descendants(leader)]
    kill([*stubborn, *family])


def kill(processes: Iterable[psutil.Process], *, grace_s: float = 2.0) -> None:
    """End processes that need no order: SIGTERM, a short wait, SIGKILL."""
    rest = [process for process in set(processes) if lives(process)]
    _signal(rest, signal.SIGTERM)
    rest = _wait_gone(rest, grace_s)
    _signal(rest, signal.SIGKILL)
    _wait_gone(rest, 5)


def _signal(processes: Iterable[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        try:
            process.send_signal(number)  # psutil refuses when the pid was given to another process
        except psutil.NoSuchProcess:
            continue


def _wait_gone(waited: Iterable[psutil.Process], timeout_s: float) -> list[psutil.Process]:
    """Wait for processes to end and return those that have not.

    A zombie counts as gone: where nobody reaps orphans, as in many containers, it stays for ever.
    """
    deadline = time.monotonic() + timeout_s
    while rest := [process for process in waited if lives(process)]:
        if time.monotonic() > deadline:
            return rest
        time.sleep(0.05)
    for child in list(_children.values()):
        child.poll()
    return []


def _created(pid: int) -> float:
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.NoSuchProcess:
        return time.time()


def _no_proxy(env: Mapping[str, str]) -> dict[str, str]:
    # The services speak to each other on loopback, whatever proxy the caller's shell names.
    hosts = [*filter(None, env.get("no_proxy", env.get("NO_PROXY", "")).split(",")), "127.0.0.1", "localhost"]
    return dict.fromkeys(("no_proxy", "NO_PROXY"), ",".join(hosts))


def _rotate(log: Path) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > _MAX_LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))
