"""What a rebuild is asked to do, and what it decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Self

from indexing.catalog.generations import Generation, GenerationState
from pipeline.artefacts import RunFolder
from pipeline.services import Services
from rubrica.errors import FatalError
from rubrica.model import Failure

_FILE = "reindex.json"
_FAILURES = "failures.json"


@dataclass(frozen=True, slots=True)
class ReindexRequest:
    """The parameters of a rebuild.

    Attributes:
        force: Build although no setting changed, or although the same was built before and is not live.
        gate: Let the recall gate judge before readers move.
    """

    force: bool = False
    gate: bool = True

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Self:
        """Read the parameters of a DAG run."""
        return cls(bool(params.get("force")), bool(params.get("gate", True)))

    def to_params(self) -> dict[str, Any]:
        """The parameters for a DAG run."""
        return asdict(self)


class Outcome(StrEnum):
    """What a rebuild decided at its beginning."""

    BUILD = "build"
    UP_TO_DATE = "up to date"
    TRIED_BEFORE = "tried before"
    EMPTY = "nothing is indexed yet"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a rebuild does, as its tasks hand it on.

    Attributes:
        outcome: Whether something is built.
        generation: Id of the generation that is built; of the one that was tried before; or 0.
        gate: Whether the recall gate judges.
        drift: What the new one has otherwise than the live one, in words.
    """

    outcome: Outcome
    generation: int = 0
    gate: bool = True
    drift: list[str] = field(default_factory=list)


def write_decision(services: Services, run_id: str, decision: Decision) -> None:
    """Store what a run decided."""
    RunFolder(services.workspace, run_id).write(_FILE, asdict(decision))


def read_decision(services: Services, run_id: str) -> Decision | None:
    """What a run decided; ``None`` before it has."""
    folder = RunFolder(services.workspace, run_id)
    if not folder.has(_FILE):
        return None
    values = folder.read(_FILE)
    return Decision(**values | {"outcome": Outcome(values["outcome"])})


def write_failures(services: Services, run_id: str, failures: Mapping[str, Failure]) -> None:
    """Store which documents the new generation cannot take, as long as they can be told."""
    folder = RunFolder(services.workspace, run_id)
    folder.write(_FAILURES, [asdict(failure) for failure in failures.values()])


def read_failures(services: Services, run_id: str) -> list[dict[str, Any]]:
    """Documents that the new generation could not take."""
    folder = RunFolder(services.workspace, run_id)
    return list(folder.read(_FAILURES)) if folder.has(_FAILURES) else []


def target_of(services: Services, run_id: str) -> Generation:
    """The generation that a run builds, as it stands now.

    Raises:
        FatalError: The run builds none, or the generation is given up.
    """
    decision = read_decision(services, run_id)
    target = services.catalog.generations.get(decision.generation) if decision else None
    if target is None or target.state not in {GenerationState.BUILDING, GenerationState.LIVE}:
        note = f": {target.note}" if target and target.note else "."
        raise FatalError(f"The index that was built is given up{note}")
    return target
