from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pipeline.stack.files import tail, write_private


def test_a_private_file_is_closed_to_others_and_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "тайна.json"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o644)

    write_private(path, "новое\n")

    assert path.read_text(encoding="utf-8") == "новое\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_content_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_private(path, "old")

    with pytest.raises(UnicodeEncodeError):
        write_private(path, "\ud835")

    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_tail_of_a_log_starts_where_asked_and_survives_broken_bytes(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_bytes(b"earlier run\n" + b"\xff broken\n" + b"".join(b"line %d\n" % n for n in range(30)))

    assert tail(log, lines=2) == "line 28\nline 29"
    assert "earlier" not in tail(log, start=12, lines=100)
    assert tail(log, start=12, lines=100).startswith("\ufffd broken")
    assert tail(tmp_path / "missing.log") == ""
