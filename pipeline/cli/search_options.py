"""What ``rubrica search`` can be told."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

_FILTERS = "Which documents and chunks"
_RANKING = "How they are ordered"
_SHOWN = "What is shown"

Query = Annotated[
    list[str],
    typer.Argument(metavar="QUERY", help="What to look for; quotes are not needed.", show_default=False),
]
Source = Annotated[str | None, typer.Option(help="Only of this source.", rich_help_panel=_FILTERS)]
PathGlob = Annotated[
    str | None,
    typer.Option(
        metavar="GLOB", help="Only of paths that match, as .gitignore has it.", rich_help_panel=_FILTERS
    ),
]
Language = Annotated[
    str | None, typer.Option(help="Only of this language: ru, en.", rich_help_panel=_FILTERS)
]
Standard = Annotated[
    str | None,
    typer.Option(
        help="Only of this standard: 'СП 63.13330', '7.32-2017'; the year may be left out.",
        rich_help_panel=_FILTERS,
    ),
]
Section = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Only below a heading that contains this, in any case.",
        rich_help_panel=_FILTERS,
    ),
]
Clause = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="Only text of this clause: 5.2 finds 5.2.1 too.",
        rich_help_panel=_FILTERS,
    ),
]
Subclauses = Annotated[
    bool,
    typer.Option(
        "--subclauses/--no-subclauses",
        help="Whether a clause includes those below it.",
        rich_help_panel=_FILTERS,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="DATE",
        help="Only of documents of this date or later: 2015, 2015-06, 2015-06-01.",
        rich_help_panel=_FILTERS,
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="DATE",
        help="Only of documents of this date or earlier.",
        rich_help_panel=_FILTERS,
    ),
]
DateAttribute = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The attribute that --from and --to compare. By default the first that a document has of "
        "published, date, introduced_on, adopted_on.",
        rich_help_panel=_FILTERS,
    ),
]
Attribute = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Only of documents with this attribute. Give it again for another attribute, or for another "
        "value that will do.",
        rich_help_panel=_FILTERS,
    ),
]
Condition = Annotated[
    str,
    typer.Option(
        "--filter",
        help="A condition on fields as Milvus writes it: "
        '\'page_from >= 3 and attributes["standard"] == "СП 1"\'.',
        rich_help_panel=_FILTERS,
    ),
]
Mode = Annotated[
    Literal["hybrid", "dense", "sparse"],
    typer.Option(
        help="By meaning (dense), by words (sparse: BM25), or both fused.", rich_help_panel=_RANKING
    ),
]
Rerank = Annotated[
    bool,
    typer.Option("--rerank", help="Order the best anew with the cross-encoder.", rich_help_panel=_RANKING),
]
Candidates = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=16_384,
        help="How many of the best of each ranking count (by default 200), and how many --rerank reads "
        "(by default 50).",
        rich_help_panel=_RANKING,
    ),
]
K = Annotated[int, typer.Option("--k", "-k", min=1, max=1000, help="Hits of a page.", rich_help_panel=_SHOWN)]
Page = Annotated[int, typer.Option(min=1, help="Which page; pages never overlap.", rich_help_panel=_SHOWN)]
Neighbours = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=0,
        max=50,
        help="Show the N chunks before and after each hit, too.",
        rich_help_panel=_SHOWN,
    ),
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Show where each score comes from.", rich_help_panel=_SHOWN)
]
