"""A process that does a part of the pipeline's work and is killed (−9) at a given call.

Run as ``python -m tests.support.killing POINT COMMAND``, both JSON; settings come from the environment.
The production code knows nothing of it: the call is wrapped here.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import count
from typing import Any, Literal

from extraction.extract import extract
from extraction.worker import ExtractionJob, ExtractionOutcome
from rubrica.errors import PoisonDocumentError
from rubrica.settings import ExtractionSettings
from tests.support.indexing import DigestEmbedder


@dataclass(frozen=True, slots=True)
class KillPoint:
    """A call at which the process dies.

    Attributes:
        target: ``module:function`` or ``module:Class.method``.
        when: Whether the call still happens.
        nth: Which call of it, from 1.
    """

    target: str
    when: Literal["before", "after"]
    nth: int = 1

    def __str__(self) -> str:
        name = self.target.rpartition(":")[2]
        return f"{self.when} {name}" + (f" no. {self.nth}" if self.nth > 1 else "")


def run_and_die(point: KillPoint, command: dict[str, Any], environment: dict[str, str]) -> None:
    """Run a command in a process of its own, which must die at the point."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.killing", json.dumps(asdict(point)), json.dumps(command)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == -signal.SIGKILL, f"{point} was not reached:\n{done.stdout}\n{done.stderr}"


def arm(point: KillPoint) -> None:
    """Let this process die at a call."""
    module, _, path = point.target.partition(":")
    *owners, name = path.split(".")
    owner = functools.reduce(getattr, owners, import_module(module))
    setattr(owner, name, _deadly(getattr(owner, name), point))


def _deadly(function: Callable[..., Any], point: KillPoint) -> Callable[..., Any]:
    calls = count(1)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        deadly = next(calls) == point.nth
        if deadly and point.when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*args, **kwargs)
        if deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return wrapped


def use_quick_parts(patch: Callable[[str, Any], None]) -> None:
    """Embed by digests and read files in this process: neither is what these tests are about."""
    patch("indexing.embedders.factory.build_embedder", lambda _: DigestEmbedder())
    patch("pipeline.steps.extract_step.extract_isolated", _extract_here)


def _extract_here(
    jobs: Iterable[ExtractionJob], settings: ExtractionSettings, *, workers: int
) -> Iterator[ExtractionOutcome]:
    del workers
    for job in jobs:
        try:
            yield ExtractionOutcome(job.path, extract(job.content, job.path, settings))
        except PoisonDocumentError as error:
            yield ExtractionOutcome(job.path, error=error)


def _patch(target: str, value: Any) -> None:
    module, _, name = target.rpartition(".")
    setattr(import_module(module), name, value)


def main() -> None:
    """Do the command; the kill point decides how far."""
    from pipeline.services import Services

    point, command = (json.loads(argument) for argument in sys.argv[1:])
    use_quick_parts(_patch)
    arm(KillPoint(**point))
    work = command.pop("do")
    with Services() as services:
        COMMANDS[work](services, **command)


def ingest(services: Any, source: str, run_id: str) -> None:
    """Ingest a source under a run id."""
    from pipeline.ingestion import run_here
    from pipeline.steps import IngestRequest

    run_here(services, IngestRequest(source, allow_removals=True), run_id, lambda *_: None)


def reindex(services: Any) -> None:
    """Build a generation with the settings as they are, and let it go live without a gate."""
    from pipeline.reindexing import ReindexRequest, starting

    starting.run_here(services, ReindexRequest(gate=False), starting.new_run_id(), lambda *_: None)


def rollback(services: Any) -> None:
    """Go back to the generation that soaks."""
    from pipeline.reindexing import starting
    from pipeline.reindexing.switching import roll_back

    roll_back(services, starting.new_run_id())


COMMANDS: dict[str, Callable[..., None]] = {"ingest": ingest, "reindex": reindex, "rollback": rollback}


if __name__ == "__main__":
    main()
