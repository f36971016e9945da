from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from pipeline.stack.credentials import Secrets
from pipeline.stack.home import StackHome
from pipeline.stack.model import EventKind, StackEvent
from pipeline.stack.processes import Launch, ProcessId, kill, listens, marked
from pipeline.stack.runner import Runner
from pipeline.stack.service import BaseService, Context, NotReadyError
from pipeline.stack.state import State
from rubrica.errors import StackDownError

_LISTENER = """
import socket, sys, time
time.sleep(float(sys.argv[2]))
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", int(sys.argv[1])))
server.listen()
time.sleep(600)
"""


class Listener(BaseService):
    """Listens some time after it was started; its check asks nothing of it."""

    name = "listener"
    preferred_port = 47_811
    delay_s = 0.0
    works = True

    def launch(self) -> Launch:
        return Launch([sys.executable, "-c", _LISTENER, str(self.port), str(self.delay_s)])

    def check(self, process: ProcessId) -> None:
        del process
        if not self.works:
            raise NotReadyError("busy")


class Home:
    """A home with one service, and what was said about it."""

    def __init__(self, root: Path) -> None:
        self.home = StackHome(root)
        self.home.create()
        self.home.logs.mkdir(exist_ok=True)
        self.context = Context(self.home, State.load(self.home.state), Secrets(), root)
        self.events: list[StackEvent] = []
        self.runner = Runner(self.context, self.events.append)
        self.service = Listener(self.context)

    @property
    def pid(self) -> int:
        return self.context.state.services["listener"].pid


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    kill(marked(made.home.root))


def test_an_interrupted_up_leaves_a_service_that_was_running(home: Home) -> None:
    home.runner.ensure(home.service)
    pid = home.pid
    home.service.works = False
    home.runner.cancel()
    with pytest.raises(StackDownError, match="interrupted"):
        home.runner.ensure(home.service)
    assert home.pid == pid
    assert psutil.pid_exists(pid)
    assert EventKind.STOPPING not in {event.kind for event in home.events}


def test_the_server_of_another_home_is_not_taken_for_ones_own(home: Home) -> None:
    port = home.context.state.assign_port("listener", Listener.preferred_port)
    home.service.delay_s = 3.0  # the other, started as the port was still free, is faster
    other = subprocess.Popen([sys.executable, "-c", _LISTENER, str(port), "1.0"])
    try:
        home.runner.ensure(home.service)
        assert home.service.port != port
        assert listens(psutil.Process(home.pid), home.service.port)
        assert listens(psutil.Process(other.pid), port)
        assert not listens(psutil.Process(other.pid), home.service.port)
    finally:
        other.kill()
        other.wait()
