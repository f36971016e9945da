"""Which sources a push is about."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.commits.addresses import repository_key
from pipeline.commits.known import Watched
from pipeline.commits.model import Change
from rubrica_airflow.webhooks.payloads import Push


def of_repository(watched: Iterable[Watched], push: Push) -> list[Watched]:
    """Sources that follow the repository, on whatever branch."""
    keys = {repository_key(address) for address in push.addresses} - {""}
    return [item for item in _repositories(watched) if repository_key(item.spec.location) in keys]


def of_name(watched: Iterable[Watched], name: str) -> list[Watched]:
    """The source of that name, if it is a repository: nobody pushes to a folder or a web site."""
    return [item for item in _repositories(watched) if item.spec.name == name]


def _repositories(watched: Iterable[Watched]) -> list[Watched]:
    return [item for item in watched if item.spec.kind == "git"]


def changes(watched: Iterable[Watched], push: Push) -> list[tuple[Watched, Change]]:
    """What is new for each source: the last push to the branch that it follows."""
    found = []
    for item in watched:
        moved = [branch for branch in push.branches if _follows(item, branch.branch, push.default_branch)]
        if moved:
            found.append((item, Change(item.spec.name, moved[-1].revision)))
    return found


def _follows(item: Watched, branch: str, default: str) -> bool:
    wanted = item.spec.branch.removeprefix("refs/heads/") or default
    # A host that does not name its default branch may mean any: a run reads the right one.
    return not wanted or branch == wanted
