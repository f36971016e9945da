"""The page of a tuning study: recall against cost, and a table of what was tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.plots.rendering import render
from pipeline.plots.visible import one_line


@dataclass(frozen=True, slots=True)
class Tried:
    """Settings that were tried, as a plot shows them.

    Attributes:
        number: Number of the trial.
        settings: What they were, in a few words.
        recall: Recall@5, 0…1.
        mrr: Mean reciprocal rank.
        cost: Tokens that the models read.
        chunks: How many chunks there were.
        pairs: Pairs scored.
        front: Whether no other beats them in both recall and cost.
        best: Whether they are the best.
        current: Whether they are in force.
    """

    number: int
    settings: str
    recall: float
    mrr: float
    cost: int
    chunks: int
    pairs: int
    front: bool = False
    best: bool = False
    current: bool = False

    @property
    def note(self) -> str:
        """What is to say of them."""
        return ", ".join(name for name, is_so in (("best", self.best), ("in force", self.current)) if is_so)


@dataclass(frozen=True, slots=True)
class StudyView:
    """A study, ready to be drawn.

    Attributes:
        name: Name of the study.
        about: What it was judged by: questions, documents.
        verdict: The best beside the settings in force, in a sentence.
        tried: What was tried, in the order of the table.
    """

    name: str
    about: str
    verdict: str
    tried: Sequence[Tried]


@dataclass(frozen=True, slots=True)
class _Path:
    path: str


@dataclass(frozen=True, slots=True)
class _Header:
    """What the page's head shows."""

    title: str
    document: _Path


def tuning_page(view: StudyView) -> str:
    """The page as HTML.

    Args:
        view: What to show.
    """
    return render(
        "tuning",
        {
            "view": _Header(one_line(view.name), _Path(view.about)),
            "study": view,
            "data": {"tried": [_row(item) for item in view.tried]},
        },
    )


def _row(item: Tried) -> dict[str, Any]:
    return {
        "number": item.number,
        "settings": item.settings,
        "recall": round(item.recall, 5),
        "cost": item.cost,
        "front": item.front,
        "best": item.best,
        "current": item.current,
    }
