from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.stack import cluster
from pipeline.stack.credentials import Secrets
from pipeline.stack.home import StackHome
from pipeline.stack.postgres import Postgres
from pipeline.stack.service import Context
from pipeline.stack.state import State


def _postgres(root: Path) -> Postgres:
    home = StackHome(root)
    home.create()
    return Postgres(Context(home, State.load(home.state), Secrets(), root))


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "system"
    folder.mkdir()
    monkeypatch.setattr(cluster, "SYSTEM_STATE", folder)
    return folder


def test_a_purge_deletes_the_data_and_what_is_left_of_making_them(system: Path) -> None:
    postgres = _postgres(system / "main")  # a home in that place holds more than data
    root = postgres.home.root
    for folder in (root / "postgres", root / ".postgres.new"):
        folder.mkdir()
        (folder / "PG_VERSION").write_text("18\n")
    (root / ".password-1").write_text("secret\n")
    (root / "settings.env").write_text("RUBRICA_ALIAS=docs\n")
    postgres.purge()
    assert {path.name for path in root.iterdir()} == {"settings.env", "logs"}


def test_a_purge_deletes_data_outside_of_the_home_with_their_folder(system: Path, tmp_path: Path) -> None:
    postgres = _postgres(tmp_path / "home")
    data = system / "0123456789ab" / "data"
    data.mkdir(parents=True)
    (data.parent / "home").write_text("…\n")
    postgres.state.learn(**{"postgres.data": str(data)})
    postgres.purge()
    assert list(system.iterdir()) == []


def test_no_setting_of_other_servers_keeps_it_from_its_own(tmp_path: Path) -> None:
    assert _postgres(tmp_path / "home").url().endswith("/rubrica?sslmode=disable")
