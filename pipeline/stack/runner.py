"""Brings one service up or down, whatever state it is found in."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock

import psutil

from pipeline.stack import ports, processes
from pipeline.stack.files import tail
from pipeline.stack.model import EventKind, OnEvent, StackEvent
from pipeline.stack.processes import ProcessId
from pipeline.stack.service import Context, NotReadyError, Service, signature
from pipeline.stack.state import Record
from rubrica.errors import StackDownError
from rubrica.log import hide_secrets

_POLL_S = 0.1
_ATTEMPTS = 3


class Runner:
    """Starts and stops services of one home; its methods may run in several threads.

    Args:
        context: Home, state and secrets.
        on_event: Receives what happens.
    """

    def __init__(self, context: Context, on_event: OnEvent) -> None:
        self._home = context.home
        self._state = context.state
        self._on_event = on_event
        self._event_lock = Lock()
        self._cancelled = Event()

    def cancel(self) -> None:
        """Let every wait end soon, with an error."""
        self._cancelled.set()

    def emit(
        self, service: str, kind: EventKind, message: str, *, address: str = "", since: float = 0
    ) -> None:
        """Report an event; ``since`` is the monotonic time at which the step began."""
        seconds = time.monotonic() - since if since else 0.0
        with self._event_lock:
            self._on_event(StackEvent(service, kind, message, address, seconds))

    # --- Up --------------------------------------------------------------------------------------

    def ensure(self, service: Service) -> None:
        """Make sure that a service runs as it should.

        Raises:
            RubricaError: It cannot be started; what was started of it is ended again.
        """
        record = self._living(service)
        if record and self.is_current(service) and self._works(service, record):
            self.emit(service.name, EventKind.UNCHANGED, "already running", address=service.address())
            return
        if record:
            self.emit(service.name, EventKind.NOTE, "runs but does not answer, or not as it is set up now")
            self.stop([service])
        self._start(service)

    def is_current(self, service: Service) -> bool:
        """Whether it lives and was started the way it would be started now."""
        record = self._living(service)
        return record is not None and record.signature == signature(service.launch())

    def _living(self, service: Service) -> Record | None:
        record = self._state.services.get(service.name)
        return record if record and record.process.find() else None

    def _works(self, service: Service, record: Record) -> bool:
        # One that was never ready may still be starting, after an `up` that was cut off.
        timeout = service.recovery_s if record.ready else service.start_timeout_s
        try:
            self._wait(service, record.process, timeout_s=timeout)
        except StackDownError:
            if self._cancelled.is_set():  # nothing is known about the service: it may be busy, and stays
                raise
            return False
        if not record.ready:
            service.after_start()
            self._state.ready(service.name)
        return True

    def _start(self, service: Service) -> None:
        begun = time.monotonic()
        self.emit(service.name, EventKind.STARTING, "starting")
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._try_start(service)
                break
            except StackDownError as error:
                self.stop([service], quiet=True)
                if attempt == _ATTEMPTS or not self._port_lost(service):
                    self.emit(service.name, EventKind.FAILED, error.reason.partition("\n")[0], since=begun)
                    raise
                self.emit(service.name, EventKind.NOTE, f"port {self._port(service)} was taken meanwhile")
        service.after_start()
        self._state.ready(service.name)
        self.emit(service.name, EventKind.READY, "ready", address=service.address(), since=begun)

    def _try_start(self, service: Service) -> None:
        processes.kill(processes.marked(self._home.root, service.name))  # what a killed parent left behind
        if service.preferred_port:
            self._state.assign_port(service.name, service.preferred_port)
        service.prepare()
        what = service.launch()
        log = self._home.log(service.name)
        size = log.stat().st_size if log.exists() else 0
        process = processes.launch(what, home=self._home.root, service=service.name, log=log)
        self._state.started(service.name, process, signature(what))
        self._wait(service, process, timeout_s=service.start_timeout_s, log_start=size)

    def _require_own_port(self, service: Service, process: ProcessId) -> None:
        """Not all checks need a password: the server of another home, started just now, may have answered."""
        leader = process.find()
        if service.preferred_port and leader and not processes.listens(leader, self._port(service)):
            raise NotReadyError(f"another process answers on its port {self._port(service)}")

    def _port(self, service: Service) -> int:
        return self._state.ports.get(service.name, 0)

    def _port_lost(self, service: Service) -> bool:
        return bool(service.preferred_port) and not ports.is_free(self._port(service))

    def _wait(self, service: Service, process: ProcessId, *, timeout_s: float, log_start: int = 0) -> None:
        deadline = time.monotonic() + timeout_s
        while True:
            if process.find() is None:
                raise self._down(service, f"ended while it was starting{_code(process)}", log_start)
            try:
                service.check(process)
                self._require_own_port(service, process)
            except NotReadyError as error:
                reason = str(error)
            else:
                if process.find():  # it may have died of a signal sent just before
                    return
                continue
            if time.monotonic() > deadline:
                raise self._down(service, f"did not work after {timeout_s:.0f} s ({reason})", log_start)
            if self._cancelled.wait(_POLL_S):
                raise StackDownError(f"{service.name} was interrupted while it was starting.")

    def _down(self, service: Service, what: str, log_start: int) -> StackDownError:
        log = self._home.log(service.name)
        lines = hide_secrets(tail(log, start=log_start))
        said = f"\nIts last lines:\n{lines}" if lines else ""
        return StackDownError(f"{service.name} {what}.{said}", hint=f"\nThe whole log: {log}")

    # --- Down ------------------------------------------------------------------------------------

    def stop(self, services: Iterable[Service], *, quiet: bool = False) -> int:
        """End services side by side, with all that they started.

        Returns:
            How many of them had something to end.
        """
        services = list(services)
        if not services:
            return 0
        with ThreadPoolExecutor(len(services)) as pool:
            return sum(pool.map(lambda service: self._stop(service, quiet=quiet), services))

    def _stop(self, service: Service, *, quiet: bool) -> bool:
        begun = time.monotonic()
        leader = self._leader(service)
        found = bool(leader) or bool(processes.marked(self._home.root, service.name))
        if found and not quiet:
            self.emit(service.name, EventKind.STOPPING, "stopping")
        if leader:
            processes.end([leader], first=service.stop_signal, grace_s=service.stop_grace_s)
        processes.kill(processes.marked(self._home.root, service.name))
        service.clean_up()
        self._state.stopped(service.name)
        if found and not quiet:
            self.emit(service.name, EventKind.STOPPED, "stopped", since=begun)
        return found

    def _leader(self, service: Service) -> psutil.Process | None:
        record = self._state.services.get(service.name)
        return record.process.find() if record else None


def _code(process: ProcessId) -> str:
    code = processes.exit_code(process.pid)
    return "" if code is None else f" (exit code {code})"
