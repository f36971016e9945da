from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import ConfigurationError, LimitExceededError, SourceError, SourceUnavailableError
from rubrica.model import SourceFile
from rubrica.settings import Settings
from sources.factory import open_source, spec_from_location
from sources.storage.marks import info_marks
from sources.storage.opening import explained
from sources.storage.source import StorageSource


def open_storage(location: str, *, limits: dict[str, Any] | None = None, **given: Any) -> StorageSource:
    spec = spec_from_location(location, kind="storage", **given)
    source = open_source(spec, Settings(**limits or {}))
    assert isinstance(source, StorageSource)
    return source


@pytest.fixture
def bucket() -> Iterator[str]:
    """A folder in memory, with an object beside it whose name begins like the folder's."""
    root = f"memory://{uuid.uuid4().hex}/norms"
    fsspec.filesystem("memory").pipe(f"{root}-old/x.md", b"another prefix")
    yield root
    fsspec.filesystem("memory").rm(root.rpartition("/")[0], recursive=True)


def put(bucket: str, path: str, content: bytes = b"text") -> None:
    fsspec.filesystem("memory").pipe(f"{bucket}/{path}", content)


def test_objects_are_listed_and_read(bucket: str) -> None:
    for path in ("a.md", "п/б в.md", "picture.PNG", "golden.yaml", ".hidden/x.md", "draft/y.md"):
        put(bucket, path, path.encode())
    source = open_storage(f"{bucket}/", exclude=["draft/"])
    found = source.snapshot()
    assert [file.path for file in found.files] == ["a.md", "п/б в.md"]
    assert [item.path for item in found.skipped] == [".hidden/x.md"]
    assert [source.read(file, found.revision).decode() for file in found.files] == ["a.md", "п/б в.md"]
    assert open_storage(bucket, exclude=["draft/"]).snapshot() == found


def test_a_change_is_seen_and_nothing_else(bucket: str) -> None:
    put(bucket, "a.md")
    put(bucket, "b.md")
    before = open_storage(bucket).snapshot()
    assert before.files[0].mark != before.files[1].mark
    put(bucket, "a.md", b"TEXT")  # of the same size
    after = open_storage(bucket).snapshot()
    assert after.files[0].mark != before.files[0].mark
    assert after.files[1] == before.files[1]
    assert after.revision != before.revision


def test_an_object_that_changes_between_listing_and_reading(bucket: str) -> None:
    put(bucket, "a.md")
    source = open_storage(bucket)
    [file] = source.snapshot().files
    put(bucket, "a.md", b"TEXT")
    with pytest.raises(SourceUnavailableError, match="was changed"):
        source.read(file, "")
    fsspec.filesystem("memory").rm(f"{bucket}/a.md")
    with pytest.raises(SourceUnavailableError, match="can no longer be read"):
        source.read(file, "")


