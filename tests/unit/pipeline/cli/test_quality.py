"""Chunk quality, as ``rubrica chunk`` shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chunking.quality import Quality, figures
from pipeline.cli.quality import quality_lines
from tests.support.chat_server import Reply, chat_server
from tests.support.command_line import CommandLine

NORM = """# Причалы

## 5 Нагрузки

5.1 Расчётная нагрузка на причал принимается равной 4 кПа. Для проката её увеличивают.

5.2 Снеговую нагрузку зимой не учитывают, если настил убирают на берег.

| Место | Нагрузка |
|---|---|
| Настил | 4 |
| Сходня | 3 |
"""


@pytest.fixture
def rubrica(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> CommandLine:
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path / "home"))
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def norms(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "первый.md", tmp_path / "второй.md"]
    for path in paths:
        path.write_text(NORM)
    return [str(path) for path in paths]


def test_people_see_it_under_each_file_and_for_all(rubrica: CommandLine, norms: list[str]) -> None:
    out = rubrica("chunk", *norms, "--max-tokens", "40").out
    assert out.count("torn: 0 of 1 tables, 0 of 3 clauses; 0 of 2 headings parted") == 2
    assert "all 2 documents" in out
    assert "torn: 0 of 2 tables, 0 of 6 clauses" in out
    assert "with text of another document" in out
    assert "all 1 documents" not in rubrica("chunk", norms[0]).out


def test_programs_ask_for_it(rubrica: CommandLine, norms: list[str]) -> None:
    plain = rubrica("chunk", *norms, "--json", "--max-tokens", "40").objects
    assert {item["type"] for item in plain} == {"chunk"}
    objects = rubrica("chunk", *norms, "--json", "--quality", "--max-tokens", "40").objects
    measured = [item for item in objects if item["type"] == "quality"]
    assert [item["path"] for item in measured] == [*norms, None]
    first, second, total = measured
    assert first["chunks"] + second["chunks"] == total["chunks"] == len(plain)
    assert total["duplicates_elsewhere"] == total["chunks"]
    assert objects[-1] == total


def test_without_chunks_nothing_is_said() -> None:
    assert quality_lines(figures(Quality())) == []


def test_agentic_without_a_model_is_wrong_usage(rubrica: CommandLine, norms: list[str]) -> None:
    done = rubrica("chunk", norms[0], "--strategy", "agentic")
    assert done.code == 2
    assert "RUBRICA_LLM_URL" in done.err


def test_agentic_from_the_command_line(
    rubrica: CommandLine, norms: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: dict[str, Any]) -> Reply:
        units = json.loads(request["messages"][1]["content"])["units"]
        chunks = [{"first": 1, "last": len(units), "title": "Суть", "summary": "О причалах."}]
        return Reply(json.dumps({"chunks": chunks}))

    with chat_server() as chat:
        chat.answer = answer
        monkeypatch.setenv("RUBRICA_LLM_URL", chat.settings.llm_url)
        monkeypatch.setenv("RUBRICA_LLM_MODEL", "small")
        done = rubrica("chunk", norms[0], "--strategy", "agentic", "--json")
    assert done.code == 0
    assert done.objects[0]["text"].startswith("Суть. О причалах.\n")
    assert "Суть" not in done.objects[0]["body"]
