from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipeline.stack.account import Account

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
as_user = pytest.mark.skipif(os.geteuid() == 0, reason="root becomes another user")


@as_root
def test_root_becomes_nobody_and_later_the_owner_of_the_data(tmp_path: Path) -> None:
    assert Account.pick(tmp_path / "missing").name == "nobody"
    assert Account.pick(tmp_path).name == "nobody"
    data = tmp_path / "data"
    data.mkdir()
    os.chown(data, 1, 1)
    account = Account.pick(data)
    assert account.uid == 1
    said = account.run(["/bin/sh", "-c", "id -u; id -G; cat"], stdin="слово")
    assert (said.returncode, said.stdout) == (0, f"1\n{account.gid}\nслово")


@as_root
def test_a_closed_folder_cannot_be_entered(tmp_path: Path) -> None:
    account = Account.pick(tmp_path)
    assert account.can_enter(Path("/"))
    closed = tmp_path / "закрыто"
    closed.mkdir(mode=0o700)
    assert not account.can_enter(closed)
    account.own(closed)
    assert closed.stat().st_uid == account.uid
    assert not account.can_run(["/no/such/program"])


@as_user
def test_a_user_stays_who_they_are(tmp_path: Path) -> None:
    account = Account.pick(tmp_path)
    assert account == Account()
    assert account.wrap(["/bin/true"]) == ["/bin/true"]
    assert account.can_enter(tmp_path)
