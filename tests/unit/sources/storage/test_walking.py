from __future__ import annotations

import ftplib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fsspec.asyn import AsyncFileSystem  # type: ignore[import-untyped]
from fsspec.implementations.ftp import FTPFileSystem  # type: ignore[import-untyped]
from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]
from fsspec.implementations.memory import MemoryFileSystem  # type: ignore[import-untyped]
from fsspec.spec import AbstractFileSystem  # type: ignore[import-untyped]

from rubrica.errors import ConfigurationError, PoisonDocumentError, SourceError, SourceUnavailableError
from rubrica.settings import Settings
from sources.factory import open_source, spec_from_location
from sources.protocol import Source
from sources.storage import walking
from sources.storage.opening import explained

Break = Callable[..., None]


def open_storage(location: str, **given: Any) -> Source:
    return open_source(spec_from_location(location, kind="storage", **given), Settings())


def paths(source: Source) -> list[str]:
    return [file.path for file in source.snapshot().files]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a/0.md", "a/1.md", "b/c/2.md", "d.md"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "tree"


@pytest.fixture
def break_listing(monkeypatch: pytest.MonkeyPatch) -> Break:
    """Let the driver of ``file://`` fail at folders that end so."""

    def break_listing(end: str, error: Exception) -> None:
        real = LocalFileSystem.ls

        def ls(self: LocalFileSystem, path: str, detail: bool = False, **more: Any) -> Any:
            if path.rstrip("/").endswith(end):
                raise error
            return real(self, path, detail=detail, **more)

        monkeypatch.setattr(LocalFileSystem, "ls", ls)

    return break_listing


@pytest.mark.parametrize("error", [TimeoutError("timed out"), ConnectionResetError(), FileNotFoundError()])
def test_a_folder_that_cannot_be_listed_never_looks_empty(
    tree: Path, break_listing: Break, error: Exception
) -> None:
    source = open_storage(f"file://{tree}")
    assert paths(source) == ["a/0.md", "a/1.md", "b/c/2.md", "d.md"]
    break_listing("/b/c", error)
    with pytest.raises(SourceUnavailableError, match=r"tree/b/c can"):
        source.snapshot()


def test_a_folder_that_is_refused_can_be_left_out(tree: Path, break_listing: Break) -> None:
    break_listing("/b", PermissionError("hunter2"))
    with pytest.raises(SourceError, match=r"tree/b refuses access"):
        open_storage(f"file://{tree}").snapshot()
    assert paths(open_storage(f"file://{tree}", exclude=["b/"])) == ["a/0.md", "a/1.md", "d.md"]


def test_what_a_glob_takes_back_is_found(tree: Path) -> None:
    assert "a/1.md" in paths(open_storage(f"file://{tree}", exclude=["a/", "!/a/1.md"]))


def test_nothing_and_no_answer_are_told_apart(tree: Path, break_listing: Break) -> None:
    with pytest.raises(SourceError, match="There is nothing at"):
        open_storage(f"file://{tree}/missing").snapshot()
    (tree / "empty").mkdir()
    with pytest.raises(SourceError, match="holds no document"):
        open_storage(f"file://{tree}/empty").snapshot()
    break_listing("/tree", ConnectionRefusedError(111, "Connection refused"))
    with pytest.raises(SourceUnavailableError, match="cannot be read"):
        open_storage(f"file://{tree}").snapshot()


class Circle:
    """A server on which a folder holds itself, under ever longer names or always under the same one."""

    def __init__(self, *, longer: bool) -> None:
        self._longer = longer
        self.asked = 0

    def ls(self, path: str, detail: bool) -> list[dict[str, Any]]:
        assert detail
        self.asked += 1
        below = f"{path}/again" if self._longer else "root"
        return [{"name": below, "type": "directory"}, {"name": "root/a.md", "type": "file"}]


def test_folders_that_never_end() -> None:
    with pytest.raises(SourceError, match="lie too deep"):
        list(walking.objects_below(Circle(longer=True), "root", "sftp://h/root"))
    same = Circle(longer=False)
    assert [name for name, _ in walking.objects_below(same, "root", "sftp://h/root")] == ["root/a.md"]
    assert same.asked == 1


