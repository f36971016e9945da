"""The comparison as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np
from rich.table import Table

from benchmarks.chunkers.code import Torn
from benchmarks.chunkers.comparisons import POOLED, Comparison, by_chunker
from benchmarks.chunkers.cost import Cost
from benchmarks.chunkers.retrieval import DEPTHS
from benchmarks.chunkers.run import Result
from benchmarks.chunkers.segmentation import SCORER_OF, Scored, Segmented

OFF_TARGET = "*"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: a title, what its columns are called, its rows, the first column a name."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def rich(self) -> Table:
        """For a terminal."""
        table = Table(title=self.title)
        for place, column in enumerate(self.columns):
            table.add_column(column, justify="right" if place else "left")
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """For a page."""
        rule = ["---", *["---:"] * (len(self.columns) - 1)]
        lines = [f"| {' | '.join(cells)} |" for cells in (self.columns, rule, *self.rows)]
        return "\n".join([f"### {self.title}", "", *lines, ""])


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a run has measured.

    Attributes:
        results: On the retrieval sets.
        segmented: Chunkers on the segmentation sets.
        scored: Scorers on the segmentation sets.
        costs: By chunker and target.
        cost_set: The documents that the costs are of.
        torn: Chunkers on source code.
    """

    results: Sequence[Result] = ()
    segmented: Sequence[Segmented] = ()
    scored: Sequence[Scored] = ()
    costs: Mapping[tuple[str, int], Cost] = field(default_factory=dict)
    cost_set: str = ""
    torn: Sequence[Torn] = ()


def result_line(result: Result) -> str:
    """One result as it comes, for those who watch."""
    return (
        f"{result.set_name} {result.target} {result.name}: limit {result.fitted.limit}, "
        f"mean {result.fitted.mean:.1f}, {len(result.sizes)} chunks, {_figures([result])}"
    )


# --- The tables --------------------------------------------------------------------------------------


def overview(findings: Findings, target: int) -> Sheet:
    """The one table: every chunker at one target, over all sets."""
    sides = by_chunker([result for result in findings.results if result.target == target])
    sets = {name for own in sides.values() for name in own}
    names = list(dict.fromkeys([*sides, *(item.name for item in findings.segmented)]))
    columns = ["chunker", "Pk", "AP", "R@1", "R@5", "R@10", "IoU", "mean", "body", "max"]
    columns += ["seconds", "CPU s", "MiB", "pairs"]
    rows = []
    for name in names:
        own = list(sides.get(name, {}).values())
        complete = own if len(own) == len(sets) else []
        cost = findings.costs.get((name, target))
        ratings = (_pk(findings, name), _precision(findings, name))
        rows.append([name, *ratings, *_recalls(complete), *_sizes(own), *_cost(cost)])
    title = f"At {target} mean tokens, over all sets; costs of {findings.cost_set or 'nothing'}"
    return Sheet(title, columns, rows)


def by_set(results: Sequence[Result], target: int) -> Sheet:
    """Recall at one target, set by set."""
    sides = by_chunker([result for result in results if result.target == target])
    sets = list(dict.fromkeys(name for own in sides.values() for name in own))
    rows = [[name, *(_figures([own[s]]) if s in own else "" for s in sets)] for name, own in sides.items()]
    return Sheet(f"R@1 / R@5 / R@10 / IoU in % by set, {target} mean tokens", ["chunker", *sets], rows)


def segments(segmented: Sequence[Segmented]) -> Sheet:
    """Pk of chunkers by set."""
    sets = list(dict.fromkeys(item.set_name for item in segmented))
    found = {(item.name, item.set_name): item for item in segmented}
    rows = []
    for name in dict.fromkeys(item.name for item in segmented):
        own = [found.get((name, set_name)) for set_name in sets]
        rows.append([name, *(f"{100 * item.pk:.1f} ({item.segments:.2f})" if item else "" for item in own)])
    title = "Pk in %, and chunks for every segment in brackets"
    return Sheet(title, ["chunker", *sets], rows)


