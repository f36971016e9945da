"""Commands that need services, on real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine
from tests.support.git_repository import Repository

pytestmark = pytest.mark.integration


@pytest.fixture
def rubrica(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    database_url: str,
    redis_url: str,
    milvus_uri: str,
) -> CommandLine:
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", database_url)
    monkeypatch.setenv("RUBRICA_REDIS_URL", redis_url)
    monkeypatch.setenv("RUBRICA_MILVUS_URI", milvus_uri)
    monkeypatch.setenv("RUBRICA_ALIAS", f"c_{tmp_path.name.replace('-', '_')}")
    return CommandLine(monkeypatch, capsys)


def test_from_ingestion_to_retry(rubrica: CommandLine, repository: Repository) -> None:
    repository.write("круги.md", "# Круги\n\n3.2 Спасательный круг весит не менее 2,5 кг.\n")
    repository.write("пусто.md", "")
    (repository.path / "ссылка.md").symlink_to("круги.md")
    repository.write(
        "скан.pdf", "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 9\n"
    )
    head = repository.commit()
    place = str(repository.path)

    first = rubrica("ingest", place, "--here", "--json", "--name", "norms")
    assert first.code == 1
    *skipped, failure, run = first.objects
    assert {item["path"] for item in skipped} == {"ссылка.md", "скан.pdf"}
    assert all(item["type"] == "skipped" and item["reason"] for item in skipped)
    assert (failure["type"], failure["path"], failure["stage"]) == ("failure", "пусто.md", "extract")
    counters = "added changed moved removed failed chunks_written chunks_kept chunks_removed pairs_scored"
    assert {*counters.split(), "pair_cache_hits", "chunks_embedded", "seconds"} <= set(run)
    assert (run["type"], run["state"], run["to_revision"]) == ("run", "warning", head)
    assert (run["added"], run["failed"], run["chunks_written"]) == (2, 1, 1)

    [hit] = rubrica("search", "Сколько весит круг?", "--json", "-k", "1").objects
    keys = "type rank score path title start end page_from page_to clauses heading_path text chunk_id"
    assert set(keys.split()) <= set(hit)
    assert (hit["rank"], hit["path"], hit["clauses"]) == (1, "круги.md", ["3.2"])
    assert "круги.md" in rubrica("search", "Сколько весит круг?").out
    assert rubrica("search", "круг", "--path", "нет/**", "--json").out == ""

    assert rubrica("search", "круг", "--filter", 'language == "en"', "--json").out == ""
    assert len(rubrica("search", "круг", "--filter", 'language == "ru"', "--rerank", "--json").objects) == 1
    assert rubrica("search", "круг", "--filter", "language ==").code == 2

    [source] = rubrica("sources", "--json").objects
    assert (source["name"], source["indexed"], source["failed"]) == ("norms", 1, 1)

    [failure] = rubrica("failures", "--json").objects
    assert failure["path"] == "пусто.md"
    assert "пусто.md" in rubrica("failures").out
    # The same place is found again under its name, and what failed is not tried again unasked.
    second = rubrica("ingest", place, "--here", "--json")
    assert second.code == 0
    assert second.objects[-1]["source"] == "norms"
    assert (second.objects[-1]["failed"], second.objects[-1]["failed_before"]) == (0, 1)
    retried = rubrica("retry", "--here", "--json")
    assert retried.code == 1
    assert retried.objects[-1]["failed"] == 1
    assert rubrica("retry", "другое.md", "--here").code == 2

    (repository.path / "пусто.md").unlink()
    repository.commit()
    assert rubrica("ingest", "norms", "--here", "--json").objects[-1]["removed"] == 1
    assert rubrica("failures", "--json").out == ""


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("search", ""), 2, "empty"),
        (("search", "  "), 2, "empty"),
        (("search", "щ" * 3000), 2, "3000 characters"),
        (("search", "круг", "--source", "чужой"), 2, "чужой"),
        (("failures", "--source", "чужой"), 2, "чужой"),
        (("ingest", "нет/такой/папки", "--here"), 2, "нет/такой/папки"),
        (("ingest", "ext::sh -c true", "--here"), 2, "ext::sh"),
        (("ingest", ".", "--name", "Не слаг", "--here"), 2, "Не слаг"),
    ],
)
def test_bad_input_gets_a_clear_error(
    rubrica: CommandLine, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = rubrica(*arguments)
    assert done.code == code
    assert said in done.err.replace("\n", "")


def test_a_mistyped_branch_is_not_watched(rubrica: CommandLine, repository: Repository) -> None:
    repository.write("круги.md", "Круг весит 2,5 кг.")
    repository.commit()
    done = rubrica("ingest", str(repository.path), "--branch", "nosuch", "--here")
    assert done.code == 3
    assert "nosuch" in done.err
    assert rubrica("sources", "--json").out == ""


def test_an_empty_index_says_so(rubrica: CommandLine) -> None:
    done = rubrica("search", "нагрузка")
    assert (done.code, done.out.strip()) == (0, "The index is empty; `rubrica ingest` fills it.")