def test_a_tree_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Twins(Circle):
        def ls(self, path: str, detail: bool) -> list[dict[str, Any]]:
            self.asked += detail
            return [{"name": f"{path}/{name}", "type": "directory"} for name in "ab"]

    monkeypatch.setattr(walking, "_MOST_FOLDERS", 300)
    twins = Twins(longer=True)
    monkeypatch.setattr(walking, "_DEEPEST", 10)
    with pytest.raises(SourceError, match="lie too deep"):
        list(walking.objects_below(twins, "root", "sftp://h/root"))
    monkeypatch.setattr(walking, "_DEEPEST", 400)
    with pytest.raises(SourceError, match="too many folders"):
        list(walking.objects_below(twins, "root", "sftp://h/root"))
    assert twins.asked < 400


class Ftp:
    """The part of a connection that lists; every folder but the top is refused, or empty."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    def mlsd(self, path: str) -> Any:
        if path != "/docs":
            if self._error is not None:
                raise self._error
            return iter(())
        return iter([("a.md", {"type": "file", "size": "1"}), ("b", {"type": "dir"})])

    def dir(self, *_: Any) -> None:
        if self._error is not None:
            raise self._error


@pytest.mark.parametrize("error", [None, ftplib.error_perm("550 hunter2"), ftplib.error_temp("450 hunter2")])
def test_ftp_takes_what_it_may_not_list_for_empty(error: Exception | None) -> None:
    class Driver(FTPFileSystem):  # type: ignore[misc]
        def __init__(self) -> None:
            AbstractFileSystem.__init__(self, use_listings_cache=False)
            self.ftp = Ftp(error)

        def __del__(self) -> None:
            """There is no connection to be closed."""

    found = walking.objects_below(Driver(), "/docs", "ftp://h/docs")
    if error is None:
        assert [name for name, _ in found] == ["/docs/a.md"]
    else:
        with pytest.raises(SourceUnavailableError, match=r"docs/b can"):
            list(found)


def test_a_drivers_own_listing_is_preferred() -> None:
    own = type("Own", (AsyncFileSystem,), {"_find": MemoryFileSystem.find})
    assert walking._finds_by_itself(MemoryFileSystem)
    assert walking._finds_by_itself(own)
    assert not walking._finds_by_itself(AsyncFileSystem)
    assert not walking._finds_by_itself(LocalFileSystem)


# --- What is refused ------------------------------------------------------------------------------


def archived() -> OSError:
    error = OSError("This operation is not permitted on an archived blob.")
    error.error_code = "BlobArchived"  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize("error", [PermissionError("hunter2"), OSError("Forbidden: x"), archived()])
def test_an_object_that_is_refused_for_good_fails_alone(
    tree: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    source = open_storage(f"file://{tree}")
    files = source.snapshot().files
    real = LocalFileSystem._open

    def refuse(self: LocalFileSystem, path: str, *given: Any, **more: Any) -> Any:
        if path.endswith("0.md"):
            raise error
        return real(self, path, *given, **more)

    monkeypatch.setattr(LocalFileSystem, "_open", refuse)
    with pytest.raises(PoisonDocumentError) as caught:
        source.read(files[0], "")
    assert caught.value.document == "a/0.md"
    assert "hunter2" not in str(caught.value)
    assert source.read(files[1], "") == b"a/1.md"
    # Where the content alone can tell, it stays listed.
    monkeypatch.setattr("sources.storage.source.info_marks", lambda *_: [])
    found = open_storage(f"file://{tree}").snapshot()
    assert [file.mark[0] for file in found.files] == ["x", "c", "c", "c"]


def test_a_login_that_ran_out_is_no_objects_fault(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = open_storage(f"file://{tree}")
    file = source.snapshot().files[0]

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError

    monkeypatch.setattr(LocalFileSystem, "_open", refuse)
    monkeypatch.setattr(LocalFileSystem, "info", refuse)
    with pytest.raises(SourceUnavailableError, match="refuses access"):
        source.read(file, "")


def test_what_vanished_stays_a_matter_of_a_new_run(tree: Path) -> None:
    source = open_storage(f"file://{tree}")
    file = source.snapshot().files[0]
    shutil.rmtree(tree / "a")
    with pytest.raises(SourceUnavailableError):
        source.read(file, "")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ftplib.error_perm("530 Login incorrect: hunter2"), SourceError),
        (ftplib.error_temp("421 hunter2"), SourceUnavailableError),
        (EOFError("hunter2"), SourceUnavailableError),
    ],
)
def test_drivers_that_raise_no_oserror(error: Exception, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught, explained("ftp://host/x"):
        raise error
    assert not isinstance(caught.value, ConfigurationError)
    assert "hunter2" not in str(caught.value)