def test_an_empty_place_is_an_error(bucket: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.md").write_text("x")
    on_disk = [f"file://{tmp_path}/{name}" for name in ("nothing", "empty", "file.md")]
    for location in (bucket, f"memory://{uuid.uuid4().hex}", *on_disk):
        with pytest.raises(SourceError):
            open_storage(location).snapshot()


def test_large_objects_are_listed_and_refused(bucket: str) -> None:
    put(bucket, "a.md", b"x" * ((1 << 20) + 1))
    source = open_storage(bucket, limits={"max_file_mb": 1})
    [file] = source.snapshot().files
    for claimed in (file, SourceFile(file.path, file.mark, 1)):
        with pytest.raises(LimitExceededError):
            source.read(claimed, "")


def test_too_many_objects(bucket: str) -> None:
    for number in range(4):
        put(bucket, f"{number}.md")
    with pytest.raises(SourceError, match="more than 3"):
        open_storage(bucket, limits={"source_max_documents": 3}).snapshot()


def test_files_of_a_disk_without_links(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("a")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "s.md").write_text("s")
    (tmp_path / "docs" / "link.md").symlink_to(tmp_path / "secret" / "s.md")
    (tmp_path / "docs" / "linked").symlink_to(tmp_path / "secret")
    source = open_storage(f"file://{tmp_path}/docs")
    found = source.snapshot()
    assert [file.path for file in found.files] == ["a.md"]
    assert source.read(found.files[0], "") == b"a"
    os.utime(tmp_path / "docs" / "a.md", ns=(1, 1))
    with pytest.raises(SourceUnavailableError, match="was changed"):
        source.read(found.files[0], "")


@pytest.mark.parametrize(
    "path", ["../x.md", "/x.md", "a//b.md", "a/./b.md", "", "a/", "a\x00.md", "a\n.md", ".."]
)
def test_unsafe_paths_are_not_read(bucket: str, path: str) -> None:
    put(bucket, "a.md")
    with pytest.raises(SourceError, match="does not lie below"):
        open_storage(bucket).read(SourceFile(path, "v1", 1), "")


def test_unsafe_names_are_skipped(bucket: str) -> None:
    put(bucket, "a.md")
    put(bucket, "b\n.md")
    store = fsspec.filesystem("memory").store
    store[f"{fsspec.filesystem('memory')._strip_protocol(bucket)}/x/../../y.md"] = store[
        f"{fsspec.filesystem('memory')._strip_protocol(bucket)}/a.md"
    ]
    try:
        found = open_storage(bucket).snapshot()
    finally:
        del store[f"{fsspec.filesystem('memory')._strip_protocol(bucket)}/x/../../y.md"]
    assert [file.path for file in found.files] == ["a.md"]
    assert {item.reason for item in found.skipped} == {"Its path is not safe."}


def test_a_missing_driver_names_its_package() -> None:
    if find_spec("s3fs") is not None:
        pytest.skip("s3fs is installed")
    with pytest.raises(ConfigurationError, match=r"s3:// is not installed.*pip install s3fs"):
        open_storage("s3://bucket/norms").snapshot()


def test_options_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch, bucket: str) -> None:
    put(bucket, "a.md")
    source = open_storage(bucket, options={"token": "env:NO_SUCH_TOKEN"})
    with pytest.raises(ConfigurationError, match="NO_SUCH_TOKEN is not set"):
        source.snapshot()
    monkeypatch.setenv("NO_SUCH_TOKEN", "hunter2")
    assert len(source.snapshot().files) == 1
    assert "hunter2" not in repr(vars(source)["_options"])


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (FileNotFoundError("https://u:hunter2@h"), SourceError),
        (PermissionError("hunter2"), SourceError),
        (TypeError("unexpected keyword hunter2"), ConfigurationError),
        (ConnectionResetError("hunter2"), SourceUnavailableError),
        (TimeoutError(), SourceUnavailableError),
        (ValueError("hunter2"), SourceUnavailableError),
    ],
)
def test_what_a_driver_raises(raised: Exception, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught, explained("s3://bucket/norms?x=hunter2"):
        raise raised
    assert "s3://bucket/norms" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_the_best_mark_comes_first() -> None:
    info = {"VersionId": "v1", "ETag": '"abc"', "LastModified": datetime(2026, 1, 1, tzinfo=UTC), "size": 3}
    assert [mark[0] for mark in info_marks("a", info)] == ["v", "e", "t"]
    assert [mark[0] for mark in info_marks("a", info | {"VersionId": "null"})] == ["e", "t"]
    assert info_marks("a", {"ETag": '"abc"'}) == info_marks("a", {"etag": 'W/"abc"'})
    assert info_marks("a", {"mtime": 1, "size": 1}) != info_marks("a", {"mtime": 1, "size": 2})
    assert info_marks("a", {"size": 3, "ETag": None, "type": "file"}) == []


@given(st.text(min_size=1), st.text(min_size=1))
def test_marks_of_two_objects_are_never_equal(first: str, second: str) -> None:
    if first != second:
        assert info_marks(first, {"ETag": "x"}) != info_marks(second, {"ETag": "x"})
