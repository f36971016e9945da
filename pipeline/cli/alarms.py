"""``rubrica alarms`` and ``rubrica recall-check``: whether the answers are still right, and who is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.padding import Padding

from pipeline.cli.alarm_sending import send
from pipeline.cli.output import JsonOption, emit, progress_bar, stderr, stdout
from pipeline.delivery.words import numbered
from pipeline.services import Services
from rubrica.errors import ConfigurationError
from rubrica.settings import NotifySettings

if TYPE_CHECKING:
    from indexing.catalog.alarms import Alarm
    from indexing.catalog.deliveries import Delivery

_Id = Annotated[int, typer.Argument(metavar="ID", help="Number of the alarm, as `rubrica alarms` shows it.")]
_Note = Annotated[str, typer.Option("--note", help="Why, in a sentence.")]

_TOLD_WHOLE = frozenset({"run", "deadline", "poll", "alert"})
"""Kinds whose whole story is a few sentences."""

_alarms = typer.Typer(
    help="What is wrong with the answers: without a command they are listed.",
    invoke_without_command=True,
)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    _alarms.command()(send)
    app.add_typer(_alarms, name="alarms")
    app.command("recall-check")(recall_check)


@_alarms.callback()
def list_alarms(
    context: typer.Context,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Also those that have passed, with the reason.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the alarms that are open: recall that fell, labels gone stale, runs that failed, alerts.

    `rubrica alarms show ID` tells which questions broke, what they return and what changed; `accept`
    takes the answers as they are now for the new measure; `close` ends an alarm by hand; `send` tells
    Jira, Slack and people by e-mail at once, or with `--dry-run` shows what they would be told.
    """
    if context.invoked_subcommand:
        return
    with Services() as services:
        alarms = services.catalog.alarms
        found = alarms.all() if everything else alarms.open_alarms()
        told = [services.catalog.deliveries.of_alarm(alarm.id) for alarm in found]
        channels = services.settings.notify
    for alarm, deliveries in zip(found, told, strict=True):
        if as_json:
            emit("alarm", alarm_row(alarm, deliveries))
        else:
            _show_line(alarm, deliveries)
    if not as_json:
        _show_whole(found, channels, everything=everything)


@_alarms.command()
def show(number: _Id, *, as_json: JsonOption = False) -> None:
    """Show an alarm in full: the questions that broke, before and now, and what changed since."""
    with Services() as services:
        alarm = _known(services, number)
        told = services.catalog.deliveries.of_alarm(alarm.id)
    if as_json:
        emit("alarm", alarm_row(alarm, told))
        return
    _show_line(alarm, told)
    _show_details(alarm)


@_alarms.command()
def accept(number: _Id, *, note: _Note = "", as_json: JsonOption = False) -> None:
    """Take recall as it is now for the new measure, and close the alarm: the drop is meant."""
    from pipeline.alarms import accept as accept_alarm
    from pipeline.alarms import floor_left

    with Services() as services:
        alarm = accept_alarm(services, number, note)
        left = floor_left(services, alarm)
    _tell(alarm, as_json=as_json)
    if left:
        (stderr if as_json else stdout).out(left, highlight=False)


@_alarms.command()
def close(number: _Id, *, note: _Note = "", as_json: JsonOption = False) -> None:
    """Close an alarm by hand; it opens again when the next check still finds its cause."""
    with Services() as services:
        alarm = _known(services, number)
        services.catalog.alarms.close(alarm.said.cause, note or "It was closed by hand.")
        _tell(_known(services, number), as_json=as_json)


