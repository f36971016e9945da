"""``rubrica alarms send``: tells what is due, or shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.padding import Padding

from pipeline.cli.output import JsonOption, emit, progress_bar, stdout
from pipeline.services import Services

if TYPE_CHECKING:
    from pipeline.delivery.channels import Channel
    from pipeline.delivery.model import Parcel


def send(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be told, to whom and why; tell nobody.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Tell Jira, Slack and people by e-mail what is due, as the DAG `alarms` does by itself.

    Airflow holds the connections, so a run of the DAG is started there. Ends with 3 when it failed.
    """
    from pipeline.delivery.channels import NOBODY, configured

    with Services() as services:
        settings = services.settings.notify
        if not configured(settings):
            if not as_json:
                stdout.print(NOBODY, soft_wrap=True, highlight=False)
        elif dry_run or settings.alarms_dry_run:
            _show_outbox(services, as_json=as_json)
        else:
            _send(services, as_json=as_json)


def _show_outbox(services: Services, *, as_json: bool) -> None:
    from pipeline.delivery.channels import configured
    from pipeline.delivery.outbox import outbox

    found = [
        (one, parcel) for one in configured(services.settings.notify) for parcel in outbox(services, one)
    ]
    for channel, parcel in found:
        _show_parcel(channel, parcel, as_json=as_json)
    if not found and not as_json:
        stdout.print("Nothing is due.")


def _show_parcel(channel: Channel, parcel: Parcel, *, as_json: bool) -> None:
    from pipeline.delivery.preview import preview

    text = preview(channel.name, parcel.facts)
    about = {
        "channel": channel.name.value,
        "target": channel.target,
        "alarm": parcel.facts.alarm_id,
        "event": parcel.event.value,
        "why": parcel.why,
    }
    if as_json:
        emit("delivery", about | {"text": text})
        return
    head = f"{channel.name.value} ({channel.target}): alarm {parcel.facts.alarm_id} {parcel.event.value}."
    stdout.print(f"[bold]{escape(head)}[/] {escape(parcel.why)}", soft_wrap=True, highlight=False)
    stdout.print(Padding(escape(text), (0, 0, 1, 2)), soft_wrap=True, highlight=False)


def _send(services: Services, *, as_json: bool) -> None:
    from pipeline.delivery.starting import send_now

    with progress_bar("telling") as bar:
        run = send_now(services, lambda state, done, total: bar.update(done, total, title=state))
    if as_json:
        emit("run", {"run_id": run.run_id, "state": run.state})
    else:
        stdout.print(
            f"The run {escape(run.run_id)} of the DAG alarms has told all that was due.", soft_wrap=True
        )
