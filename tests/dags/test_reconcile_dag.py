"""The DAG ``reconcile``, run in one process, on real services."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from indexing.catalog import Catalog
from indexing.generations import ensure_live
from indexing.store.store import VectorStore
from indexing.writer import IndexWriter
from rubrica.model import SourceSpec
from tests.dags.conftest import RunPython
from tests.support.indexing import DigestEmbedder, make_chunks, make_document

pytestmark = pytest.mark.integration

_PROBE = """
import json, os
from airflow.dag_processing.dagbag import DagBag
found = DagBag("dags").dags["reconcile"]
print(json.dumps({
    "tasks": {task.task_id: task.retry_policy is not None for task in found.tasks},
    "schedule": found.schedule, "catchup": found.catchup, "params": sorted(found.params),
}))
"""

_RUN = """
import json
from airflow.utils.db import initdb; initdb()
from airflow.dag_processing.dagbag import DagBag
run = DagBag("dags").dags["reconcile"].test(run_conf=json.loads('''{conf}'''))
print(json.dumps({{"state": str(run.state)}}))
"""


@pytest.fixture
def environment(tmp_path: Path, database_url: str, milvus_uri: str) -> dict[str, str]:
    return {
        "RUBRICA_HOME": str(tmp_path / "home"),
        "RUBRICA_POSTGRES_URL": database_url,
        "RUBRICA_MILVUS_URI": milvus_uri,
        "RUBRICA_ALIAS": f"t_{uuid.uuid4().hex}",
    }


@pytest.mark.parametrize(("setting", "schedule"), [("", None), ("17 4 * * 1", "17 4 * * 1")])
def test_it_runs_when_the_setting_says(run_python: RunPython, setting: str, schedule: str | None) -> None:
    answer: dict[str, Any] = json.loads(
        run_python(_PROBE, RUBRICA_RECONCILE_SCHEDULE=setting).splitlines()[-1]
    )
    assert (answer["tasks"], answer["catchup"]) == ({"reconcile": True}, False)
    assert answer["schedule"] == schedule
    assert answer["params"] == ["allow_removals", "dry_run", "generation", "source"]


def test_it_removes_what_the_catalog_does_not_know(
    run_python: RunPython, environment: dict[str, str]
) -> None:
    embedder = DigestEmbedder()
    with (
        Catalog(environment["RUBRICA_POSTGRES_URL"]) as catalog,
        VectorStore(environment["RUBRICA_MILVUS_URI"]) as store,
    ):
        catalog.migrate()
        catalog.sources.register(SourceSpec("norms", "folder", "/srv/norms"))
        live = ensure_live(environment["RUBRICA_ALIAS"], catalog, store, embedder)
        writer = IndexWriter(catalog, store, embedder, live)
        ids = catalog.documents.register("norms", ["а.md", "б.md"])
        for path, paragraphs in (("а.md", ["Один", "Два", "Три"]), ("б.md", ["Четыре"])):
            document = make_document(ids[path], paragraphs, path=path)
            writer.write_document(document, make_chunks(document), mark="m", config_sig="s")
        catalog.indexed.forget(live.id, [ids["б.md"]])

        script = _RUN.format(conf=json.dumps({"dry_run": True}))
        assert json.loads(run_python(script, **environment).splitlines()[-1]) == {"state": "success"}
        assert store.count(live.collection) == 4
        assert json.loads(run_python(_RUN.format(conf="{}"), **environment).splitlines()[-1]) == {
            "state": "success"
        }
        assert set(store.chunk_ids(live.collection)) == catalog.chunks.ids(live.id)

        # More than the guard allows: red, and nothing is gone.
        catalog.indexed.forget(live.id, [ids["а.md"]])
        assert json.loads(run_python(_RUN.format(conf="{}"), **environment).splitlines()[-1]) == {
            "state": "failed"
        }
        assert store.count(live.collection) == 3
