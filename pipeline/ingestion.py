"""Starts an ingestion and follows it to its verdict."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from indexing.catalog.runs import RunState
from pipeline import steps
from pipeline.airflow_client import AirflowClient, DagRun
from pipeline.declaring import refuse_other_declaration, register_declared, try_first
from pipeline.globs import new_exclude, new_include, told_changes
from pipeline.locking import keep_alive, release_dead_owner
from pipeline.services import PROCESS_TTL_S, Services
from pipeline.steps.request import HERE
from pipeline.steps.runner import run_with
from pipeline.steps.verdict_step import summary
from rubrica.errors import RubricaError, RunFailedError, ServiceUnavailableError, StackDownError
from rubrica.model import SourceSpec
from sources.declared import declared_sources
from sources.factory import spec_from_location
from sources.spec import checked_spec

DAG_ID = "ingest"

OnProgress = Callable[[str, int, int], None]
"""Called with what is going on, tasks done and tasks known so far."""


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How a source is to be read; what is not given stays as it was declared.

    Attributes:
        name: Name of the source.
        branch: Branch to follow.
        include: Globs of paths to take; an empty one alone takes all.
        exclude: Globs of paths to leave out; an empty one alone leaves out none. Single paths that were left
            out stay so (see ``pipeline.globs``).
        kind: Kind of the source, where its address does not tell.
    """

    name: str = ""
    branch: str = ""
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    kind: str = ""

    @property
    def given(self) -> bool:
        """Whether any option was given."""
        return bool(self.name or self.branch or self.include or self.exclude or self.kind)


def declare_source(
    services: Services, place: str, options: SourceOptions, tell: Callable[[str], None] = lambda _: None
) -> SourceSpec:
    """Find or register the source that the user means.

    Args:
        services: Open services.
        place: Name of a declared or known source, URL or path.
        options: How to read it; given for a known source, they replace what was declared by a command.
        tell: Called with sentences about globs that were replaced.

    Raises:
        ConfigurationError: There is nothing at that place, the options are not valid, or the file of
            sources declares it otherwise.
        SourceError: The source cannot be read, or has no such branch.
        SourceUnavailableError: It does not answer.
    """
    if options.given:
        for name in (place, options.name):
            refuse_other_declaration(services.settings, name)
    else:
        declared = register_declared(services, place)
        if declared is not None:
            return declared
    spec, known = _meant(services, place, options)
    if spec == known:
        return spec
    refuse_other_declaration(services.settings, spec.name)
    try_first(services, spec, guessed=not options.kind)
    services.catalog.sources.register(spec)
    for sentence in told_changes(known, spec) if known else ():
        tell(sentence)
    return spec


def _meant(services: Services, place: str, options: SourceOptions) -> tuple[SourceSpec, SourceSpec | None]:
    """The source that the user means, and what is known of it."""
    sources = services.catalog.sources
    named = sources.get(place)
    if named is not None and not options.given:
        return named, named
    typed = _typed(place, named, options)
    if options.name:
        known = sources.get(options.name) or named
    else:
        known = named or _same_place(services, typed) or sources.get(typed.name)
    if known is None or not options.given:
        return known or typed, known
    return _merged(typed, known, options), known


def _typed(place: str, named: SourceSpec | None, options: SourceOptions) -> SourceSpec:
    """What the command line says alone; a known name stands for its address and kind."""
    return spec_from_location(
        named.location if named else place,
        kind=options.kind or (named.kind if named else ""),
        name=options.name or (named.name if named else ""),
        branch=options.branch,
        include=new_include((), options.include),
        exclude=new_exclude((), options.exclude),
    )


def _merged(typed: SourceSpec, known: SourceSpec, options: SourceOptions) -> SourceSpec:
    """What was given, and for the rest what is known.

    Options of the kind may name a login, which must not go to another place.
    """
    same_kind = typed.kind == known.kind
    same_place = same_kind and typed.location == known.location
    return checked_spec(
        typed.kind,
        typed.location,
        name=options.name or known.name,
        branch=typed.branch or (known.branch if same_kind else ""),
        include=new_include(known.include, options.include),
        exclude=new_exclude(known.exclude, options.exclude),
        options=known.options if same_place else None,
    )


