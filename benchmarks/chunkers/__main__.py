"""Compares chunkers at the same mean number of tokens; see the package."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from benchmarks.chunkers import report
from benchmarks.chunkers.comparisons import Verdict, compare, verdicts
from benchmarks.chunkers.model import Contender
from benchmarks.chunkers.ours import ABLATIONS, VARIANTS, parsed_variant, variant
from benchmarks.chunkers.page import verdict_lines, write_page
from benchmarks.chunkers.peers import PEERS, installed
from benchmarks.chunkers.report import Findings, Sheet
from benchmarks.chunkers.runner import PARTS, Runner, named_by
from benchmarks.chunkers.workshop import Workshop
from pipeline.stack import LocalStack
from rubrica.log import configure_logging

_ROOT = Path(__file__).resolve().parents[2]
_DATA = _ROOT.parent / "shared" / "data"
_CACHE = _ROOT / ".cache" / "benchmarks"
_PAGE = _ROOT / "benchmarks" / "results" / "chunkers.md"


def main() -> None:
    """Run, print the tables, write the page."""
    arguments = _parser().parse_args()
    configure_logging(level="WARNING")
    console = Console(width=None if Console().is_terminal else 200)
    contenders = _contenders(arguments, console)
    findings = Findings()
    with _redis(arguments.cache) as url, Progress(console=console, transient=True) as progress:
        workshop = Workshop(arguments.cache, arguments.data, redis_url=url)
        runner = Runner(workshop, progress, arguments.sets, arguments.targets)
        for findings in runner.run(contenders, arguments.parts):
            # A run of an hour that is stopped leaves what it has found.
            if arguments.write:
                write_page(arguments.write, findings, *_told(findings, arguments.targets))
    sheets, told = _told(findings, arguments.targets)
    for sheet in sheets:
        console.print(sheet.rich())
    console.print(verdict_lines(told), highlight=False)


def _told(findings: Findings, targets: Sequence[int]) -> tuple[list[Sheet], list[Verdict]]:
    comparisons = compare(findings.results)
    sheets = _sheets(findings, targets)
    if not comparisons:
        return sheets, []
    return [*sheets, report.differences(comparisons)], verdicts(comparisons)


def _sheets(findings: Findings, targets: Sequence[int]) -> list[Sheet]:
    sheets = []
    if findings.results:
        sheets += [report.overview(findings, target) for target in targets]
        sheets += [report.by_set(findings.results, target) for target in targets]
    if findings.segmented:
        sheets.append(report.segments(findings.segmented))
    if findings.scored:
        sheets.append(report.scorers(findings.scored))
    if findings.torn:
        sheets.append(report.code(findings.torn))
    return sheets


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chunkers", description=__doc__)
    add = parser.add_argument
    add("--data", type=Path, default=_DATA, help="folder with retrieval/ and segmentation/")
    add("--cache", type=Path, default=_CACHE, help="folder of what is remembered; one run at a time")
    add("--sets", nargs="*", default=[], help="only sets whose names hold one of these")
    add("--targets", nargs="+", type=int, default=[128, 256], help="mean tokens")
    add("--only", nargs="*", default=[], help="only chunkers whose names hold one of these")
    add("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="what is measured")
    add("--ablations", action="store_true", help="variants of ours too")
    add("--variant", nargs="*", default=[], type=parsed_variant, metavar="NAME:setting=value,…")
    page = _PAGE.relative_to(_ROOT)
    add("--write", type=Path, nargs="?", const=_PAGE, help=f"write a page ({page}) and its pictures")
    return parser


def _contenders(arguments: argparse.Namespace, console: Console) -> list[Contender]:
    ours = {**VARIANTS, **(ABLATIONS if arguments.ablations else {})}
    named = [*(variant(name, overrides) for name, overrides in ours.items()), *PEERS]
    wanted = [contender for contender in named if named_by(contender.name, arguments.only)]
    for contender in wanted:
        if not installed(contender.requires):
            console.print(f"absent: {contender.name} (pip install -r requirements-bench.txt)")
    return [*(item for item in wanted if installed(item.requires)), *arguments.variant]


@contextmanager
def _redis(cache: Path) -> Iterator[str]:
    """A Redis of this benchmark's own, whose scores outlive the run."""
    stack = LocalStack(cache / "stack")
    try:
        yield stack.up(services=("redis",)).redis_url
    finally:
        stack.down()


if __name__ == "__main__":
    main()
