"""What all dashboards have in common: colours, links, variables, marks of commits and switches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grafana_foundation_sdk.builders import common as common_builders
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.models import common, dashboard
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

SOURCE = common.DataSourceRef(type_val="prometheus", uid="${datasource}")
GREEN, YELLOW, ORANGE, RED, BLUE, GREY = "green", "yellow", "orange", "red", "blue", "#808080"

Steps = Sequence[tuple[float | None, str]]
ANY_IS_BAD: Steps = ((None, GREEN), (1, RED))
ANY_IS_NOTED: Steps = ((None, GREEN), (1, ORANGE))
RECALL: Steps = ((None, RED), (0.8, ORANGE), (0.9, GREEN))
NEUTRAL: Steps = ((None, BLUE),)


def thresholds(steps: Steps) -> builders.ThresholdsConfig:
    """Colours by value: each from a value on, the first from below everything on."""
    made = [dashboard.Threshold(value=value, color=color) for value, color in steps]
    return builders.ThresholdsConfig().mode(dashboard.ThresholdsMode.ABSOLUTE).steps(made)


def query(
    expression: str, legend: str = "", *, instant: bool = False, heatmap: bool = False, table: bool = False
) -> Dataquery:
    """A query of Prometheus.

    Args:
        expression: In PromQL, on one line.
        legend: What the series are called: ``{{source}}``.
        instant: Only the value now.
        heatmap: Buckets of a histogram, each with its own count.
        table: Labels as columns.
    """
    shape = PromQueryFormat.TABLE if table else PromQueryFormat.HEATMAP if heatmap else None
    made = Dataquery().datasource(SOURCE).expr(" ".join(expression.split()))
    made = made.instant() if instant else made.range()
    if shape is not None:
        made = made.format(shape)
    return made.legend_format(legend) if legend else made


def mappings(names: Mapping[int, tuple[str, str]]) -> list[Any]:
    """Words and colours instead of numbers."""
    options = {
        str(value): dashboard.ValueMappingResult(text=text, color=color, index=index)
        for index, (value, (text, color)) in enumerate(names.items())
    }
    return [dashboard.ValueMap(options=options)]


def page_link(title: str, path: str) -> builders.DashboardLink:
    """A link to a page of Rubrica in Airflow, or of Airflow itself."""
    return builders.DashboardLink(title).url(f"${{airflow}}/{path}").target_blank(True)


def new_dashboard(uid: str, title: str, description: str, *, since: str = "now-24h") -> builders.Dashboard:
    """An empty dashboard with the links, marks and variables that each has."""
    made = (
        builders.Dashboard(title)
        .uid(uid)
        .description(description)
        .tags(["rubrica"])
        .editable()
        .refresh("1m")
        .time(since, "now")
        .timezone("browser")
        .tooltip(dashboard.DashboardCursorSync.CROSSHAIR)
        .link(_other_dashboards())
        .with_variable(builders.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
        .with_variable(
            builders.ConstantVariable("airflow")
            .value("http://127.0.0.1:8080")
            .description("Where Airflow's UI is, for links")
        )
        .annotation(
            _mark(
                "Commits",
                "rubrica_source_revision_timestamp_seconds * 1000",
                BLUE,
                "{{source}} at {{revision}}",
                "The live generation equals this commit from here on.",
            )
        )
        .annotation(
            _mark(
                "Switches",
                'rubrica_generation_state_timestamp_seconds{state="live"} * 1000',
                "purple",
                "Generation {{generation}} is live",
                "Searches use it from here on.",
            )
        )
    )
    return made.link(page_link("Failures", "rubrica/failures")).link(page_link("Recall", "rubrica/recall"))


def choice(name: str, label: str, values: str) -> builders.QueryVariable:
    """A variable that narrows every panel that names it; all values at first.

    Args:
        name: As panels name it: ``$name``.
        label: As people read it.
        values: Where its values come from: ``label_values(series, label)``.
    """
    return (
        builders.QueryVariable(name)
        .label(label)
        .datasource(SOURCE)
        .query({"query": values, "refId": name})
        .refresh(dashboard.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(dashboard.VariableSort.NATURAL_ASC)
        .multi(True)
        .include_all(True)
        .all_value(".*")
        .current(dashboard.VariableOption(selected=True, text="All", value="$__all"))
    )


def legend(*, table: bool = False, calculations: Sequence[str] = ()) -> common_builders.VizLegendOptions:
    """Names under a graph, or beside their last values in a table."""
    mode = common.LegendDisplayMode.TABLE if table else common.LegendDisplayMode.LIST
    placement = common.LegendPlacement.RIGHT if table else common.LegendPlacement.BOTTOM
    made = common_builders.VizLegendOptions().show_legend(True).display_mode(mode).placement(placement)
    return made.calcs(list(calculations))


def _other_dashboards() -> builders.DashboardLink:
    return (
        builders.DashboardLink("Rubrica")
        .type(dashboard.DashboardLinkType.DASHBOARDS)
        .tags(["rubrica"])
        .as_dropdown(False)
        .keep_time(True)
    )


def _mark(name: str, expression: str, color: str, title: str, text: str) -> builders.AnnotationQuery:
    # The value of the series is the time: the mark stands where it happened, not where it was scraped.
    return (
        builders.AnnotationQuery()
        .name(name)
        .datasource(SOURCE)
        .enable(True)
        .icon_color(color)
        .expr(expression)
        .title_format(title)
        .text_format(text)
        .use_value_for_time(True)
    )
