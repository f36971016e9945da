"""Runs one step with services of its own, and notes why it failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Concatenate, ParamSpec, TypeVar

import structlog

from pipeline.artefacts import RunFolder
from pipeline.services import Services
from rubrica.errors import RubricaError
from rubrica.identity import digest
from rubrica.log import get_logger
from rubrica.metrics import Counter

_P = ParamSpec("_P")
_R = TypeVar("_R")
_log = get_logger(__name__)


def run(
    step: Callable[Concatenate[Services, str, _P], _R], run_id: str, *args: _P.args, **kwargs: _P.kwargs
) -> _R:
    """Run a step as a task of its own.

    Args:
        step: A function of ``pipeline.steps``; its name is its stage.
        run_id: The run that it belongs to.
        *args: What the step takes besides.
        **kwargs: The same, by name.

    Returns:
        What the step returns.

    Raises:
        RubricaError: What the step raised, with its stage filled in; the reason also lies in the
            run's folder, where the verdict finds it.
    """
    with Services() as services:
        return run_with(services, step, run_id, *args, **kwargs)


def run_with(
    services: Services,
    step: Callable[Concatenate[Services, str, _P], _R],
    run_id: str,
    *args: _P.args,
    **kwargs: _P.kwargs,
) -> _R:
    """Run a step with services that the caller keeps open, bound to the live generation."""
    with noting(services, step.__name__, run_id, *args):
        started = time.perf_counter()
        result = step(services.live, run_id, *args, **kwargs)
        seconds = {Counter.STAGE_SECONDS: time.perf_counter() - started}
        services.catalog.runs.add_counters(run_id, step.__name__, _task(args), seconds)
        return result


@contextmanager
def noting(services: Services, stage: str, run_id: str, *args: object) -> Iterator[None]:
    """Log under a run and a stage, and note in the run's folder why the stage failed.

    Args:
        services: Open services.
        stage: Name of the step.
        run_id: The run.
        *args: What else tells this task from others of the stage.
    """
    folder = RunFolder(services.workspace, run_id)
    note = f"errors/{stage}-{_task(args)}.json"
    with structlog.contextvars.bound_contextvars(run=run_id, stage=stage):
        try:
            yield
        except RubricaError as error:
            kind = type(error).__name__
            _log.info("step failed", error=kind, reason=error.reason, hint=error.hint)
            folder.write(note, {"stage": stage, "error": kind, "reason": str(error.at(stage=stage))})
            raise
        folder.delete(note)


def _task(args: tuple[object, ...]) -> str:
    """Tells a task from others of its stage."""
    return digest(*map(str, args))[:12]


def noted_errors(services: Services, run_id: str) -> list[str]:
    """Reasons of the run's steps that failed and did not succeed later."""
    folder = RunFolder(services.workspace, run_id)
    return list(dict.fromkeys(folder.read(name)["reason"] for name in folder.names("errors")))


def has_failed(services: Services, run_id: str, stages: Collection[str]) -> bool:
    """Whether a step of one of these stages failed and did not succeed later."""
    folder = RunFolder(services.workspace, run_id)
    return any(folder.read(name)["stage"] in stages for name in folder.names("errors"))


def stopped_by(services: Services, run_id: str, error: type[RubricaError]) -> bool:
    """Whether a step of the run failed with an error of this very type, and did not succeed later."""
    folder = RunFolder(services.workspace, run_id)
    return any(folder.read(name).get("error") == error.__name__ for name in folder.names("errors"))
