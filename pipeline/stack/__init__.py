"""The local stack: PostgreSQL, Redis, Milvus and Airflow out of wheels, on loopback only.

``LocalStack(home).up(on_event)`` starts what does not run yet and returns the addresses; ``down``
leaves no process behind; ``status`` tells what lives. Everything it writes is under the home, except
where the system's rules forbid that (see :mod:`pipeline.stack.postgres`).
"""

from pipeline.stack.model import (
    ALL_SERVICES,
    EventKind,
    ServiceState,
    ServiceStatus,
    StackEvent,
    StackInfo,
)
from pipeline.stack.stack import LocalStack

__all__ = [
    "ALL_SERVICES",
    "EventKind",
    "LocalStack",
    "ServiceState",
    "ServiceStatus",
    "StackEvent",
    "StackInfo",
]
