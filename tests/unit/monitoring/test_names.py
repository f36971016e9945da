"""Names of series, as Prometheus' own linter wants them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

from rubrica.metrics import SERIES, Kind, Series
from tests.support.prometheus import binary


def _exposed(series: Series) -> Iterator[str]:
    yield f"# HELP {series.name} {series.help}"
    yield f"# TYPE {series.name} {series.kind.value}"
    if series.kind is Kind.HISTOGRAM:
        yield f'{series.name}_bucket{{le="+Inf"}} 1'
        yield f"{series.name}_sum 1"
        yield f"{series.name}_count 1"
    else:
        yield f"{series.name} 1"


def test_promtool_finds_nothing_to_say() -> None:
    text = "\n".join(line for series in SERIES for line in _exposed(series)) + "\n"
    done = subprocess.run(
        [binary("promtool"), "check", "metrics"], input=text, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_only_histograms_have_sums_and_buckets() -> None:
    plain = [series.name for series in SERIES if series.kind is not Kind.HISTOGRAM]
    assert "rubrica_cut_scores_summed" in plain
    assert [name for name in plain if name.endswith(("_sum", "_count", "_bucket"))] == []