def _same_place(services: Services, spec: SourceSpec) -> SourceSpec | None:
    """The declared source, else the known one, that watches a place already."""
    for item in declared_sources(services.settings):
        there = item.spec
        same_branch = spec.branch in ("", there.branch)
        if same_branch and (there.kind, there.location) == (spec.kind, spec.location):
            return register_declared(services, there.name)
    return services.catalog.sources.find(spec.kind, spec.location, spec.branch)


def new_run_id(source: str) -> str:
    """Id of a run that a command starts; Airflow allows ``[A-Za-z0-9_.~:+-]``."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
    return f"rubrica__{source}__{now}-{secrets.token_hex(2)}"


def start(client: AirflowClient, services: Services, request: steps.IngestRequest) -> str:
    """Start a run of the DAG; returns its id."""
    release_dead_owner(services.catalog, client, request.source)
    run_id = new_run_id(request.source)
    client.trigger(DAG_ID, run_id, request.to_params())
    return run_id


def follow(client: AirflowClient, services: Services, run_id: str, on_progress: OnProgress) -> dict[str, Any]:
    """Wait for a run in Airflow.

    Returns:
        Its summary.

    Raises:
        RunFailedError: It ended red.
    """
    ended = watch(client, DAG_ID, run_id, on_progress)
    known = services.catalog.runs.get(run_id)
    if ended.state == "success":
        return summary(services, run_id)
    reason = known.error if known and known.error else "Airflow ended the run before its verdict."
    raise RunFailedError(reason, hint=f"See the run {run_id} in Airflow's UI.")


def watch(client: AirflowClient, dag_id: str, run_id: str, on_progress: OnProgress) -> DagRun:
    """Wait for the end of any run in Airflow.

    Raises:
        StackDownError: Airflow went down; the run goes on when it is up again.
    """

    def report(run: DagRun, tasks: Counter[str]) -> None:
        done = sum(tasks[state] for state in ("success", "failed", "skipped", "upstream_failed"))
        running = {task.task_id for task in client.tasks(dag_id, run_id) if task.state == "running"}
        on_progress(
            ", ".join(sorted(name.removeprefix("batch.") for name in running)) or run.state,
            done,
            tasks.total(),
        )

    try:
        return client.wait(dag_id, run_id, on_poll=report)
    except (StackDownError, ServiceUnavailableError) as error:
        hint = f"The run {run_id} goes on by itself when Airflow is up again: `rubrica up`."
        raise StackDownError(error.reason, hint=hint) from error


def run_here(
    services: Services, request: steps.IngestRequest, run_id: str, on_progress: OnProgress
) -> dict[str, Any]:
    """Run all steps in this process, one after the other, without Airflow.

    Models are loaded once, and the run ends with the same verdict as in Airflow.

    Returns:
        The run's summary.

    Raises:
        RunFailedError: It ended red.
    """
    services.lock_ttl_s = PROCESS_TTL_S
    request = replace(request, trigger=HERE)
    try:
        with keep_alive(services.catalog.locks, [request.source], run_id):
            # A step that failed has noted why, and the verdict judges by what is in the catalog.
            with suppress(RubricaError):
                _run_batches(services, request, run_id, on_progress)
            with suppress(RubricaError):
                for generation in run_with(services, steps.retire, run_id):
                    on_progress("mirror", 0, 0)
                    run_with(services, steps.mirror, run_id, generation)
            return run_with(services, steps.verdict, run_id)
    except KeyboardInterrupt:
        _abandon(services, run_id)
        raise


def _abandon(services: Services, run_id: str) -> None:
    """End an interrupted run, so that the next one need not wait for it."""
    run = services.catalog.runs.get(run_id)
    if run is not None:
        services.catalog.runs.finish(run_id, RunState.FAILED, error="The run was interrupted.")
        services.catalog.locks.release(run.source, run_id)


def _run_batches(
    services: Services, request: steps.IngestRequest, run_id: str, on_progress: OnProgress
) -> None:
    on_progress("detect", 0, 0)
    delta = run_with(services, steps.detect, run_id, request)
    batches = run_with(services, steps.plan, run_id, delta)
    for number, batch in enumerate(batches):
        for offset, step in enumerate((steps.extract, steps.chunk)):
            on_progress(step.__name__, 3 * number + offset, 3 * len(batches))
            batch = run_with(services, step, run_id, batch)  # noqa: PLW2901 — each step hands on a key
        on_progress("index", 3 * number + 2, 3 * len(batches))
        run_with(services, steps.index, run_id, batch)
