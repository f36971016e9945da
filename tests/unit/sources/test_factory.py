from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import ConfigurationError
from rubrica.model import SourceSpec
from rubrica.settings import Settings
from sources.factory import open_source, spec_from_location
from sources.folder import FolderSource
from sources.git import GitSource
from tests.support.git_repository import Repository

SLUG = re.compile(r"[a-z0-9-]+")


@pytest.mark.parametrize(
    "location",
    [
        "https://host.example/group/norms.git",
        "git@host.example:group/norms.git",
        "ssh://h/norms",
        "file:///x/norms",
    ],
)
def test_addresses_are_git(location: str) -> None:
    spec = spec_from_location(location, branch="main", include=["docs/"], exclude=["*.tmp"])
    assert (spec.kind, spec.location, spec.branch) == ("git", location, "main")
    assert (spec.include, spec.exclude) == (("docs/",), ("*.tmp",))
    assert re.fullmatch(r"norms-[0-9a-f]{8}", spec.name)


def test_work_tree_and_bare_repository_are_git(repository: Repository, tmp_path: Path) -> None:
    repository.write("a.md")
    repository.commit()
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    repository.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    for path in (repository.path, tmp_path / "bare.git", tmp_path / "linked"):
        spec = spec_from_location(str(path))
        assert (spec.kind, spec.location) == ("git", str(path))


def test_a_folder_is_a_folder_also_inside_a_work_tree(repository: Repository) -> None:
    repository.write("docs/a.md")
    spec = spec_from_location(str(repository.path / "docs"))
    assert (spec.kind, spec.location) == ("folder", str(repository.path / "docs"))


def test_a_relative_path_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "host:docs").mkdir()
    monkeypatch.chdir(tmp_path)
    spec = spec_from_location("host:docs")
    assert (spec.kind, spec.location) == ("folder", str(tmp_path / "host:docs"))


@pytest.mark.parametrize(
    "location", ["no/such folder", "~nobody-of-that-name/x", "x" * 5000, "--upload-pack=x"]
)
def test_a_path_that_does_not_exist(location: str) -> None:
    with pytest.raises(ConfigurationError, match="There is nothing at"):
        spec_from_location(location)


