"""The newest revision of a source, without fetching it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rubrica.errors import SourceError
from rubrica.model import SourceSpec
from rubrica.settings import Settings
from sources.factory import open_source
from sources.heads import newest_revision
from tests.support.git_repository import Repository


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "нормы и 'правила'")
    repository.git("config", "user.name", "Анна")
    repository.git("config", "user.email", "anna@example.org")
    return repository


def test_the_head_is_what_a_snapshot_would_list(repository: Repository, settings: Settings) -> None:
    repository.write("a.md")
    for location in (str(repository.path), repository.url):
        spec = SourceSpec("norms", "git", location)
        head = repository.commit()
        assert newest_revision(spec, settings) == head
        assert open_source(spec, settings).snapshot().revision == head


def test_a_branch_is_not_taken_for_another_that_ends_like_it(
    repository: Repository, settings: Settings
) -> None:
    repository.write("a.md")
    main = repository.commit()
    repository.git("switch", "--quiet", "-c", "refs/heads/main")
    other = repository.commit("another")
    assert newest_revision(SourceSpec("norms", "git", repository.url, "main"), settings) == main
    assert main != other


def test_what_is_not_there_is_an_error(repository: Repository, settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="has no"):
        newest_revision(SourceSpec("norms", "git", repository.url), settings)
    repository.write("a.md")
    repository.commit()
    with pytest.raises(SourceError, match="has no"):
        newest_revision(SourceSpec("norms", "git", repository.url, "draft"), settings)
    with pytest.raises(SourceError):
        newest_revision(SourceSpec("norms", "git", str(tmp_path / "nothing")), settings)


def test_any_other_source_is_listed(tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    spec = SourceSpec("letters", "folder", str(folder))
    (folder / "a.txt").write_text("one")
    first = newest_revision(spec, settings)
    assert first == newest_revision(spec, settings) == open_source(spec, settings).snapshot().revision
    (folder / "b.txt").write_text("two")
    assert newest_revision(spec, settings) != first
