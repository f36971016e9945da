"""What the local stack tells its callers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

AIRFLOW_PARTS = ("api-server", "scheduler", "dag-processor", "triggerer")
"""The processes that ``airflow`` stands for, in the order they are shown."""

ALL_SERVICES = ("postgres", "redis", "milvus", "airflow")
"""What ``up`` starts by default."""


class EventKind(StrEnum):
    """What happened to a service."""

    WAITING = "waiting"
    STARTING = "starting"
    READY = "ready"
    UNCHANGED = "unchanged"
    NOTE = "note"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StackEvent:
    """One step of ``up`` or ``down``, to be shown to a person.

    Attributes:
        service: Name of the service, or ``stack`` for all of it.
        kind: What happened.
        message: One short sentence.
        address: Where the service listens, when that is known.
        seconds: How long the step took, for the kinds that end one.
    """

    service: str
    kind: EventKind
    message: str
    address: str = ""
    seconds: float = 0.0


OnEvent = Callable[[StackEvent], None]
"""Receives the events; called from one thread at a time."""


class ServiceState(StrEnum):
    """How a service is."""

    RUNNING = "running"
    UNHEALTHY = "unhealthy"
    DEAD = "dead"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """One service as it is now.

    Attributes:
        name: ``postgres``, ``redis``, ``milvus`` or a part of Airflow.
        state: ``dead`` means that it was started and is gone although nobody stopped it.
        address: ``host:port`` or URL; empty for parts that do not listen.
        pid: Process id, where it runs.
        since: Start of the process, where it runs.
        detail: Why it is not healthy, and where its log is.
    """

    name: str
    state: ServiceState
    address: str = ""
    pid: int | None = None
    since: datetime | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StackInfo:
    """Addresses and login of a stack that is up; empty strings for what was not asked for.

    The URLs of PostgreSQL and Redis carry passwords: show ``services`` instead.
    """

    home: str
    postgres_url: str = field(default="", repr=False)
    redis_url: str = field(default="", repr=False)
    milvus_uri: str = ""
    airflow_url: str = ""
    airflow_user: str = ""
    airflow_password: str = field(default="", repr=False)
    services: tuple[ServiceStatus, ...] = ()
    seconds: float = 0.0