def test_a_file_is_no_source(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    with pytest.raises(ConfigurationError, match="is a file"):
        spec_from_location(str(tmp_path / "a.md"))


@pytest.mark.parametrize(
    "location", ["", "  ", "a\0b", "ext::sh -c x://y", "gopher://h/x", "https://u:p/w@h/x"]
)
def test_bad_addresses(location: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        spec_from_location(location)
    assert "p/w" not in str(caught.value)


def test_a_folder_has_no_branch(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no branch"):
        spec_from_location(str(tmp_path), branch="main")


@pytest.mark.parametrize("name", ["Нормы", "a_b", "-a", "a-", "A", "a" * 64, "a b", "../x"])
def test_bad_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="not a valid name"):
        spec_from_location(str(tmp_path), name=name)


def test_a_given_name_is_kept(tmp_path: Path) -> None:
    assert spec_from_location(str(tmp_path), name="norms-2").name == "norms-2"


def test_cyrillic_names_are_transliterated(tmp_path: Path) -> None:
    folder = tmp_path / "Своды правил № 47"
    folder.mkdir()
    assert re.fullmatch(r"svody-pravil-no-47-[0-9a-f]{8}", spec_from_location(str(folder)).name)


def test_names_tell_apart_what_differs_and_nothing_else() -> None:
    def name(location: str, branch: str = "") -> str:
        return spec_from_location(location, branch=branch).name

    assert name("https://a/docs.git") == name("https://a/docs.git") == name("https://u:new@a/docs")
    assert len({name("https://a/docs"), name("https://b/docs"), name("https://a/docs", "dev")}) == 3
    assert "secret" not in name("https://a/docs?private_token=secret")


@given(
    st.text(
        alphabet=st.characters(exclude_characters="\0/?#@:\\", exclude_categories=["Cs", "Cc", "Z"]),
        min_size=1,
    )
)
def test_a_derived_name_is_always_a_slug(last: str) -> None:
    name = spec_from_location(f"https://host.example/{last}/x{last}").name
    assert SLUG.fullmatch(name)
    assert len(name) <= 63
    assert spec_from_location("https://host.example/y", name=name).name == name


def test_open_source_hands_settings_on(repository: Repository, tmp_path: Path) -> None:
    repository.write("docs/a.md", b"x" * (1 << 20) + b"x")
    repository.commit()
    settings = Settings(home=tmp_path / "home", max_file_mb=1)
    spec = spec_from_location(str(repository.path), include=["docs/"])
    source = open_source(spec, settings)
    assert isinstance(source, GitSource)
    assert [file.path for file in source.snapshot().files] == ["docs/a.md"]
    assert (tmp_path / "home" / "mirrors").is_dir()
    folder = open_source(spec_from_location(str(repository.path / "docs")), settings)
    assert isinstance(folder, FolderSource)
    assert [file.path for file in folder.snapshot().files] == ["a.md"]
    with pytest.raises(ConfigurationError, match="kind"):
        open_source(replace(spec, kind="ftp"), settings)


def test_a_hostile_declaration_is_refused(tmp_path: Path) -> None:
    spec = SourceSpec("x", "git", "ext::sh -c touch% canary", branch="")
    with pytest.raises(ConfigurationError):
        open_source(spec, Settings(home=tmp_path))


def test_golden_questions_are_no_documents(tmp_path: Path) -> None:
    for name in ("golden.yaml", "a/golden.yaml", "a/notes.yaml"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("questions: []\n")
    source = open_source(spec_from_location(str(tmp_path / "docs")), Settings(home=tmp_path))
    assert [file.path for file in source.snapshot().files] == ["a/notes.yaml"]


def test_pictures_are_no_documents(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("план.png", "ФОТО.JPG", "архив.7z", "png.md", "текст.md"):
        (folder / name).write_text("x")
    spec = spec_from_location(str(folder))
    source = open_source(spec, Settings(home=tmp_path))
    assert [file.path for file in source.snapshot().files] == ["png.md", "текст.md"]
    everything = open_source(spec, Settings(home=tmp_path, skip_suffixes=""))
    assert len(everything.snapshot().files) == 5


@pytest.mark.parametrize(
    ("location", "kind"),
    [
        ("https://host.example/sitemap.xml", "http"),
        ("https://host.example/a/sitemap-1.xml.gz", "http"),
        ("https://host.example/files/", "git"),
        ("https://github.com/org/norms", "git"),
        ("s3://bucket/norms", "storage"),
        ("gs://bucket", "storage"),
        ("sftp://anna@host/norms", "storage"),
        ("memory://x", "storage"),
        ("ssh://git@host/norms", "git"),
        ("file:///srv/norms", "git"),
    ],
)
def test_kinds_are_told_by_the_address(location: str, kind: str) -> None:
    spec = spec_from_location(location)
    assert (spec.kind, spec.location) == (kind, location)
    assert SLUG.fullmatch(spec.name)


def test_a_kind_that_is_given_wins(tmp_path: Path) -> None:
    site = spec_from_location("https://host.example/files/", kind="http", options={"depth": 1})
    assert (site.kind, site.options) == ("http", {"depth": 1})
    assert spec_from_location(f"file://{tmp_path}", kind="storage").kind == "storage"
    (tmp_path / ".git").mkdir()
    assert spec_from_location(str(tmp_path), kind="folder").kind == "folder"
    for kind, location in (("ftp", "https://h/x"), ("folder", "https://h/x"), ("http", str(tmp_path))):
        with pytest.raises(ConfigurationError):
            spec_from_location(location, kind=kind)
