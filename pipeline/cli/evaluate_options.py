"""What ``rubrica evaluate`` can be told."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class JudgedBy(StrEnum):
    """Who compares a model's answer with an expert's."""

    WORDS = "words"
    MODEL = "model"


class SearchedBy(StrEnum):
    """What is searched."""

    HYBRID = "hybrid"
    DENSE = "dense"
    SPARSE = "sparse"


Golden = Annotated[
    Path | None,
    typer.Option(
        "--golden",
        metavar="FILE",
        help="Questions of a file (golden.yaml, .jsonl, SQuAD .json, .csv, a BEIR folder); "
        "the evaluation is shown and not stored.",
    ),
]
SetNames = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME", help="A stored set; all by default.")
]
K = Annotated[
    list[int] | None, typer.Option("--k", "-k", min=1, max=1000, help="Recall at this k too; may repeat.")
]
Mode = Annotated[
    SearchedBy, typer.Option(help="By meaning and words, by meaning alone (dense), by words alone (sparse).")
]
Rerank = Annotated[bool, typer.Option("--rerank", help="Order the hits anew with the cross-encoder.")]
Generation = Annotated[
    int | None, typer.Option(metavar="N", help="Search this generation; the live one by default.")
]
Compare = Annotated[
    int | None,
    typer.Option(metavar="EVALUATION", help="Compare with this stored evaluation, by a paired test."),
]
Covered = Annotated[
    float, typer.Option(min=0.01, max=1.0, help="Part of the passage that a chunk must hold to be a hit.")
]
Missed = Annotated[
    int | None,
    typer.Option(
        min=0, metavar="N", help="Show at most N missed questions; by default 10, with --json none."
    ),
]
Answers = Annotated[
    bool,
    typer.Option(
        "--answers",
        help="Let the language model (RUBRICA_LLM_URL) answer from the first 5 hits, compare with the "
        "experts' answers and sort the errors.",
    ),
]
Judge = Annotated[JudgedBy, typer.Option(help="Who compares answers: their words and numbers, or the model.")]
MaxCalls = Annotated[int, typer.Option(min=1, metavar="N", help="Most calls of the model for a set.")]
