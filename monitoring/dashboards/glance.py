"""*At a glance*: is it right, is it fresh, what failed?"""

from __future__ import annotations

from grafana_foundation_sdk.builders.dashboard import Dashboard, Row

from monitoring.dashboards import look
from monitoring.dashboards.look import (
    ANY_IS_BAD,
    ANY_IS_NOTED,
    BLUE,
    GREEN,
    GREY,
    RED,
    YELLOW,
    page_link,
    query,
)
from monitoring.dashboards.panels import Column, Text, bars, lines, number, rows, states

_RUN_STATES = {
    0: ("never ran", GREY),
    1: ("good", GREEN),
    2: ("good, some documents failed", YELLOW),
    3: ("failed", RED),
    4: ("running", BLUE),
}
_RUN_STATE = """
sum by (source) (
  rubrica_last_run_state{state="success"} or 2 * rubrica_last_run_state{state="warning"}
  or 3 * rubrica_last_run_state{state="failed"} or 4 * rubrica_last_run_state{state="running"}
)
"""
_DOWN = {0: ("down", RED), 1: ("up", GREEN)}
_AGES = ((None, GREEN), (86400, YELLOW), (7 * 86400, look.ORANGE))


def build() -> Dashboard:
    """The dashboard."""
    made = look.new_dashboard(
        "rubrica-glance",
        "Rubrica: at a glance",
        "Is it right, is it fresh, what failed? Red asks for somebody; the links say where to go on.",
        since="now-7d",
    )
    made = _verdicts(made)
    return _failures(_sources(_recall(made)))


def _verdicts(made: Dashboard) -> Dashboard:
    recall, failures = page_link("Recall", "rubrica/recall"), page_link("Failures", "rubrica/failures")
    panels = (
        number(
            Text(
                "recall@5, worst set",
                "The set whose questions are answered worst. Under 0.9 an alarm opens: `rubrica alarms`.",
                "not measured yet",
            ),
            query("min(rubrica:recall_at_5:live)"),
            unit="percentunit",
            steps=look.RECALL,
            decimals=1,
            links=[recall],
        ),
        number(
            Text("Alarms open", "What `rubrica alarms` lists; `rubrica alarms show ID` tells why."),
            query("sum(rubrica_alarms_open)"),
            steps=ANY_IS_BAD,
            links=[recall],
        ),
        number(
            Text(
                "Alerts firing",
                "Alerts of Prometheus, but for those of severity info. The table below names them.",
            ),
            query('count(ALERTS{alertstate="firing", severity!="info"}) or vector(0)'),
            steps=ANY_IS_BAD,
        ),
        number(
            Text(
                "Sources behind",
                "Sources with a run after their last success: the index does not have their newest commit.",
                "0",
            ),
            query(
                "count(rubrica_last_success_timestamp_seconds < on (source)"
                " rubrica_last_run_timestamp_seconds) or vector(0)"
            ),
            steps=ANY_IS_NOTED,
        ),
        number(
            Text(
                "Documents failed",
                "Documents that are in no index: `rubrica failures` says which, why, and what to do.",
            ),
            query("sum(rubrica_failures)"),
            steps=ANY_IS_NOTED,
            links=[failures],
        ),
        number(
            Text(
                "Catalog",
                "Whether the exporter can read PostgreSQL. While it is down nothing else here is known.",
                "exporter down",
            ),
            query("min(rubrica_up)"),
            steps=((None, RED), (1, GREEN)),
            names=look.mappings(_DOWN),
            graph=False,
        ),
    )
    for panel in panels:
        made = made.with_panel(panel)
    return made


def _recall(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Is it right?"))
    made = made.with_panel(
        lines(
            Text(
                "recall@5 of the live index",
                "Share of golden questions whose passages are among the first five chunks. Vertical"
                " lines: commits and switches.",
                "not measured yet",
            ),
            [
                query("rubrica:recall_at_5:live", "{{set}}"),
                query("max by (set) (rubrica_recall_floor)", "floor of {{set}}"),
            ],
            unit="percentunit",
            width=16,
            low=0,
            high=1,
            table_legend=True,
            dashed="/^floor of/",
        )
    )
    return made.with_panel(
        bars(
            Text(
                "Labels that resolve",
                "Share of the passages that golden questions name and that still stand in the"
                " documents. Stale ones measure nothing: `rubrica golden check`.",
                "no golden questions",
            ),
            [query("rubrica:labels_resolved:live", "{{set}}", instant=True)],
            unit="percentunit",
            steps=look.RECALL,
            high=1,
            decimals=0,
        )
    )


def _sources(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Is it fresh?"))
    made = made.with_panel(
        rows(
            Text(
                "Sources",
                "Where the live index stands with each source. A source without new commits may be"
                " old and right; `rubrica ingest SOURCE` looks.",
                "no source yet: rubrica ingest",
            ),
            [
                query(
                    "max by (source, revision) (rubrica_source_revision_timestamp_seconds) * 0 + 1",
                    instant=True,
                    table=True,
                ),
                query(
                    "time() - max by (source) (rubrica_last_success_timestamp_seconds)",
                    instant=True,
                    table=True,
                ),
                query(_RUN_STATE, instant=True, table=True),
                query("max by (source) (rubrica_last_run_seconds)", instant=True, table=True),
                query("sum by (source) (rubrica_documents)", instant=True, table=True),
                query('sum by (source) (rubrica_documents{state="pending"})', instant=True, table=True),
                query("sum by (source) (rubrica_failures)", instant=True, table=True),
            ],
            [
                Column("source", "Source"),
                Column("revision", "Commit", width=130),
                Column("Value #B", "Equal since", unit="s", steps=_AGES, width=120),
                Column("Value #C", "Last run", names=tuple(look.mappings(_RUN_STATES)), width=210),
                Column("Value #D", "It took", unit="s", width=100),
                Column("Value #E", "Documents", unit="short", width=100),
                Column("Value #F", "Not indexed yet", unit="short", steps=ANY_IS_NOTED, width=130),
                Column(
                    "Value #G",
                    "Failed",
                    unit="short",
                    steps=ANY_IS_NOTED,
                    link=("Show failures", "${airflow}/rubrica/failures"),
                    width=90,
                ),
            ],
            width=16,
        )
    )
    return made.with_panel(
        states(
            Text("Runs", "State of each source's last run, over time.", "no run yet"),
            [query(_RUN_STATE, "{{source}}")],
            look.mappings(_RUN_STATES),
            width=8,
        )
    )


def _failures(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("What failed?"))
    made = made.with_panel(
        rows(
            Text("Alerts", "Each has a page that says what to do: docs/runbooks/.", "no alert fires"),
            [
                query(
                    'max by (alertname, severity, source, set, stage) (ALERTS{alertstate="firing"})',
                    instant=True,
                    table=True,
                )
            ],
            [
                Column("alertname", "Alert"),
                Column("severity", "Severity", width=100),
                Column("source", "Source"),
                Column("set", "Set"),
                Column("stage", "Stage", width=90),
            ],
            width=12,
        )
    )
    return made.with_panel(
        bars(
            Text(
                "Failed documents by stage",
                "In which stage they failed. `rubrica failures --source SOURCE` gives path, reason"
                " and what to do.",
                "none",
            ),
            [query("sum by (source, stage) (rubrica_failures) > 0", "{{source}}: {{stage}}", instant=True)],
            width=12,
            steps=((None, look.ORANGE),),
        )
    )
