"""The page ``benchmarks/results/chunkers.md`` and the pictures beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.chunkers.comparisons import Verdict
from benchmarks.chunkers.report import Findings, Sheet

_HEAD = """\
# Chunkers compared

Written by `python -m benchmarks.chunkers --write`. Every chunker's limit is set so that the texts that are
embedded have the same mean number of tokens (multilingual-e5-small's, its prefix and special tokens aside);
of ours that is body *and* context line. One search serves all: multilingual-e5-small and BM25, fused by
reciprocal ranks (k = 60). An answer in one span is found when one chunk covers half of its characters; one in
several spans counts the share that the chunks found cover together. IoU: tokens of the answer among those of
the first five chunks. Pk (lower is better): edges against known segments, mean of the sets; AP:
average precision of its scorer's gaps there, the mean of the texts, where it has one. `*`: the mean is
more than 5 % off the target; no limit comes nearer, up to sixteen times the target (of ours: up to one and a
half of what the embedder reads). `full` is run only where no document has more than 100 sentences. Seconds
and MiB: one run in a fresh process, nothing cached, models loaded beforehand; MiB beyond what the process
had before the chunker was built, its model included.
"""


def write_page(path: Path, findings: Findings, sheets: Sequence[Sheet], verdicts: Sequence[Verdict]) -> None:
    """Write the page and its pictures.

    Args:
        path: The page; the pictures get its name with a suffix.
        findings: What was measured.
        sheets: Tables, in order.
        verdicts: What the tests say.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = [_HEAD]
    if findings.results:
        from benchmarks.chunkers.plots import draw_recall, draw_sizes  # noqa: PLC0415 - needs matplotlib

        recall, sizes = (path.with_name(f"{path.stem}-{name}.png") for name in ("recall", "sizes"))
        draw_recall(findings.results, recall)
        draw_sizes(findings.results, sizes)
        parts += [f"![Recall against mean tokens]({recall.name})\n", f"![Sizes of chunks]({sizes.name})\n"]
    parts += [verdict_lines(verdicts), *(sheet.markdown() for sheet in sheets)]
    path.write_text("\n".join(parts), encoding="utf-8")


def verdict_lines(verdicts: Sequence[Verdict]) -> str:
    """The requirements as a list."""
    lines = []
    for verdict in verdicts:
        lines.append(f"- **{'met' if verdict.met else 'NOT met'}**: {verdict.requirement}")
        lines += [f"  - {reason}" for reason in verdict.against]
    return "\n".join([*lines, ""])
