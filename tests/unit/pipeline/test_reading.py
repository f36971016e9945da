from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from pipeline.reading import read_documents
from rubrica.model import Document, Failure
from rubrica.settings import Settings


@pytest.fixture
def irregular(tmp_path: Path) -> list[Path]:
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
    (tmp_path / "folder").mkdir()
    return [
        tmp_path / "pipe.md",
        tmp_path / "socket",
        Path("/dev/null"),
        Path("/dev/zero"),
        tmp_path / "folder",
    ]


@pytest.mark.timeout(60)
def test_what_is_no_regular_file_is_refused_and_harms_no_other(irregular: list[Path], tmp_path: Path) -> None:
    good = tmp_path / "good.md"
    good.write_text("Текст.", encoding="utf-8")
    link = tmp_path / "link.md"
    link.symlink_to(good)
    *refused, first, second = read_documents([*irregular, good, link], Settings())
    for failure in refused:
        assert isinstance(failure, Failure)
        assert failure.reason.startswith("It is no regular file")
        assert failure.hint
    assert [isinstance(found, Document) and found.text for found in (first, second)] == ["Текст."] * 2
