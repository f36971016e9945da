"""The kinds of panels that the dashboards are made of, each with a description and words for no data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grafana_foundation_sdk.builders import bargauge, stat, statetimeline, table, timeseries
from grafana_foundation_sdk.builders import common as common_builders
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.cog.variants import Dataquery as AnyQuery
from grafana_foundation_sdk.models import common, dashboard

from monitoring.dashboards.look import NEUTRAL, SOURCE, Steps, legend, thresholds

_LAST = ["lastNotNull"]
_TALL = 8
_SHORTEST_BAR = "5m"
_LETTERS = "ABCDEFGHIJKL"


@dataclass(frozen=True, slots=True)
class Text:
    """What a panel says besides its values.

    Attributes:
        title: A few words.
        description: What it shows and what to do about it; markdown.
        none: What stands there without data.
    """

    title: str
    description: str
    none: str = "no data"


def number(
    text: Text,
    target: Dataquery,
    *,
    unit: str = "short",
    steps: Steps = NEUTRAL,
    width: int = 4,
    decimals: int | None = None,
    names: Sequence[Any] = (),
    links: Sequence[builders.DashboardLink] = (),
    graph: bool = True,
) -> stat.Panel:
    """One number, large, coloured by its value, over a sparkline."""
    panel = (
        stat.Panel()
        .title(text.title)
        .description(text.description)
        .datasource(SOURCE)
        .targets(_lettered([target]))
        .unit(unit)
        .thresholds(thresholds(steps))
        .color_scheme(builders.FieldColor().mode(dashboard.FieldColorModeId.THRESHOLDS))
        .color_mode(
            common.BigValueColorMode.BACKGROUND if steps is not NEUTRAL else common.BigValueColorMode.VALUE
        )
        .graph_mode(common.BigValueGraphMode.AREA if graph else common.BigValueGraphMode.NONE)
        .reduce_options(common_builders.ReduceDataOptions().calcs(_LAST))
        .no_value(text.none)
        .mappings(list(names))
        .span(width)
        .height(4)
    )
    panel = panel.links(list(links)) if links else panel
    return panel.decimals(decimals) if decimals is not None else panel


def lines(
    text: Text,
    targets: Sequence[Dataquery],
    *,
    unit: str = "short",
    width: int = 12,
    low: float | None = None,
    high: float | None = None,
    stacked: bool = False,
    bars: bool = False,
    steps: Steps = (),
    table_legend: bool = False,
    dashed: str = "",
) -> timeseries.Panel:
    """Values over time.

    Args:
        text: What it says.
        targets: Its queries.
        unit: Grafana's name of the unit.
        width: Of 24 columns.
        low: Least value of the axis.
        high: Greatest value of the axis.
        stacked: Whether values are laid on each other.
        bars: Whether they are bars, for amounts in a span of time.
        steps: Colours of regions of the axis.
        table_legend: Whether the last values stand beside the names.
        dashed: Regular expression of names that are drawn as a thin dashed line: limits.
    """
    panel = (
        timeseries.Panel()
        .title(text.title)
        .description(text.description)
        .datasource(SOURCE)
        .targets(_lettered(targets))
        .unit(unit)
        .no_value(text.none)
        .line_width(0 if bars else 2)
        .fill_opacity(80 if bars else 20 if stacked else 8)
        .draw_style(common.GraphDrawStyle.BARS if bars else common.GraphDrawStyle.LINE)
        .show_points(common.VisibilityMode.NEVER)
        .span_nulls(False)
        .legend(legend(table=table_legend, calculations=_LAST if table_legend else ()))
        .tooltip(
            common_builders.VizTooltipOptions()
            .mode(common.TooltipDisplayMode.MULTI)
            .sort(common.SortOrder.DESCENDING)
        )
        .span(width)
        .height(_TALL)
    )
    # A bar is an increase over one step: with a step as short as Prometheus's own there is none to see.
    panel = panel.interval(_SHORTEST_BAR) if bars else panel
    return _adorned(panel, low=low, high=high, stacked=stacked, steps=steps, dashed=dashed)


def _adorned(
    panel: timeseries.Panel,
    *,
    low: float | None,
    high: float | None,
    stacked: bool,
    steps: Steps,
    dashed: str,
) -> timeseries.Panel:
    panel = panel.min(low) if low is not None else panel
    panel = panel.max(high) if high is not None else panel
    if stacked:
        panel = panel.stacking(common_builders.StackingConfig().mode(common.StackingMode.NORMAL))
    if steps:
        panel = panel.thresholds(thresholds(steps)).thresholds_style(
            common_builders.GraphThresholdsStyleConfig().mode(common.GraphThresholdsStyleMode.DASHED)
        )
    if dashed:
        panel = panel.override_by_regexp(
            dashed,
            [
                dashboard.DynamicConfigValue("custom.lineStyle", {"fill": "dash", "dash": [8, 8]}),
                dashboard.DynamicConfigValue("custom.lineWidth", 1),
                dashboard.DynamicConfigValue("custom.fillOpacity", 0),
                dashboard.DynamicConfigValue("color", {"mode": "fixed", "fixedColor": "red"}),
            ],
        )
    return panel


def bars(
    text: Text,
    targets: Sequence[Dataquery],
    *,
    unit: str = "short",
    width: int = 8,
    steps: Steps = NEUTRAL,
    low: float | None = 0,
    high: float | None = None,
    decimals: int | None = None,
    upright: bool = False,
) -> bargauge.Panel:
    """Values now, as bars beside each other; upright for the buckets of a histogram."""
    panel = (
        bargauge.Panel()
        .title(text.title)
        .description(text.description)
        .datasource(SOURCE)
        .targets(_lettered(targets))
        .unit(unit)
        .thresholds(thresholds(steps))
        .color_scheme(builders.FieldColor().mode(dashboard.FieldColorModeId.THRESHOLDS))
        .orientation(common.VizOrientation.VERTICAL if upright else common.VizOrientation.HORIZONTAL)
        .display_mode(common.BarGaugeDisplayMode.BASIC)
        .value_mode(common.BarGaugeValueMode.TEXT)
        .show_unfilled(not upright)
        .reduce_options(common_builders.ReduceDataOptions().calcs(_LAST))
        .no_value(text.none)
        .span(width)
        .height(_TALL)
    )
    panel = panel.min(low) if low is not None else panel
    panel = panel.max(high) if high is not None else panel
    return panel.decimals(decimals) if decimals is not None else panel


def states(
    text: Text, targets: Sequence[Dataquery], names: Sequence[Any], *, width: int = 12
) -> statetimeline.Panel:
    """What state something was in, over time."""
    return (
        statetimeline.Panel()
        .title(text.title)
        .description(text.description)
        .datasource(SOURCE)
        .targets(_lettered(targets))
        .mappings(list(names))
        .thresholds(thresholds(NEUTRAL))
        .merge_values(True)
        .show_value(common.VisibilityMode.AUTO)
        .row_height(0.8)
        .fill_opacity(75)
        .line_width(0)
        .legend(legend())
        .no_value(text.none)
        .span(width)
        .height(_TALL)
    )


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        field: What the query calls it: a label, or ``Value #A``.
        title: What people read.
        unit: Grafana's name of the unit.
        steps: Colours of the cell by value; none: plain.
        names: Words for values.
        link: A page behind the cell: title and URL.
        width: In pixels; 0: as wide as there is room.
        decimals: Digits after the point; -1: as many as there are.
    """

    field: str
    title: str
    unit: str = ""
    steps: Steps = ()
    names: tuple[Any, ...] = ()
    link: tuple[str, str] | None = None
    width: int = 0
    decimals: int = -1


