"""How many files a batch holds at a time."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pipeline.artefacts import PlannedDocument, RunFolder, write_batch, write_document
from pipeline.services import Services
from pipeline.steps import extract_step
from pipeline.steps.extract_step import extract
from rubrica.errors import SourceUnavailableError
from rubrica.model import SourceFile
from rubrica.settings import ExtractionSettings
from rubrica.workspace import Workspace

FILES = 24


class _Source:
    """Notes what is read from it; one file cannot be had."""

    def __init__(self, lost: str = "") -> None:
        self.read_files: list[str] = []
        self._lost = lost

    def read(self, file: SourceFile, revision: str) -> bytes:
        if file.path == self._lost:
            raise SourceUnavailableError("The server does not answer.")
        self.read_files.append(file.path)
        return f"# Раздел {file.path}\n\nТекст.".encode()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(str(tmp_path))


@pytest.fixture
def services(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Services:
    plan = SimpleNamespace(source="norms", revision="r")
    lease = SimpleNamespace(renew=lambda: None)
    opened = SimpleNamespace(folder=RunFolder(workspace, "run"), plan=plan, number="0000", lease=lease)
    monkeypatch.setattr(extract_step, "open_batch", lambda *_: nullcontext(opened))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    catalog = SimpleNamespace(sources=SimpleNamespace(get=lambda name: name))
    settings = SimpleNamespace(extraction=ExtractionSettings())
    return cast("Services", SimpleNamespace(workspace=workspace, catalog=catalog, settings=settings))


@pytest.fixture
def batch_key(workspace: Workspace) -> str:
    documents = [PlannedDocument(f"id-{n}", f"{n}.md", "mark", 30) for n in range(FILES)]
    return write_batch(RunFolder(workspace, "run"), "batches", "0000", documents)


def _paths(services: Services, key: str) -> list[str]:
    return [document["path"] for document in services.workspace.read_json(key)]


def test_files_are_read_as_they_are_needed(
    services: Services, batch_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = _Source()
    held: list[int] = []

    def note(*args: Any) -> None:
        held.append(len(source.read_files) - len(held))
        write_document(*args)

    monkeypatch.setattr(extract_step, "open_source", lambda *_: source)
    monkeypatch.setattr(extract_step, "write_document", note)
    assert _paths(services, extract(services, "run", batch_key)) == [f"{n}.md" for n in range(FILES)]
    assert len(held) == FILES
    assert max(held) <= 4, "two processes, and as many files again that wait for them"


def test_what_was_extracted_before_is_kept_beside_what_is_read_now(
    services: Services, batch_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extract_step, "open_source", lambda *_: _Source(lost="7.md"))
    with pytest.raises(SourceUnavailableError) as caught:
        extract(services, "run", batch_key)
    assert caught.value.document == "7.md"
    monkeypatch.setattr(extract_step, "open_source", lambda *_: _Source())
    written: list[str] = []
    monkeypatch.setattr(extract_step, "write_document", lambda workspace, key, document: written.append(key))
    assert sorted(_paths(services, extract(services, "run", batch_key))) == sorted(
        f"{n}.md" for n in range(FILES)
    )
    assert len(written) == 1
