"""Polls many sources in one event loop, and tells of the revisions that the index lacks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from indexing.catalog.runs import RunState
from pipeline.commits.declared_file import DeclaredFile
from pipeline.commits.known import register
from pipeline.commits.model import Change
from pipeline.commits.poll_alarms import PollAlarms
from pipeline.commits.starting import reached, run_id_of
from pipeline.commits.turns import Look, Turns
from pipeline.services import Services
from rubrica.errors import ConfigurationError
from rubrica.log import get_logger
from rubrica.settings import Settings
from sources.declared import DeclaredSource
from sources.heads import newest_revision

_TICK_S = 1.0
_REREAD_S = 5.0
_log = get_logger(__name__)

LookAt = Callable[[Settings, DeclaredSource], Look]


def look_at(settings: Settings, source: DeclaredSource) -> Look:
    """Ask a source for its newest revision, and the catalog whether the index has it.

    A declared source that the catalog does not know yet is registered.

    Raises:
        RubricaError: The source or PostgreSQL does not answer, or cannot be read.
    """
    revision = newest_revision(source.spec, settings)
    change = Change(source.spec.name, revision)
    with Services(settings) as services:
        register(services, source.spec)
        if reached(services, change):
            return Look(revision, reached=True)
        run = services.catalog.runs.get(run_id_of(change))
    failed = run is not None and run.state is RunState.FAILED and run.finished_at
    return Look(
        revision,
        reached=False,
        running=run is not None and run.state is RunState.RUNNING,
        failed_s=(datetime.now(UTC) - failed).total_seconds() if failed else None,
    )


class Watcher:
    """Polls the declared sources for as long as it is iterated.

    Nothing ends it but its owner: a source that fails is asked less often, a broken file of sources or of
    settings leaves those from before in place.

    Args:
        look: Looks at one source, in a thread.
        alarms: Hears which looks failed; without it only the log does.
        tick_s: Seconds between two looks at the clock.
    """

    def __init__(
        self, look: LookAt = look_at, *, alarms: PollAlarms | None = None, tick_s: float = _TICK_S
    ) -> None:
        self._look_at = look
        self._alarms = alarms
        self._tick_s = tick_s
        self._file = DeclaredFile()
        self._turns = Turns()
        self._settings: Settings | None = None
        self._reread = 0.0
        self._told = ""

    async def changes(self) -> AsyncGenerator[list[Change], None]:
        """What the index lacks, each time with all that was found since the last."""
        loop, running = asyncio.get_running_loop(), dict[asyncio.Future[Look], DeclaredSource]()
        pool: ThreadPoolExecutor | None = None
        try:
            while True:
                settings = await self._read()
                if settings is not None:
                    pool = pool or ThreadPoolExecutor(settings.commits.poll_parallel, "rubrica-poll")
                    for source in self._turns.due(time.monotonic()):
                        running[loop.run_in_executor(pool, self._look, settings, source)] = source
                await asyncio.sleep(self._tick_s)
                done = [(running.pop(future), future) for future in list(running) if future.done()]
                if found := self._found(done):
                    yield found
        finally:
            for future in running:
                future.cancel()
            if pool is not None:
                pool.shutdown(wait=False, cancel_futures=True)

    def _look(self, settings: Settings, source: DeclaredSource) -> Look:
        """Look at a source and note how that went; both may wait, so both belong into the thread."""
        try:
            look = self._look_at(settings, source)
        except Exception as error:
            if self._alarms is not None:
                self._alarms.failed(settings, source.spec.name, error)
            raise
        if self._alarms is not None:
            self._alarms.worked(settings, source.spec.name)
        return look

    async def _read(self) -> Settings | None:
        """The settings; read anew now and then, and with them the sources."""
        now = time.monotonic()
        if now >= self._reread:
            self._reread = now + _REREAD_S
            await asyncio.to_thread(self._read_files)
        return self._settings

    def _read_files(self) -> None:
        try:
            self._settings, self._told = Settings(), ""
        except ConfigurationError as error:
            if str(error) != self._told:
                self._told = str(error)
                _log.error("the settings are not valid; those from before hold", reason=error.reason)
        if self._settings is not None:
            sources = self._file.sources(self._settings)
            self._turns.keep(sources, time.monotonic())
            if self._alarms is not None and self._file.valid:
                polled = [item.spec.name for item in sources if item.poll_s is not None]
                self._alarms.keep(self._settings, polled)

    def _found(self, done: Sequence[tuple[DeclaredSource, asyncio.Future[Look]]]) -> list[Change]:
        now, found = time.monotonic(), []
        for source, future in done:
            if (error := future.exception()) is not None:
                self._tell(source, error, self._turns.failed(source, now))
            elif change := self._turns.seen(source, future.result(), now):
                _log.info("the source has changed", source=change.source, revision=change.revision)
                found.append(change)
        return found

    def _tell(self, source: DeclaredSource, error: BaseException, failures: int) -> None:
        if failures == 1:
            _log.warning(
                "the source cannot be polled; it is asked less often until it can",
                source=source.spec.name,
                error=type(error).__name__,
                reason=str(error)[:500],
            )
