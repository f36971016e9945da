"""Samples on their way to Prometheus, checked against the list of series."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from rubrica.metrics import SERIES, Kind, Series

_FAMILIES: dict[Kind, type[Metric]] = {
    Kind.GAUGE: GaugeMetricFamily,
    Kind.COUNTER: CounterMetricFamily,
    Kind.HISTOGRAM: HistogramMetricFamily,
}


class Families:
    """The samples of one reading, by series."""

    def __init__(self) -> None:
        self._families: dict[str, Metric] = {}

    def add(self, series: Series, value: float, *labels: object) -> None:
        """Add one value of a gauge or counter.

        Args:
            series: Which.
            value: Its value, in the unit of the series.
            *labels: Values of its labels, in their order.
        """
        family = self._family(series)
        family.add_metric(_label_values(series, labels), value)  # type: ignore[attr-defined]

    def add_time(self, series: Series, moment: datetime | None, *labels: object) -> None:
        """Add a moment, where there is one."""
        if moment is not None:
            self.add(series, moment.timestamp(), *labels)

    def add_histogram(
        self, series: Series, bounds: Sequence[float], counts: Sequence[int], total: float, *labels: object
    ) -> None:
        """Add a distribution.

        Args:
            series: Which.
            bounds: Upper bounds of the buckets, inclusive.
            counts: Values in each bucket, and in one more above the last bound.
            total: Sum of the values; Prometheus takes none where values can be negative.
            *labels: Values of its labels, in their order.
        """
        seen, buckets = 0, []
        for bound, count in zip([*map(str, map(float, bounds)), "+Inf"], counts, strict=True):
            seen += count
            buckets.append((bound, float(seen)))
        family = self._family(series)
        family.add_metric(_label_values(series, labels), buckets, total)  # type: ignore[attr-defined]

    def __iter__(self) -> Iterator[Metric]:
        return (self._families[series.name] for series in SERIES if series.name in self._families)

    def _family(self, series: Series) -> Metric:
        if series.name not in self._families:
            made = _FAMILIES[series.kind](series.name, series.help, labels=series.labels)  # type: ignore[call-arg]
            self._families[series.name] = made
        return self._families[series.name]


def _label_values(series: Series, labels: Sequence[object]) -> list[str]:
    if len(labels) != len(series.labels):
        raise ValueError(f"{series.name} has the labels {series.labels}, not {len(labels)} of them")
    return [str(label) for label in labels]
