"""Builds the index anew beside the live one, and lets readers move to it when it is as good.

    begin → plan → build each batch → catch_up → judge → switch → drop → close

DAG tasks and commands call the same functions. Every one may be killed anywhere and run again; what a
killed rebuild has written is kept, and the next one goes on from there.
"""

from __future__ import annotations

from pipeline.reindexing.beginning import begin, plan
from pipeline.reindexing.building import build, catch_up, judge
from pipeline.reindexing.closing import close
from pipeline.reindexing.dropping import drop
from pipeline.reindexing.request import ReindexRequest
from pipeline.reindexing.runner import run
from pipeline.reindexing.switching import switch

__all__ = [
    "ReindexRequest",
    "begin",
    "build",
    "catch_up",
    "close",
    "drop",
    "judge",
    "plan",
    "run",
    "switch",
]
