"""``rubrica up``, ``status`` and ``down``: the local stack."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from pipeline.cli.output import JsonOption, emit, folding_table, stderr, stdout
from pipeline.stack.model import ALL_SERVICES, EventKind, ServiceState, ServiceStatus, StackEvent, StackInfo
from rubrica.errors import ConfigurationError
from rubrica.settings import home_folder

_SIGNS = {
    EventKind.READY: "[green]✓[/]",
    EventKind.UNCHANGED: "[green]✓[/]",
    EventKind.STOPPED: "[green]✓[/]",
    EventKind.FAILED: "[red]✗[/]",
    EventKind.NOTE: "[dim]·[/]",
}
_COLORS = {ServiceState.RUNNING: "green", ServiceState.STOPPED: "dim"}


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(up)
    app.command()(status)
    app.command()(down)


def up(
    *,
    as_json: JsonOption = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Start only this service ({', '.join(ALL_SERVICES)}); may be given more than once."
        ),
    ] = None,
) -> None:
    """Start PostgreSQL, Redis, Milvus and Airflow on this machine, without Docker or root."""
    from pipeline.stack import LocalStack

    unknown = sorted(set(only or ()) - set(ALL_SERVICES))
    if unknown:
        raise ConfigurationError(
            f"There is no service {unknown[0]!r}.", hint=f"Choose from {', '.join(ALL_SERVICES)}."
        )
    info = LocalStack(home_folder()).up(show_event, tuple(only) if only else ALL_SERVICES)
    if as_json:
        _emit_info(info)
    else:
        show_info(info)


def status(*, as_json: JsonOption = False) -> None:
    """Show what runs, where, since when; exits 3 when something that should run does not."""
    from pipeline.stack import LocalStack

    services = LocalStack(home_folder()).status()
    table = folding_table("service", "state", "address", "pid", "since", "detail")
    for service in services:
        if as_json:
            emit("service", asdict(service))
        else:
            table.add_row(*_status_row(service))
    if not as_json:
        stdout.print(table)
        stdout.print(f"home: {home_folder()} (RUBRICA_HOME names another)", soft_wrap=True, highlight=False)
    healthy = all(service.state is ServiceState.RUNNING for service in services)
    if healthy:
        _show_drift(as_json=as_json)
    raise typer.Exit(0 if healthy else 3)


def _show_drift(*, as_json: bool) -> None:
    """Tell whether the index is the one that the settings ask for."""
    from pipeline.drifting import drift_line, settings_drift
    from pipeline.services import Services

    with Services() as services:
        changes = settings_drift(services)
    if changes and as_json:
        emit("index", {"drift": changes})
    elif changes:
        stdout.print(f"[yellow]{escape(drift_line(changes))}[/]", soft_wrap=True, highlight=False)


def down(
    *,
    as_json: JsonOption = False,
    purge: Annotated[
        bool, typer.Option("--purge", help="Delete the databases, logs and passwords of the stack too.")
    ] = False,
) -> None:
    """Stop the local stack; its data stays unless --purge is given."""
    from pipeline.stack import LocalStack

    stack = LocalStack(home_folder())
    if purge:
        stack.purge(show_event)
    else:
        stack.down(show_event)
    if as_json:
        emit("stack", {"state": "purged" if purge else "stopped"})


def show_event(event: StackEvent) -> None:
    """Show one step of starting or stopping, on standard error."""
    sign = _SIGNS.get(event.kind, "[dim]…[/]")
    seconds = f" [dim]{event.seconds:.1f} s[/]" if event.seconds else ""
    address = f" [dim]{escape(event.address)}[/]" if event.address else ""
    stderr.print(f"{sign} {event.service:<13} {escape(event.message)}{address}{seconds}", highlight=False)


def show_info(info: StackInfo) -> None:
    """Show where to go and how to log in."""
    table = Table.grid(padding=(0, 2))
    if info.airflow_url:
        table.add_row("Airflow", f"[bold]{info.airflow_url}[/]")
        table.add_row(
            "", f"user [bold]{info.airflow_user}[/], password [bold]{escape(info.airflow_password)}[/]"
        )
    for service in info.services:
        if service.address and service.name in ("postgres", "redis", "milvus"):
            table.add_row(service.name, service.address)
    table.add_row("home", info.home)
    stdout.print(table)
    command = _command()
    stdout.print(
        f"Next: [bold]{command} ingest <folder or git URL>[/], then [bold]{command} search <question>[/]"
    )


def _command() -> str:
    """How the user can call this program from where they are."""
    if shutil.which("rubrica"):
        return "rubrica"
    path = Path(sys.executable).with_name("rubrica")
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _emit_info(info: StackInfo) -> None:
    emit(
        "stack",
        {
            "state": "running",
            "home": info.home,
            "airflow_url": info.airflow_url,
            "airflow_user": info.airflow_user,
            "airflow_password": info.airflow_password,
            "milvus_uri": info.milvus_uri,
            "services": [asdict(service) for service in info.services],
            "seconds": info.seconds,
        },
    )


def _status_row(service: ServiceStatus) -> tuple[str, ...]:
    color = _COLORS.get(service.state, "red")
    since = service.since.strftime("%Y-%m-%d %H:%M") if service.since else ""
    state = f"[{color}]{service.state}[/]"
    return service.name, state, service.address, str(service.pid or ""), since, escape(service.detail)
