"""``rubrica extract`` and ``rubrica chunk``, which need no service."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine

NORM = """# Причалы

## 5 Нагрузки

5.1 Расчётная нагрузка на причал принимается равной 4 кПа. Для проката её увеличивают.

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
def norm(tmp_path: Path) -> Path:
    path = tmp_path / "нормы и правила.md"
    path.write_text(NORM)
    return path


def test_extract_prints_the_document_then_its_elements(rubrica: CommandLine, norm: Path) -> None:
    done = rubrica("extract", str(norm), "--json")
    assert done.code == 0
    document, *elements = done.objects
    assert document["type"] == "document"
    assert {"path", "text", "language", "title", "attributes"} <= set(document)
    assert (document["title"], document["language"]) == ("Причалы", "ru")
    assert {element["type"] for element in elements} == {"element"}
    wanted = {"kind", "start", "end", "level", "heading_path", "clause", "page_from", "page_to", "rows"}
    assert all(wanted <= set(element) for element in elements)
    clause = next(element for element in elements if element["clause"] == "5.1")
    assert document["text"][clause["start"] : clause["end"]].startswith("5.1 Расчётная")
    assert elements[-1]["rows"] == [["Место", "Нагрузка"], ["Настил", "4"], ["Сходня", "3"]]


@pytest.mark.parametrize("mode", ["optimal", "window", "full"])
def test_chunk_prints_chunks_that_tile_the_text(rubrica: CommandLine, norm: Path, mode: str) -> None:
    text = rubrica("extract", str(norm), "--json").objects[0]["text"]
    done = rubrica("chunk", str(norm), "--json", "--mode", mode, "--max-tokens", "40")
    assert done.code == 0
    chunks = done.objects
    keys = "type path id ordinal start end body text tokens page_from page_to heading_path clauses kind"
    assert all({*keys.split(), "boundary_score"} <= set(chunk) for chunk in chunks)
    assert len(chunks) > 1
    assert all(text[chunk["start"] : chunk["end"]] == chunk["body"] for chunk in chunks)
    assert all(chunk["tokens"] <= 40 for chunk in chunks)
    assert "".join("".join(chunk["body"].split()) for chunk in chunks) == "".join(text.split())


def test_people_see_a_table(rubrica: CommandLine, norm: Path) -> None:
    assert "chunks: 1, tokens" in rubrica("chunk", str(norm)).out
    assert "Нагрузки" in rubrica("extract", str(norm)).out


def test_a_folder_means_its_files_and_a_bad_one_costs_itself(
    rubrica: CommandLine, norm: Path, tmp_path: Path
) -> None:
    (tmp_path / "пусто.md").write_text("")
    (tmp_path / ".скрыто.md").write_text("x")
    done = rubrica("chunk", str(tmp_path), "--json")
    assert done.code == 1
    kinds = {(item["type"], Path(item["path"]).name) for item in done.objects}
    assert kinds == {("chunk", norm.name), ("failure", "пусто.md")}
    failure = next(item for item in done.objects if item["type"] == "failure")
    assert (failure["stage"], failure["error"]) == ("extract", "EmptyDocumentError")
    assert failure["reason"]


def test_files_that_cannot_be_read_cost_themselves(
    rubrica: CommandLine, norm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUBRICA_MAX_FILE_MB", "1")
    large = tmp_path / "large.txt"
    large.write_bytes(b"word " * 250_000)
    pointer = tmp_path / "pointer.pdf"
    pointer.write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 5\n")
    memory = "/proc/self/mem"  # even root cannot read it from its beginning
    done = rubrica("extract", memory, str(norm), str(large), str(pointer), "--json")
    assert done.code == 1
    found = [item for item in done.objects if item["type"] != "element"]
    assert [(item["type"], item["path"]) for item in found] == [
        ("failure", memory),
        ("document", norm.as_posix()),
        ("failure", large.as_posix()),
        ("failure", pointer.as_posix()),
    ]
    assert "cannot be read: Input/output error" in found[0]["reason"]
    assert "RUBRICA_MAX_FILE_MB" in found[2]["reason"]
    assert "Git LFS" in found[3]["reason"]


def test_a_folder_without_files_is_no_success(rubrica: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "leer").mkdir()
    done = rubrica("extract", str(tmp_path / "leer"))
    assert done.code == 2
    assert "no files in" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("chunk", "нет такого.md"), "нет такого.md"),
        (("chunk", "--mode", "fast", "."), "--mode: "),
        (("chunk", "--max-tokens", "5", "."), "--max-tokens: "),
        (("chunk",), "files"),
        (("fly",), "fly"),
        (("up", "--only", "mysql"), "mysql"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what(
    rubrica: CommandLine, arguments: tuple[str, ...], said: str
) -> None:
    done = rubrica(*arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("arguments", [("search", "нагрузка"), ("failures",), ("sources",), ("ingest", ".")])
def test_a_stack_that_is_down_ends_with_3_and_says_how_to_start_it(
    rubrica: CommandLine, arguments: tuple[str, ...]
) -> None:
    done = rubrica(*arguments)
    assert done.code == 3
    assert "rubrica up" in done.err
    # What the file of sources declares needs no stack; here there is none.
    assert done.out == "" or arguments == ("sources",)


def test_a_wrong_setting_does_not_keep_the_stack_from_stopping(rubrica: CommandLine, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.env").write_text("RUBRICA_MAX_TOKENS=many\n")
    assert rubrica("chunk", ".").code == 2
    assert rubrica("down", "--json").objects == [{"type": "stack", "state": "stopped"}]
    assert str(home) in rubrica("status").out


def test_every_command_explains_itself_and_speaks_json(rubrica: CommandLine) -> None:
    commands = "up status down extract chunk ingest search sources failures retry"
    overview = rubrica("--help").out
    for command in commands.split():
        assert command in overview
        assert "--json" in rubrica(command, "--help").out
    assert rubrica("--version").out.startswith("rubrica 0.")


def test_a_file_that_is_named_twice_is_taken_once(rubrica: CommandLine, norm: Path) -> None:
    done = rubrica("extract", str(norm), str(norm.parent), "--json")
    assert [item["path"] for item in done.objects if item["type"] == "document"] == [str(norm)]


def test_a_file_keeps_the_name_that_it_was_given_first(rubrica: CommandLine, norm: Path) -> None:
    link = norm.with_name("link.md")
    link.symlink_to(norm)
    done = rubrica("extract", str(norm), str(link), "--json")
    assert [item["path"] for item in done.objects if item["type"] == "document"] == [str(norm)]


def test_a_mode_is_refused_where_the_strategy_has_none(rubrica: CommandLine, norm: Path) -> None:
    done = rubrica("chunk", str(norm), "--strategy", "fixed", "--mode", "window")
    assert done.code == 2
    assert "fixed has no modes" in done.err