def scorers(scored: Sequence[Scored]) -> Sheet:
    """Pk and average precision of scorers by set."""
    sets = list(dict.fromkeys(item.set_name for item in scored))
    found = {(item.name, item.set_name): item for item in scored}
    rows = []
    for name in dict.fromkeys(item.name for item in scored):
        own = [found.get((name, set_name)) for set_name in sets]
        cells = (f"{100 * item.pk:.1f} / {100 * item.average_precision:.1f}" if item else "" for item in own)
        rows.append([name, *cells])
    title = "Scorers: Pk / average precision in %, the number of segments of each text known"
    return Sheet(title, ["scorer", *sets], rows)


def differences(comparisons: Sequence[Comparison]) -> Sheet:
    """Default minus peer, test by test."""
    columns = [
        "peer",
        "tokens",
        "set",
        "recall@",
        "difference",
        "95 % interval",
        "p",
        "p, Holm",
        "default is",
    ]
    rows = []
    for item in comparisons:
        difference = item.difference
        mark = "" if item.on_target else OFF_TARGET
        rows.append(
            [
                item.peer,
                f"{item.target}{mark}",
                item.set_name,
                str(item.depth),
                f"{100 * difference.mean:+.1f}",
                f"{100 * difference.low:+.1f} … {100 * difference.high:+.1f}",
                f"{difference.p:.4f}",
                f"{item.p:.4f}",
                item.verdict,
            ]
        )
    return Sheet(f"Default minus peer, points of recall; {POOLED}: the questions of all sets", columns, rows)


def code(torn: Sequence[Torn]) -> Sheet:
    """Functions torn, by chunker and target."""
    rows = [
        [
            item.name,
            str(item.target),
            f"{item.fitted.mean:.0f}",
            str(item.functions),
            f"{100 * item.torn / item.functions:.1f}",
        ]
        for item in torn
    ]
    columns = ["chunker", "target", "mean", "functions", "torn, %"]
    return Sheet("Functions of Python's library that are no longer than the target", columns, rows)


# --- Cells -------------------------------------------------------------------------------------------


def _figures(results: Sequence[Result]) -> str:
    return " / ".join(_recalls(results))


def _recalls(results: Sequence[Result]) -> list[str]:
    if not results:
        return [""] * (len(DEPTHS) + 1)
    means = [np.concatenate([result.answers.recall[k] for result in results]).mean() for k in DEPTHS]
    iou = np.concatenate([result.answers.iou for result in results]).mean()
    return [*(f"{100 * mean:.1f}" for mean in means), f"{100 * iou:.2f}"]


def _sizes(results: Sequence[Result]) -> list[str]:
    if not results:
        return ["", "", ""]
    sizes = [size for result in results for size in result.sizes]
    bodies = sum(result.body_mean * len(result.sizes) for result in results)
    mark = "" if all(result.on_target for result in results) else OFF_TARGET
    return [f"{fmean(sizes):.0f}{mark}", f"{bodies / len(sizes):.0f}", str(max(sizes))]


def _pk(findings: Findings, name: str) -> str:
    own = [item.pk for item in findings.segmented if item.name == name]
    complete = len(own) == len({item.set_name for item in findings.segmented})
    return f"{100 * fmean(own):.1f}" if own and complete else ""


def _precision(findings: Findings, name: str) -> str:
    own = [item.average_precision for item in findings.scored if item.name == SCORER_OF.get(name)]
    return f"{100 * fmean(own):.1f}" if own else ""


def _cost(cost: Cost | None) -> Iterable[str]:
    if cost is None:
        return ["", "", "", ""]
    pairs = str(cost.pairs) if cost.pairs else ""
    return [f"{cost.seconds:.1f}", f"{cost.cpu_seconds:.1f}", f"{cost.memory_mib:.0f}", pairs]
