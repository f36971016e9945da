"""What a home remembers of its stack: ports, processes, and facts about its data."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import RLock
from typing import Any

from pipeline.stack import ports
from pipeline.stack.files import write_private
from pipeline.stack.processes import ProcessId
from rubrica.log import get_logger

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Record:
    """A process that was started.

    Attributes:
        pid: Process id.
        created: Time of birth, seconds since the epoch.
        signature: Digest of the command and the variables it was started with.
        ready: Whether it has answered, and what follows a start is done.
    """

    pid: int
    created: float
    signature: str
    ready: bool = False

    @property
    def process(self) -> ProcessId:
        """The process, recognisable."""
        return ProcessId(self.pid, self.created)


@dataclass(slots=True)
class State:
    """The file ``stack.json``, saved after every change; safe to share between threads."""

    path: Path
    ports: dict[str, int] = field(default_factory=dict)
    services: dict[str, Record] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock, repr=False)

    @classmethod
    def load(cls, path: Path) -> State:
        """Read the file; a missing or damaged one counts as empty, since processes carry marks too."""
        try:
            data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                path,
                ports={name: int(port) for name, port in data["ports"].items()},
                services={name: Record(**record) for name, record in data["services"].items()},
                facts={name: str(fact) for name, fact in data["facts"].items()},
            )
        except FileNotFoundError:
            return cls(path)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            log.warning("stack.json is damaged and will be written anew", path=str(path), error=str(error))
            return cls(path)

    def started(self, name: str, process: ProcessId, signature: str) -> None:
        """Remember a process."""
        with self._lock:
            self.services[name] = Record(process.pid, process.created, signature)
            self._save()

    def ready(self, name: str) -> None:
        """Remember that a service has come all the way up."""
        with self._lock:
            self.services[name] = replace(self.services[name], ready=True)
            self._save()

    def stopped(self, name: str) -> None:
        """Forget a process that was stopped on purpose."""
        with self._lock:
            if self.services.pop(name, None):
                self._save()

    def learn(self, **facts: str) -> None:
        """Remember facts about the data."""
        with self._lock:
            if not facts.items() <= self.facts.items():
                self.facts |= facts
                self._save()

    def assign_port(self, name: str, preferred: int) -> int:
        """The remembered port of a service that is about to start, or another when that is busy."""
        with self._lock:
            others = {port for owner, port in self.ports.items() if owner != name}
            wanted = self.ports.get(name, preferred)
            chosen = ports.choose(wanted, taken=others)
            if self.ports.get(name) != chosen:
                self.ports[name] = chosen
                self._save()
            return chosen

    def _save(self) -> None:
        data = {
            "ports": self.ports,
            "services": {name: asdict(record) for name, record in self.services.items()},
            "facts": self.facts,
        }
        write_private(self.path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
