"""Measures part by part and shows how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeVar

from rich.progress import Progress

from benchmarks.chunkers import report
from benchmarks.chunkers.code import CODE_CONTENDERS, Torn, python_library, tear
from benchmarks.chunkers.cost import Cost, measure
from benchmarks.chunkers.model import Contender
from benchmarks.chunkers.peers import installed
from benchmarks.chunkers.report import Findings
from benchmarks.chunkers.run import Result, run_one
from benchmarks.chunkers.segmentation import SCORERS, Scored, Segmented, rate, segment
from benchmarks.chunkers.sets import RetrievalSet, SegmentationSet, retrieval_sets, segmentation_sets
from benchmarks.chunkers.workshop import Workshop

PARTS = ("retrieval", "segmentation", "code", "cost")

_Set = TypeVar("_Set", RetrievalSet, SegmentationSet)
_Step = TypeVar("_Step")
_Found = TypeVar("_Found")


class Runner:
    """Runs the parts of the comparison."""

    def __init__(
        self, workshop: Workshop, progress: Progress, set_names: Sequence[str], targets: Sequence[int]
    ) -> None:
        """Choose what is measured.

        Args:
            workshop: Folders, embedder, memory.
            progress: Shows how far the run is; results are printed above it as they come.
            set_names: Only sets whose names hold one of these; all when empty.
            targets: Mean tokens.
        """
        self._workshop = workshop
        self._progress = progress
        self._set_names = set_names
        self._targets = targets

    def run(self, contenders: Sequence[Contender], parts: Sequence[str]) -> Iterator[Findings]:
        """Measure chunkers; what is known so far, after every set and part.

        Args:
            contenders: The chunkers.
            parts: Some of ``PARTS``; ``cost`` needs ``retrieval``, which finds the limits.
        """
        data = self._workshop.data
        asked = self._read(retrieval_sets(data)) if "retrieval" in parts else []
        known = self._read(segmentation_sets(data)) if "segmentation" in parts else []
        findings = Findings()
        for documents in asked[:1]:
            findings = replace(findings, results=self._retrieval(contenders, documents))
            yield findings
            if "cost" in parts:
                costs = self._costs(contenders, findings.results, documents)
                yield (findings := replace(findings, costs=costs, cost_set=documents.name))
        if known:
            segmented, scored = self._segmentation(contenders, known), self._scorers(known)
            yield (findings := replace(findings, segmented=segmented, scored=scored))
        if "code" in parts:
            yield (findings := replace(findings, torn=self._code()))
        for documents in asked[1:]:
            results = [*findings.results, *self._retrieval(contenders, documents)]
            yield (findings := replace(findings, results=results))

    def _read(self, sets: Mapping[str, Callable[[], _Set]]) -> list[_Set]:
        return [read() for name, read in sets.items() if named_by(name, self._set_names)]

    def _retrieval(self, contenders: Sequence[Contender], documents: RetrievalSet) -> list[Result]:
        def measure_one(step: tuple[int, Contender]) -> Result | None:
            target, contender = step
            result = run_one(contender, documents, target, self._workshop)
            if result:
                self._progress.console.print(report.result_line(result), highlight=False, soft_wrap=True)
            return result

        steps = list(product(self._targets, contenders))
        return self._each(f"retrieval, {documents.name}", steps, measure_one)

    def _segmentation(
        self, contenders: Sequence[Contender], known: Sequence[SegmentationSet]
    ) -> list[Segmented]:
        def measure_one(step: tuple[SegmentationSet, Contender]) -> Segmented | None:
            return segment(step[1], step[0], self._workshop)

        return self._each("segmentation", list(product(known, contenders)), measure_one)

    def _scorers(self, known: Sequence[SegmentationSet]) -> list[Scored]:
        def measure_one(step: tuple[SegmentationSet, str]) -> Scored | None:
            texts, name = step
            score, modules = SCORERS[name]
            return rate(name, score, texts, self._workshop) if installed(modules) else None

        return self._each("scorers", list(product(known, SCORERS)), measure_one)

    def _code(self) -> list[Torn]:
        library = python_library()

        def measure_one(step: tuple[int, Contender]) -> Torn | None:
            target, contender = step
            return tear(contender, library, target, self._workshop)

        usable = [contender for contender in CODE_CONTENDERS if installed(contender.requires)]
        return self._each("code", list(product(self._targets, usable)), measure_one)

    def _costs(
        self, contenders: Sequence[Contender], results: Sequence[Result], documents: RetrievalSet
    ) -> dict[tuple[str, int], Cost]:
        limits = {
            (result.name, result.target): result.fitted.limit
            for result in results
            if result.set_name == documents.name
        }

        def measure_one(step: tuple[Contender, int]) -> tuple[tuple[str, int], Cost] | None:
            contender, target = step
            limit = limits.get((contender.name, target))
            if limit is None:
                return None
            cost = measure(contender, limit, documents.documents, self._workshop)
            return (contender.name, target), cost

        return dict(self._each("cost", list(product(contenders, self._targets)), measure_one))

    def _each(
        self, part: str, steps: Sequence[_Step], work: Callable[[_Step], _Found | None]
    ) -> list[_Found]:
        task = self._progress.add_task(part, total=len(steps))
        found = []
        for step in steps:
            outcome = work(step)
            if outcome is not None:
                found.append(outcome)
            self._progress.advance(task)
        return found


def named_by(name: str, parts: Sequence[str]) -> bool:
    """Whether a name holds one of some parts; any name does where there are none."""
    return not parts or any(part in name for part in parts)
