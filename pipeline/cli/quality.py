"""Chunk quality in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pipeline.cli.output import emit, stdout

if TYPE_CHECKING:
    from chunking.quality_measure import QualityMeter
    from rubrica.model import ChunkedDocument, Document
    from rubrica.settings import Settings


class QualityReport:
    """Shows the quality of one document after the other, and of all in the end."""

    def __init__(self, settings: Settings, *, as_json: bool, wanted: bool) -> None:
        """Choose what to show.

        Args:
            settings: Those that the chunks are made with.
            as_json: JSON objects of type ``quality`` instead of lines.
            wanted: Whether a program asked for these objects: it may expect nothing but chunks.
        """
        from chunking.quality import Quality
        from chunking.quality_measure import SharedTexts

        self._settings = settings
        self._as_json = as_json
        self._silent = as_json and not wanted
        self._total = Quality()
        self._shared = SharedTexts()

    @cached_property
    def _meter(self) -> QualityMeter:
        from chunking.quality_measure import QualityMeter
        from indexing.embedders.factory import build_counter

        return QualityMeter(self._settings.chunking, build_counter(self._settings.indexing))

    def add(self, document: Document, chunked: ChunkedDocument) -> None:
        """Measure a document and show what came out."""
        from chunking.quality import figures

        if self._silent:
            return
        quality = self._meter.measure(document, chunked)
        self._total += quality
        self._shared.add(chunked.chunks)
        self._show(document.path, figures(quality))

    def finish(self) -> None:
        """Show the total; for people only where it says more than the document did."""
        from chunking.quality import figures

        if self._silent or (not self._as_json and self._total.documents < 2):
            return
        if not self._as_json:
            stdout.print(f"[bold]all {self._total.documents} documents[/]: {self._total.chunks} chunks")
        self._show(None, figures(self._total) | {"duplicates_elsewhere": self._shared.count})

    def _show(self, path: str | None, known: dict[str, Any]) -> None:
        if self._as_json:
            emit("quality", {"path": path} | known)
            return
        for line in quality_lines(known):
            stdout.print(line, soft_wrap=True, highlight=False)


def quality_lines(figures: Mapping[str, Any]) -> list[str]:
    """What people want to know of the figures of ``chunking.quality.figures``; none without chunks."""
    if not figures["chunks"]:
        return []
    return [line for line in (_sizes(figures), _cuts(figures), _structure(figures)) if line]


def _sizes(figures: Mapping[str, Any]) -> str:
    return (
        f"tokens: {figures['tokens_min']} to {figures['tokens_max']}, median {figures['tokens_median']}"
        f" (5 to 95 %: {figures['tokens_p5']} to {figures['tokens_p95']});"
        f" {_percent(figures['under_min_share'])} under the minimum,"
        f" {_percent(figures['at_max_share'])} at the maximum,"
        f" {_percent(figures['fragment_share'])} begin inside a sentence"
    )


def _cuts(figures: Mapping[str, Any]) -> str:
    """Nothing where nothing was scored."""
    if figures["sharpness"] is None:
        return ""
    return (
        f"cuts: {figures['sharpness']:.2f} spreads below the median,"
        f" {_percent(figures['sharpness_rank'])} of all scored cuts are sharper"
    )


def _structure(figures: Mapping[str, Any]) -> str:
    elsewhere = figures.get("duplicates_elsewhere")
    return (
        f"torn: {figures['tables_torn']} of {figures['tables']} tables,"
        f" {figures['clauses_torn']} of {figures['clauses']} clauses;"
        f" {figures['headings_parted']} of {figures['headings']} headings parted;"
        f" {figures['duplicates']} duplicates"
        + ("" if elsewhere is None else f", {elsewhere} with text of another document")
    )


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")
