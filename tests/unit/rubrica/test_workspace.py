from __future__ import annotations

from pathlib import Path

import pytest

from rubrica.errors import ConfigurationError, FatalError
from rubrica.workspace import Workspace


@pytest.fixture(params=["folder", "memory"])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    root = str(tmp_path / "рабочая папка") if request.param == "folder" else f"memory://{tmp_path.name}"
    return Workspace(root)


def test_what_is_written_is_read(workspace: Workspace) -> None:
    key = workspace.write_json("runs/1/план.json", {"а": [1, 2]})
    assert workspace.read_json(key) == {"а": [1, 2]}
    workspace.write(key, b"[]")
    assert workspace.read(key) == b"[]"
    workspace.delete("runs/1")
    workspace.delete("runs/1")
    assert not workspace.exists(key)


def test_a_missing_key_is_named(workspace: Workspace) -> None:
    with pytest.raises(FatalError, match="runs/x"):
        workspace.read("runs/x")


@pytest.mark.parametrize("key", ["../x", "/etc/passwd", "a/../../x", "a\0b"])
def test_no_key_leads_outside(workspace: Workspace, key: str) -> None:
    with pytest.raises(FatalError, match="outside"):
        workspace.write(key, b"")


def test_no_temporary_file_stays(tmp_path: Path) -> None:
    Workspace(str(tmp_path)).write("a/b", b"x")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["b"]


def test_an_unknown_protocol_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="nosuch"):
        Workspace("nosuch://bucket")


def test_names_below_a_key(workspace: Workspace) -> None:
    workspace.write("errors/б.json", b"")
    workspace.write("errors/а.json", b"")
    assert workspace.names("errors") == ["а.json", "б.json"]
    assert workspace.names("nothing") == []