def rows(
    text: Text,
    targets: Sequence[Dataquery],
    columns: Sequence[Column],
    *,
    width: int = 24,
    height: int = _TALL,
    sort: str = "",
) -> table.Panel:
    """A table of values now; columns that are not named are left out."""
    panel = (
        table.Panel()
        .title(text.title)
        .description(text.description)
        .datasource(SOURCE)
        .targets(_lettered(targets))
        .no_value(text.none)
        .filterable(False)
        .cell_options(common.TableAutoCellOptions())
        .with_transformation(dashboard.DataTransformerConfig("merge", options={}))
        .with_transformation(_named(columns, len(targets)))
        .span(width)
        .height(height)
    )
    for column in columns:
        properties = _properties(column)
        if properties:
            panel = panel.override_by_name(column.title, properties)
    if sort:
        panel = panel.sort_by([common_builders.TableSortByFieldState().display_name(sort).desc(True)])
    return panel


def _lettered(targets: Sequence[Dataquery]) -> list[Builder[AnyQuery]]:
    """The same queries, called A, B, C and so on."""
    return [target.ref_id(letter) for letter, target in zip(_LETTERS, targets, strict=False)]


def _named(columns: Sequence[Column], queries: int) -> dashboard.DataTransformerConfig:
    fields = [column.field for column in columns]
    values = {"Time", "Value", *(f"Value #{letter}" for letter in _LETTERS[:queries])}
    return dashboard.DataTransformerConfig(
        "organize",
        options={
            "excludeByName": dict.fromkeys(sorted(values - set(fields)), True),
            "indexByName": {field: index for index, field in enumerate(fields)},
            "renameByName": {column.field: column.title for column in columns},
        },
    )


def _properties(column: Column) -> list[dashboard.DynamicConfigValue]:
    found: list[tuple[str, Any]] = []
    if column.unit:
        found.append(("unit", column.unit))
    if column.names:
        found.append(("mappings", [item.to_json() for item in column.names]))
    if column.steps:
        found.append(("thresholds", thresholds(column.steps).build().to_json()))
    if column.steps or column.names:
        found.append(("custom.cellOptions", {"type": "color-background", "mode": "basic"}))
    if column.link:
        title, url = column.link
        found.append(("links", [{"title": title, "url": url, "targetBlank": True}]))
    if column.width:
        found.append(("custom.width", column.width))
    if column.decimals >= 0:
        found.append(("decimals", column.decimals))
    return [dashboard.DynamicConfigValue(id_val, value) for id_val, value in found]