def recall_check(
    *,
    sets: Annotated[
        list[str] | None, typer.Option("--set", help="Only this golden set; may be given more than once.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Ask all golden questions, as the DAG recall_check does, and open or close alarms by the answers.

    Ends with 1 when a set has an open alarm.
    """
    from pipeline.recall_checking import check_set, sets_to_check

    worse = False
    with Services() as services:
        names = sets or sets_to_check(services)
        if not names and not as_json:
            stdout.print("There are no golden questions yet; `rubrica golden --help` tells how to add some.")
        for name in names:
            with progress_bar(f"asking {name}", _questions(services, name)) as bar:
                row = check_set(services, name, trigger="command", progress=bar)
            worse = worse or bool(row["alarms"])
            if as_json:
                emit("recall_check", row)
            else:
                _show_check(row)
    raise typer.Exit(1 if worse else 0)


def alarm_row(alarm: Alarm, deliveries: Sequence[Delivery] = ()) -> dict[str, Any]:
    """An alarm as JSON has it."""
    said = asdict(alarm.said)
    times = {"opened_at": alarm.opened_at, "last_seen": alarm.last_seen, "closed_at": alarm.closed_at}
    told = {"note": alarm.note, "holders": alarm.holders, "deliveries": [asdict(item) for item in deliveries]}
    return {"id": alarm.id, "open": alarm.is_open} | said | times | told


def _known(services: Services, number: int) -> Alarm:
    alarm = services.catalog.alarms.get(number)
    if alarm is None:
        raise ConfigurationError(f"There is no alarm {number}.", hint="`rubrica alarms --all` lists them.")
    return alarm


def _questions(services: Services, name: str) -> int | None:
    golden = services.catalog.golden.get(name)
    return len(golden.questions) if golden else None


def _tell(alarm: Alarm, *, as_json: bool) -> None:
    if as_json:
        emit("alarm", alarm_row(alarm))
    else:
        stdout.print(f"Alarm {alarm.id} is closed: {escape(alarm.note)}", soft_wrap=True)


# --- For people --------------------------------------------------------------------------------------


def _show_line(alarm: Alarm, deliveries: Sequence[Delivery]) -> None:
    mark = "[red]●[/]" if alarm.is_open else "[green]✓[/]"
    since = f"{alarm.opened_at:%Y-%m-%d %H:%M}"
    head = f"{mark} [bold]{alarm.id}[/] {alarm.said.kind.value} [dim]{since}[/]"
    stdout.print(f"{head} {escape(alarm.said.summary)}", soft_wrap=True, highlight=False)
    if alarm.note:
        when = f"{alarm.closed_at:%Y-%m-%d %H:%M} " if alarm.closed_at else ""
        stdout.print(Padding(f"[dim]{when}{escape(alarm.note)}[/]", (0, 0, 0, 2)), highlight=False)
    for delivery in deliveries:
        stdout.print(f"  [dim]{escape(_told(delivery))}[/]", soft_wrap=True, highlight=False)


def _told(delivery: Delivery) -> str:
    """What a channel was told, and why no more."""
    last = ""
    if delivery.event and delivery.said_at:
        name = f" {delivery.external_id}" if delivery.channel == "jira" else ""
        last = f"{delivery.event.value}{name}, {delivery.said_at:%Y-%m-%d %H:%M}"
    if delivery.next_try is None:
        return f"{delivery.channel}: {last}"
    tried = f"{delivery.tries} tries, the next after {delivery.next_try:%Y-%m-%d %H:%M}"
    return (
        f"{delivery.channel}: {last or 'not told'}; {tried}: {delivery.error or 'the last one has not ended'}"
    )


def _show_whole(found: Sequence[Alarm], settings: NotifySettings, *, everything: bool) -> None:
    from pipeline.delivery.channels import NOBODY, configured

    if not found:
        stdout.print("No alarm was ever raised." if everything else "No alarm is open.")
    if not configured(settings):
        stdout.print(f"[dim]{escape(NOBODY)}[/]", soft_wrap=True, highlight=False)
    elif settings.alarms_dry_run:
        stdout.print("[dim]Nobody is told of alarms: RUBRICA_ALARMS_DRY_RUN is on.[/]", soft_wrap=True)


def _show_details(alarm: Alarm) -> None:
    details = alarm.said.details
    for part in details.get("sets", [details]):
        for question in part.get("questions", []):
            _show_question(question)
    if alarm.said.kind in _TOLD_WHOLE:
        _show_reasons(details)
    for question in details.get("stale", []):
        _line(f"{question['id']} {question['question']} ({question['document']})")
        _line(question["reason"], 4)
    _show_change(details.get("change") or {})
    stdout.print()
    for item in details.get("commands", []):
        if item["command"] == "rubrica alarms show ID":  # this very command
            continue
        _line(f"{numbered(item['command'], alarm.id)}: {item['does']}")


def _show_reasons(details: Mapping[str, Any]) -> None:
    for name in ("run", "runbook", "generator"):
        if details.get(name):
            _line(f"{name}: {details[name]}")
    for text in details.get("reasons", []):
        _line(text)
    for name, value in sorted(details.get("labels", {}).items()):
        _line(f"{name}: {value}", 4)


def _show_question(question: Mapping[str, Any]) -> None:
    before = "" if question["before"] is None else f"{question['before']:.2f} → "
    stdout.print()
    head = f"[bold]{escape(question['question'])}[/] [dim]{escape(question['id'])}[/]"
    stdout.print(f"{head} {before}{question['now']:.2f}", soft_wrap=True, highlight=False)
    for passage in question["passages"]:
        _line(f"wanted: {question['document']}: {passage}")
    for title, name in (("before", "returned_before"), ("now", "returned")):
        for hit in question[name]:
            _line(f"{title} {hit['rank']}: {_place(hit)}: {hit['text']}", 4)


def _place(hit: Mapping[str, Any]) -> str:
    page = f"p. {hit['page']}" if hit["page"] else ""
    clause = f"cl. {', '.join(hit['clauses'][:3])}" if hit["clauses"] else ""
    return " · ".join(part for part in (hit["document"], page, clause) if part)


def _show_change(change: Mapping[str, Any]) -> None:
    if not change:
        return
    stdout.print()
    if change["generation"]["before"] != change["generation"]["now"]:
        _line(f"generation: {change['generation']['before']} → {change['generation']['now']}")
    for item in [*change["settings"], *change.get("search", [])]:
        _line(f"{item['name']}: {item['before']!r} → {item['now']!r}")
    if change["models"]:
        _line("the versions of Rubrica or of its models changed")
    for source in change.get("sources", []):
        _line(f"{source['source']}: {source['from'][:12] or 'nothing'} → {source['to'][:12]}")
        for commit in source["commits"]:
            _line(
                f"{commit['revision'][:12]} {commit['date'][:10]} {commit['author']}: {commit['subject']}", 4
            )
        if source.get("note"):
            _line(source["note"], 4)


def _line(text: str, indent: int = 2) -> None:
    stdout.print(" " * indent + escape(text), soft_wrap=True, highlight=False)


def _show_check(row: Mapping[str, Any]) -> None:
    recall = "not measured" if row["recall@5"] is None else f"recall@5 {row['recall@5']:.3f}"
    before = "" if row["before"] is None else f" (before: {row['before']:.3f})"
    mark = "[red]✗[/]" if row["alarms"] else "[green]✓[/]"
    labels = f"labels {row['labels_resolved']:.0%}"
    about = f"{recall}{before} over {row['questions']} questions, {labels}"
    stdout.print(f"{mark} [bold]{escape(row['set'])}[/] {about}", soft_wrap=True, highlight=False)
    for number in row["alarms"]:
        _line(f"alarm {number}: `rubrica alarms show {number}`")
