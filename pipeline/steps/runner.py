"""Runs one step with services of its own, and notes why it failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import structlog

from pipeline.artefacts import RunFolder
from pipeline.services import Services
from rubrica.errors import RubricaError
from rubrica.identity import digest
from rubrica.log import get_logger

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
    """Run a step with services that the caller keeps open."""
    stage = step.__name__
    folder = RunFolder(services.workspace, run_id)
    note = f"errors/{stage}-{digest(*map(str, args))[:12]}.json"
    with structlog.contextvars.bound_contextvars(run=run_id, stage=stage):
        try:
            result = step(services, run_id, *args, **kwargs)
        except RubricaError as error:
            _log.info("step failed", error=type(error).__name__, reason=error.reason, hint=error.hint)
            folder.write(note, {"stage": stage, "reason": str(error.at(stage=stage))})
            raise
        folder.delete(note)
        return result


def noted_errors(services: Services, run_id: str) -> list[str]:
    """Reasons of the run's steps that failed and did not succeed later."""
    folder = RunFolder(services.workspace, run_id)
    return list(dict.fromkeys(folder.read(name)["reason"] for name in folder.names("errors")))
