"""What ``rubrica tune`` can be told."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SetName = Annotated[
    str | None,
    typer.Option(
        "--set", metavar="NAME", help="The golden set to answer; may be left out if one only is stored."
    ),
]
Golden = Annotated[Path | None, typer.Option(metavar="FILE", help="Take the questions from a file instead.")]
Documents = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Take the documents from a folder instead of the index; no Milvus is needed.",
    ),
]
Everything = Annotated[
    bool,
    typer.Option(
        "--all", help="Cut all documents, not only those that questions ask about: slower, and harder."
    ),
]
Trials = Annotated[int, typer.Option(min=1, help="Settings to try in all, those in force included.")]
Minutes = Annotated[float, typer.Option(min=0, help="Begin no further trial after this time; 0: no limit.")]
Strategies = Annotated[str, typer.Option(metavar="A,B,C", help="Strategies to choose from.")]
Name = Annotated[
    str | None, typer.Option(help="Name of the study; by default one for these questions and documents.")
]
Resume = Annotated[
    bool, typer.Option("--resume/--fresh", help="Go on with the study of that name, or begin it anew.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the search.")]
Write = Annotated[
    bool, typer.Option("--write", help="Write the best settings into settings.env of RUBRICA_HOME.")
]
Plot = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw recall against cost (.html, .png or .svg)."),
]
