"""Runs one step of a rebuild with services of its own, and notes why it failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from pipeline.services import Services
from pipeline.steps.runner import noting

_P = ParamSpec("_P")
_R = TypeVar("_R")


def run(
    step: Callable[Concatenate[Services, str, _P], _R], run_id: str, *args: _P.args, **kwargs: _P.kwargs
) -> _R:
    """Run a step as a task of its own.

    Args:
        step: A function of ``pipeline.reindexing``; its name is its stage.
        run_id: The run that it belongs to.
        *args: What the step takes besides.
        **kwargs: The same, by name.

    Raises:
        RubricaError: What the step raised; the reason also lies in the run's folder, for ``close``.
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
    """Run a step with services that the caller keeps open, and with the settings as they are now."""
    with noting(services, step.__name__, run_id, *args):
        return step(services.unbound, run_id, *args, **kwargs)
