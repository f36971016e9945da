from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pipeline.cli.app import app
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.errors import ConfigurationError
from rubrica.settings import Settings

pytestmark = pytest.mark.integration

Run = Callable[..., str]

PARAGRAPHS = "\n\n".join(f"5.{number} Причал номер {number} испытывают нагрузкой." for number in range(1, 8))
DOCUMENT = f"---\nstandard_kind: СП\npublished: 2018-05-01\n---\n# Нормы\n\n## 5 Нагрузки\n\n{PARAGRAPHS}\n"

KEYS = [
    "type",
    "rank",
    "score",
    "path",
    "title",
    "start",
    "end",
    "page_from",
    "page_to",
    "clauses",
    "heading_path",
    "text",
    "chunk_id",
]


@pytest.fixture
def run(make_settings: Callable[..., Settings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command on one indexed document; gives its standard output."""
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "нормы.md").write_text(DOCUMENT)
    settings = make_settings(strategy="recursive", max_tokens=48, min_tokens=0)
    with Services(settings) as services:
        spec = declare_source(services, str(documents), SourceOptions(name="norms"))
        run_here(services, IngestRequest(spec.name), new_run_id(spec.name), lambda *_: None)
    for name, value in {
        "HOME": settings.home,
        "POSTGRES_URL": settings.services.postgres_url.get_secret_value(),
        "MILVUS_URI": settings.services.milvus_uri,
        "ALIAS": settings.indexing.alias,
    }.items():
        monkeypatch.setenv(f"RUBRICA_{name}", str(value))

    def call(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["search", *arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    return call


def _objects(output: str) -> Sequence[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_command(run: Run) -> None:
    everything = _objects(run("нагрузка", "на", "причал", "--json", "-k", "50"))
    assert set(everything[0]) >= set(KEYS)
    assert "explain" not in everything[0]
    assert len(everything) > 2

    pages = [_objects(run("нагрузка", "на", "причал", "--json", "-k", "2", "--page", page)) for page in "12"]
    assert [*pages[0], *pages[1]] == everything[:4]

    [told] = _objects(run("причал", "номер", "3", "--json", "-k", "1", "--explain", "--neighbours", "1"))
    assert told["score"] == told["explain"]["fused_score"]
    assert told["explain"]["rerank_score"] is None
    assert {abs(item["distance"]) for item in told["neighbours"]} == {1}

    by_clause = _objects(run("причал", "--clause", "5.3", "--section", "нагрузки", "--json"))
    assert by_clause
    assert all("5.3" in hit["clauses"] for hit in by_clause)
    chosen = ("--attribute", "standard_kind=СП", "--from", "2018-05", "--to", "2018")
    assert len(_objects(run("причал", *chosen, "--json", "-k", "50"))) == len(everything)
    assert run("причал", "--from", "2019", "--json") == ""
    assert run("причал", "--from", "2019") == "Nothing was found.\n"

    shown = run("причал", "-k", "1", "--explain", "--rerank", "--candidates", "3")
    assert "cross-encoder: " in shown
    assert "Hits 1 to 1 of 3; --page 2 shows the next." in shown
    assert "There is no such page" in run("причал", "--page", "900")
    for wrong in (["--attribute", "x"], ["--from", "вчера"], ["--source", "nobody"]):
        with pytest.raises(ConfigurationError):
            run("причал", *wrong)
