from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubrica.errors import LimitExceededError, SourceError, SourceUnavailableError
from rubrica.identity import content_hash
from rubrica.model import SourceFile, Stage
from sources.folder import FolderSource
from tests.support.git_repository import paths, reasons

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n"
ODD_NAMES = [
    'цитата "а".md',
    "tab\there.md",
    "line\nbreak.md",
    "back\\slash.md",
    "-rf.md",
    "a b/c'd.md",
    "😀.md",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "документы"
    path.mkdir()
    return path


def write(path: Path, content: bytes = b"text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_lists_and_reads(root: Path) -> None:
    contents = {name: name.encode() for name in (*ODD_NAMES, "empty.md")} | {"empty.md": b""}
    for name, content in contents.items():
        write(root / name, content)
    source = FolderSource(root)
    snapshot = source.snapshot()
    assert paths(snapshot) == sorted(contents)
    for file in snapshot.files:
        assert source.read(file, snapshot.revision) == contents[file.path]
        assert (file.mark, file.size) == (content_hash(contents[file.path]), len(contents[file.path]))


def test_the_revision_follows_names_and_content(root: Path) -> None:
    write(root / "a.md")
    first = FolderSource(root).snapshot().revision
    assert FolderSource(root).snapshot().revision == first
    write(root / "a.md", b"other")
    second = FolderSource(root).snapshot().revision
    (root / "a.md").rename(root / "b.md")
    assert len({first, second, FolderSource(root).snapshot().revision}) == 3


def test_skips_with_a_reason(root: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside" / "secret.md")
    (root / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (root / "linked").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe.md")
    write(root / "large.bin", POINTER.encode())
    write(root / ".hidden.md")
    write(root / ".idea" / "a.md")
    write(root / ".git" / "config")
    write(root / "~$норма.docx")
    write(root / os.fsdecode("КОИ8".encode("koi8-r") + b".md"))
    write(root / os.fsdecode(b"\xff") / "a.md")
    write(root / "a.md")
    snapshot = FolderSource(root).snapshot()
    assert paths(snapshot) == ["a.md"]
    found = reasons(snapshot)
    assert found.keys() == {
        *("link.md", "linked", "loop", "pipe.md", "large.bin", ".hidden.md", ".idea", ".git", "~$норма.docx"),
        *("\\xeb\\xef\\xe98.md", "\\xff"),
    }
    assert "symbolic link" in found["link.md"]
    assert "LFS" in found["large.bin"]
    assert "UTF-8" in found["\\xff"]
    assert "hidden" in found[".idea"]


def test_globs(root: Path) -> None:
    for name in ("docs/a.md", "docs/b.txt", "c.md", ".notes/d.md", "docs/.git/e.md"):
        write(root / name)
    assert paths(FolderSource(root, include=["*.md"], exclude=["c.md"]).snapshot()) == ["docs/a.md"]
    assert paths(FolderSource(root, include=["**/.notes/**"]).snapshot()) == [".notes/d.md"]
    assert not FolderSource(root, include=["docs/*.md"]).snapshot().skipped


@pytest.fixture
def readable_by_all() -> Iterator[Path]:
    """A folder outside pytest's own, which only its owner may enter."""
    with tempfile.TemporaryDirectory() as path:
        root = Path(path)
        root.chmod(0o755)
        yield root


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root reads everything, so step down from it."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_what_may_not_be_read_is_skipped(readable_by_all: Path) -> None:
    root = readable_by_all
    write(root / "a.md").chmod(0)
    write(root / "closed" / "b.md")
    (root / "closed").chmod(0)
    write(root / "c.md")
    with without_privileges():
        snapshot = FolderSource(root).snapshot()
    assert paths(snapshot) == ["c.md"]
    assert set(reasons(snapshot)) == {"a.md", "closed"}
    with without_privileges(), pytest.raises(SourceError, match="permission denied"):
        FolderSource(root / "closed").snapshot()
    (root / "closed").chmod(0o700)


def test_a_folder_that_is_missing_or_a_file(root: Path) -> None:
    write(root / "a.md")
    for path in (root / "missing", root / "a.md"):
        with pytest.raises(SourceError, match="There is no folder") as caught:
            FolderSource(path).snapshot()
        assert caught.value.stage == Stage.DETECT


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (errno.ELOOP, SourceError),
        (errno.ENAMETOOLONG, SourceError),
        (errno.ESTALE, SourceUnavailableError),
        (errno.EIO, SourceUnavailableError),
    ],
)
def test_a_folder_that_fails_as_a_whole(
    root: Path, monkeypatch: pytest.MonkeyPatch, code: int, kind: type[Exception]
) -> None:
    def scandir(path: Path) -> None:
        raise OSError(code, os.strerror(code), str(path))

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(kind, match=os.strerror(code)):
        FolderSource(root).snapshot()


def test_a_link_to_itself_and_an_endless_name(root: Path) -> None:
    (root / "loop").symlink_to(root / "loop")
    for path in (root / "loop", root / ("x" * 300)):
        with pytest.raises(SourceError, match="cannot be listed"):
            FolderSource(path).snapshot()


def test_an_entry_that_cannot_be_told_is_an_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        name = "a.md"
        path = str(root / "a.md")

        def is_dir(self, *, follow_symlinks: bool) -> bool:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("sources.folder._scan", lambda _: [Entry()])
    with pytest.raises(SourceUnavailableError, match=r"a\.md cannot be read"):
        FolderSource(root).snapshot()


def test_an_empty_folder_is_an_empty_snapshot(root: Path) -> None:
    assert FolderSource(root).snapshot().files == ()


def test_a_file_over_the_limit_is_listed_and_refused(root: Path) -> None:
    write(root / "large.md", b"x" * (1 << 20) + b"x")
    write(root / "fits.md", b"x" * (1 << 20))
    source = FolderSource(root, max_file_mb=1)
    snapshot = source.snapshot()
    fits, large = snapshot.files
    assert len(source.read(fits, snapshot.revision)) == 1 << 20
    with pytest.raises(LimitExceededError, match="RUBRICA_MAX_FILE_MB") as caught:
        source.read(large, snapshot.revision)
    assert (caught.value.limit, caught.value.document) == ("RUBRICA_MAX_FILE_MB", "large.md")
    assert caught.value.stage == Stage.EXTRACT


def test_a_change_after_the_listing_is_noticed(root: Path) -> None:
    path = write(root / "docs" / "a.md")
    source = FolderSource(root)
    snapshot = source.snapshot()
    (file,) = snapshot.files

    def refused() -> str:
        with pytest.raises(SourceUnavailableError) as caught:
            source.read(file, snapshot.revision)
        return caught.value.reason

    path.write_bytes(b"texT")
    assert "changed" in refused()
    path.unlink()
    assert "can no longer be read" in refused()
    os.mkfifo(path)
    assert "no longer a file" in refused()
    path.unlink()
    path.mkdir()
    assert refused()


def test_no_link_leads_out(root: Path, tmp_path: Path) -> None:
    """A folder on the way is exchanged for a link to the same content elsewhere."""
    write(root / "docs" / "a.md")
    source = FolderSource(root)
    (file,) = source.snapshot().files
    (root / "docs").rename(tmp_path / "elsewhere")
    (root / "docs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SourceUnavailableError):
        source.read(file, "")
    (root / "docs").unlink()
    (root / "docs").mkdir()
    (root / "docs" / "a.md").symlink_to(tmp_path / "elsewhere" / "a.md")
    with pytest.raises(SourceUnavailableError):
        source.read(file, "")


@pytest.mark.parametrize(
    "path", ["../secret.md", "/etc/passwd", "docs/../../secret.md", "", ".", "a\0b", "docs//a.md", "./a.md"]
)
def test_traversal_is_impossible(root: Path, tmp_path: Path, path: str) -> None:
    write(tmp_path / "secret.md")
    with pytest.raises(SourceError, match="does not lie in"):
        FolderSource(root).read(SourceFile(path, content_hash(b"text"), 4), "")


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["a.md", "b/c.md", "b/d.txt", "е/ё.md"]), st.binary(max_size=20)))
def test_every_file_that_is_listed_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[str, bytes]
) -> None:
    root = tmp_path_factory.mktemp("folder")
    for name, content in tree.items():
        write(root / name, content)
    source = FolderSource(root)
    snapshot = source.snapshot()
    assert {file.path: source.read(file, snapshot.revision) for file in snapshot.files} == tree
