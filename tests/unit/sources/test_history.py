from __future__ import annotations

from pathlib import Path

import pytest

from rubrica.errors import SourceError
from rubrica.model import SourceSpec
from rubrica.settings import Settings
from sources.history import commits
from tests.support.git_repository import Repository


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


def _spec(repository: Repository) -> SourceSpec:
    return SourceSpec("norms", "git", str(repository.path))


def _subjects(
    repository: Repository, settings: Settings, since: str, until: str, limit: int = 20
) -> list[str]:
    found = commits(_spec(repository), settings, since=since, until=until, limit=limit)
    return [commit.subject for commit in found]


def test_the_commits_after_one_up_to_another_are_told_newest_first(
    repository: Repository, settings: Settings
) -> None:
    made = []
    for number in range(5):
        repository.write("a.md", f"{number}\n")
        made.append(repository.commit(f"Правка {number}"))
    assert _subjects(repository, settings, made[1], made[3]) == ["Правка 3", "Правка 2"]
    assert _subjects(repository, settings, "", made[4], limit=2) == ["Правка 4", "Правка 3"]
    newest = commits(_spec(repository), settings, since=made[3], until=made[4])[0]
    assert (newest.revision, newest.author) == (made[4], "Анна")

    # What was committed since is fetched.
    later = repository.commit("Позже")
    assert _subjects(repository, settings, made[4], later) == ["Позже"]


def test_files_are_not_fetched(repository: Repository, settings: Settings, tmp_path: Path) -> None:
    repository.write("big.bin", bytes(range(256)) * 4000)
    first = repository.commit("Большой файл")
    assert _subjects(repository, settings, "", first) == ["Большой файл"]
    held = next((tmp_path / "home" / "mirrors").glob("*.history.git"))
    blob = repository.git("rev-parse", "HEAD:big.bin")
    objects = repository.git(f"--git-dir={held}", "rev-list", "--objects", "--missing=allow-any", "--all")
    assert first in objects
    assert blob not in objects


def test_a_revision_that_is_not_known_any_more_limits_nothing(
    repository: Repository, settings: Settings
) -> None:
    last = repository.commit("Единственный")
    assert _subjects(repository, settings, "f" * 40, last) == ["Единственный"]


def test_folders_and_equal_revisions_have_no_commits(repository: Repository, settings: Settings) -> None:
    last = repository.commit("Единственный")
    assert _subjects(repository, settings, last, last) == []
    folder = SourceSpec("norms", "folder", str(repository.path))
    assert commits(folder, settings, since="", until=last) == ()


def test_a_repository_that_is_gone_is_an_error(tmp_path: Path, settings: Settings) -> None:
    spec = SourceSpec("norms", "git", str(tmp_path / "nowhere"))
    with pytest.raises(SourceError):
        commits(spec, settings, since="", until="a" * 40)
