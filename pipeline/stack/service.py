"""What all services of the stack have in common."""

from __future__ import annotations

import hashlib
import json
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from pipeline.stack.credentials import Secrets
from pipeline.stack.home import StackHome
from pipeline.stack.ports import LOOPBACK
from pipeline.stack.processes import Launch, ProcessId
from pipeline.stack.state import State


class NotReadyError(Exception):
    """The service does not answer as it should, yet; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Context:
    """What services are built from.

    Attributes:
        home: Folders and files.
        state: What is remembered.
        secrets: Passwords and keys.
        checkout: Folder that holds ``dags`` and ``plugins``.
    """

    home: StackHome
    state: State
    secrets: Secrets
    checkout: Path


class Service(Protocol):
    """A process of the stack: how to start it, to see that it works, and to end it."""

    name: str
    preferred_port: int
    """Port it would like; 0 when it does not listen."""
    stop_signal: signal.Signals
    """What it understands as a polite request to end."""
    stop_grace_s: float
    start_timeout_s: float
    recovery_s: float
    """How long one that was ready may fail its check before it is started anew."""

    def prepare(self) -> None:
        """Make folders, configuration and databases; called when no process of the service lives."""
        ...

    def launch(self) -> Launch:
        """How to start it, on the port that is assigned now."""
        ...

    def check(self, process: ProcessId) -> None:
        """Use the service once.

        Raises:
            NotReadyError: It does not work.
        """
        ...

    def after_start(self) -> None:
        """What must be done once after each start, when ``check`` has passed."""
        ...

    def clean_up(self) -> None:
        """End what outlives the process and is found by no other means."""
        ...

    def address(self) -> str:
        """Where it listens, without a password; empty when it does not."""
        ...


class BaseService:
    """Defaults of a service.

    Args:
        context: Home, state and secrets.
    """

    name: str
    preferred_port: int = 0
    stop_signal: signal.Signals = signal.SIGTERM
    stop_grace_s: float = 10.0
    start_timeout_s: float = 180.0
    recovery_s: float = 10.0
    _scheme: ClassVar[str] = ""

    def __init__(self, context: Context) -> None:
        self.home = context.home
        self.state = context.state
        self.secrets = context.secrets
        self.checkout = context.checkout

    @property
    def port(self) -> int:
        """The assigned port; the preferred one before the first start."""
        return self.state.ports.get(self.name, self.preferred_port)

    def prepare(self) -> None:
        """Nothing to prepare."""

    def after_start(self) -> None:
        """Nothing to do."""

    def clean_up(self) -> None:
        """Nothing outlives it."""

    def address(self) -> str:
        """``host:port`` or a URL."""
        return f"{self._scheme}{LOOPBACK}:{self.port}" if self.preferred_port else ""


def signature(what: Launch) -> str:
    """Digest of how a process is started: another one means that it must be started anew."""
    text = json.dumps([list(what.command), dict(what.env), str(what.cwd)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
