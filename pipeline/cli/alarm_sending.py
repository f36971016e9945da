"""``rubrica alarms send``: tells what is due, or shows it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

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

    Airflow holds the connections, so a run of the DAG is started there. A channel that rests after an error
    is tried now. Ends with 3 when the run failed, with 1 when a channel has still to rest.
    """
    from pipeline.delivery.channels import NOBODY, configured

    waits = False
    with Services() as services:
        settings = services.settings.notify
        if not configured(settings):
            if not as_json:
                stdout.print(NOBODY, soft_wrap=True, highlight=False)
        elif dry_run or settings.alarms_dry_run:
            _show_outbox(services, as_json=as_json)
        else:
            waits = _send(services, as_json=as_json)
    raise typer.Exit(1 if waits else 0)


def _show_outbox(services: Services, *, as_json: bool) -> None:
    from pipeline.delivery.channels import configured
    from pipeline.delivery.outbox import outbox

    channels = configured(services.settings.notify)
    found = [(one, parcel) for one in channels for parcel in outbox(services, one, by_hand=True)]
    for channel, parcel in found:
        _show_parcel(channel, parcel, as_json=as_json)
    waits = _show_resting(services, as_json=as_json)
    if not found and not waits and not as_json:
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
    # Word for word: nothing of it is wrapped, cropped or read as markup.
    stdout.out(text, end="\n\n", highlight=False)


def _send(services: Services, *, as_json: bool) -> bool:
    """Start the run; whether a channel has still to rest."""
    from pipeline.delivery.starting import send_now

    with progress_bar("telling") as bar:
        run = send_now(services, lambda state, done, total: bar.update(done, total, title=state))
    if as_json:
        emit("run", {"run_id": run.run_id, "state": run.state})
    waits = _show_resting(services, as_json=as_json)
    if not waits and not as_json:
        stdout.print(
            f"The run {escape(run.run_id)} of the DAG alarms has told all that was due.", soft_wrap=True
        )
    return waits


def _show_resting(services: Services, *, as_json: bool) -> bool:
    """Name what waits because its channel rests after an error; whether anything does."""
    from pipeline.delivery.channels import configured
    from pipeline.delivery.outbox import resting

    found = [delivery for one in configured(services.settings.notify) for delivery in resting(services, one)]
    for delivery in found:
        if as_json:
            emit("waiting", asdict(delivery))
            continue
        until = f"{delivery.next_try:%Y-%m-%d %H:%M}"
        about = f"{delivery.channel} waits until {until} with alarm {delivery.alarm_id}"
        why = f"after an error: {delivery.error}" if delivery.error else "as the end of a try is not known"
        stdout.out(f"{about} {why}", highlight=False)
    return bool(found)
