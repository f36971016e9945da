"""``rubrica train-scorer`` on a folder, from a small scorer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine
from tests.unit.training.conftest import made_up, tiny_scorer

__all__ = ["tiny_scorer"]


@pytest.fixture
def rubrica(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> CommandLine:
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path / "home"))
    return CommandLine(monkeypatch, capsys)


def page(seed: int) -> str:
    """A Markdown page of a made-up document."""
    sections: dict[str, dict[int, list[str]]] = {}
    for sentence in made_up("a", seed).sentences:
        sections.setdefault(sentence.section, {}).setdefault(sentence.paragraph, []).append(sentence.text)
    parts = [
        f"## Раздел {name}\n\n" + "\n\n".join(" ".join(texts) for texts in paragraphs.values())
        for name, paragraphs in sections.items()
    ]
    return "\n\n".join(parts)


def test_it_learns_from_a_folder(
    rubrica: CommandLine, tiny_scorer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for seed in range(12):
        (folder / f"{seed}.md").write_text(page(seed))
    (folder / "broken.docx").write_bytes(b"PK\3\4 not a document")
    out = tmp_path / "own"
    done = rubrica(
        *("train-scorer", "--from", str(folder), "--start", str(tiny_scorer), "--out", str(out)),
        *("--pairs", "60", "--learning-rate", "0.01", "--json"),
    )
    assert done.code == 1, done.err
    failure, scorer = done.objects
    assert (failure["type"], failure["path"]) == ("failure", "broken.docx")
    assert scorer["type"] == "scorer"
    assert scorer["pairs"] >= 60
    assert set(scorer["after"]) == {"sections", "paragraphs", "documents"}
    monkeypatch.setenv("RUBRICA_SCORER", str(out))
    chunks = rubrica("chunk", str(folder / "1.md"), "--json")
    assert chunks.code == 0
    assert all(chunk["type"] == "chunk" for chunk in chunks.objects)


def test_a_folder_that_teaches_nothing(rubrica: CommandLine, tiny_scorer: Path, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# One page\n\nText.")
    done = rubrica("train-scorer", "--from", str(folder), "--start", str(tiny_scorer))
    assert done.code == 2
    assert "documents" in done.err
    assert rubrica("train-scorer", "--from", str(folder / "none")).code == 2


def test_a_folder_that_cannot_be_made(rubrica: CommandLine, tiny_scorer: Path, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for seed in range(12):
        (folder / f"{seed}.md").write_text(page(seed))
    (tmp_path / "file").touch()
    out = tmp_path / "file" / "own"
    done = rubrica("train-scorer", "--from", str(folder), "--start", str(tiny_scorer), "--out", str(out))
    assert done.code == 2
    assert "cannot be made" in done.err
