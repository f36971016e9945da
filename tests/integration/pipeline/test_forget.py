"""Forget: a document leaves every place, a proof says so, and its neighbours stay."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from psycopg.types.json import Jsonb

from indexing.catalog import RunState
from indexing.catalog.erasure import FORGOTTEN, ErasedDocument
from indexing.forget import CachedAnswers, CachedVectors, texts_of
from indexing.store.store import VectorStore
from pipeline.artefacts import RunFolder
from pipeline.converging import note_failure
from pipeline.declaring import register_declared
from pipeline.forgetting import Proof, exclude, exclusions, find_documents, forget
from pipeline.forgotten_files import ForgottenFiles
from pipeline.globs import exact_glob
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.errors import ConfigurationError, LockLostError, ServiceUnavailableError, TransientError
from rubrica.model import Failure, Stage
from rubrica.settings import Settings
from tests.fixtures.databases import free_port
from tests.integration.pipeline.conftest import Ingest, take_over
from tests.support.command_line import CommandLine
from tests.support.git_repository import Repository

pytestmark = pytest.mark.integration

SECRET = "личное/дело №7 [копия].md"
TEXT = "# Дело\n\n3.2 Гражданин Заозёрный живёт в доме пять.\n"
OTHER = "# Круги\n\n3.2 Спасательный круг весит не менее 2,5 кг.\n"


@pytest.fixture
def document(services: Services, repository: Repository, ingest: Ingest) -> ErasedDocument:
    """A document beside another one, both indexed."""
    repository.write(SECRET, TEXT)
    repository.write("круги.md", OTHER)
    repository.commit()
    ingest()
    [found] = find_documents(services, [SECRET], None)
    return found


def before(proof: Proof) -> dict[str, int]:
    return {trace.where: trace.before for trace in proof.traces if trace.before}


def everything(services: Services, database_url: str) -> str:
    """All that PostgreSQL and the workspace hold, as text."""
    with psycopg.connect(database_url) as connection:
        tables = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
        ).fetchall()
        rows = [connection.execute(f"SELECT t::text FROM {name} t").fetchall() for (name,) in tables]
    root = Path(services.settings.workspace)
    files = [path.read_text() + str(path) for path in root.rglob("*") if path.is_file()]
    return json.dumps(rows, ensure_ascii=False) + "\n".join(files)


def test_nothing_is_left_anywhere(
    services: Services, document: ErasedDocument, ingest: Ingest, repository: Repository, database_url: str
) -> None:
    _leave_traces(services, document, database_url)
    assert "Заозёрн" in everything(services, database_url)
    proof = forget(services, document)

    assert proof.holds
    assert {trace.after for trace in proof.traces} == {0}
    assert before(proof) == {
        "Milvus, generation 1": 1,
        "PostgreSQL, documents": 1,
        "PostgreSQL, paths of documents": 1,
        "PostgreSQL, indexed documents": 1,
        "PostgreSQL, chunks": 1,
        "PostgreSQL, failures": 2,
        "PostgreSQL, chunk quality": 1,
        "PostgreSQL, golden questions": 2,
        "PostgreSQL, answers of evaluations": 1,
        "PostgreSQL, messages of runs": 1,
        "PostgreSQL, alarms": 1,
        "workspace, documents": 1,
        "workspace, runs": 1,
        "workspace, reasons of failures": 1,
        "workspace, skipped files": 1,
        "Redis, vectors of passages": 1,
    }
    left = everything(services, database_url)
    for word in ("Заозёрн", document.id, SECRET, "дело №7"):
        assert word not in left
    assert services.searcher.search("Где живёт гражданин Заозёрный?", 5)[0].path == "круги.md"
    # Figures, other documents and their questions stay.
    with psycopg.connect(database_url) as connection:
        assert connection.execute("SELECT metrics, hits FROM evaluations, evaluation_answers").fetchall() == [
            ({"recall@5": 1.0}, [{"chunk_id": "x", "document": "круги.md", "text": "Круг"}])
        ]
        assert connection.execute("SELECT id FROM golden_questions").fetchall() == [("круг",)]
        [(summary, details)] = connection.execute("SELECT summary, details FROM alarms").fetchall()
    assert summary == f"{FORGOTTEN} is no longer found."
    assert [item["id"] for item in details["questions"]] == ["круг"]

    # The file is still in the repository, so it is born anew, as another version of itself.
    assert ingest()["added"] == 1
    assert services.searcher.search("Где живёт гражданин Заозёрный?", 5)[0].path == SECRET


def _leave_traces(services: Services, document: ErasedDocument, database_url: str) -> None:
    """Everything that may speak of a document, as the parts of Rubrica write it."""
    catalog, workspace = services.catalog, services.workspace
    generation = services.live.generation
    for stage in (Stage.EXTRACT, Stage.DETECT):
        known = document.id if stage == Stage.EXTRACT else None
        catalog.failures.record(
            Failure("norms", SECRET, stage, "E", "Заозёрный не читается"), document_id=known
        )
        if known:
            catalog.failures.resolve([document.id])
    note_failure(services, generation, document.id, Failure("norms", SECRET, Stage.INDEX, "E", "bad"))
    workspace.write_json("skipped/norms.json", [{"path": SECRET, "reason": "lfs"}, {"path": "б.md"}])
    run = new_run_id("norms")
    catalog.runs.start(run, "norms", trigger="command")
    catalog.runs.finish(run, RunState.FAILED, error=f"1 documents were neither indexed: {SECRET!r}.")
    RunFolder(workspace, run).write("extracted/0000.json", [{"id": document.id, "path": SECRET}])
    workspace.write(RunFolder(workspace, run).key(f"chunks/0000/{document.id}.jsonl"), b"...")
    chunk = catalog.chunks.of_document(generation.id, document.id)[0]
    hits = [
        {"chunk_id": chunk.id, "document": SECRET, "text": chunk.body},
        {"chunk_id": "x", "document": "круги.md", "text": "Круг"},
    ]
    questions = [
        ("круг", "круги.md", []),
        ("дело", SECRET, [{"quote": "Заозёрный"}]),
        ("имя", "дело №7 [копия].md", []),
    ]
    with psycopg.connect(database_url) as connection:
        connection.execute(
            "INSERT INTO golden_sets (name, source, origin) VALUES ('norms', 'norms', 'import')"
        )
        for number, (id_, named, spans) in enumerate(questions):
            connection.execute(
                "INSERT INTO golden_questions (set_name, id, ordinal, question, document, spans)"
                " VALUES ('norms', %s, %s, %s, %s, %s)",
                (id_, number, f"Где {named}?", named, Jsonb(spans)),
            )
        row = connection.execute(
            "INSERT INTO evaluations (set_name, generation_id, config_sig, search, trigger, metrics)"
            " VALUES ('norms', %s, '', '{}', 'command', '{\"recall@5\": 1.0}') RETURNING id",
            (generation.id,),
        ).fetchone()
        assert row is not None
        for id_, found in (("круг", hits), ("дело", [])):
            connection.execute(
                "INSERT INTO evaluation_answers"
                " (evaluation_id, question_id, ordinal, resolved, outcome, hits, labels)"
                " VALUES (%s, %s, 0, true, '{}', %s, '{}')",
                (row[0], id_, Jsonb(found)),
            )
        details = {
            "questions": [
                {"id": "круг", "document": "круги.md", "returned": hits},
                {"id": "дело", "document": SECRET, "passages": ["Заозёрный"]},
            ]
        }
        connection.execute(
            "INSERT INTO alarms (cause, kind, summary, details) VALUES ('c', 'recall', %s, %s)",
            (f"{SECRET!r} is no longer found.", Jsonb(details)),
        )


def test_the_same_file_under_another_name_keeps_its_text(
    services: Services, repository: Repository, ingest: Ingest
) -> None:
    repository.write("а/дело.md", TEXT)
    repository.write("б/дело.md", TEXT)
    repository.commit()
    ingest()
    [kept] = services.workspace.names("documents")
    first, second = (find_documents(services, [f"{name}/дело.md"], None)[0] for name in "аб")

    proof = forget(services, first)
    assert proof.holds
    assert "workspace, documents" not in before(proof)
    assert any("'б/дело.md'" in sentence for sentence in proof.kept)
    stored = services.workspace.read_json(f"documents/{kept}")
    assert stored["path"] == "б/дело.md"
    assert "а/дело.md" not in json.dumps(stored, ensure_ascii=False)

    assert before(forget(services, second))["workspace, documents"] == 1
    assert services.workspace.names("documents") == []


def test_earlier_versions_and_names_go_too(
    services: Services, repository: Repository, ingest: Ingest, database_url: str
) -> None:
    repository.write("дело.md", TEXT)
    repository.commit()
    ingest()
    repository.git("mv", "дело.md", "папка.md")
    repository.commit()
    ingest()
    repository.write("папка.md", TEXT + "\nНовая строка.\n")
    repository.commit()
    ingest()
    assert len(services.workspace.names("documents")) == 2
    [document] = find_documents(services, ["папка.md"], "norms")
    assert document.paths == ["папка.md", "дело.md"]
    assert forget(services, document).holds
    assert services.workspace.names("documents") == []
    assert "Заозёрн" not in everything(services, database_url)


@pytest.fixture
def wanderer(repository: Repository, ingest: Ingest) -> str:
    """A document that had three versions under three paths; the name of the last."""
    for number, folder in enumerate("абв"):
        if number:
            (repository.path / folder).mkdir()
            repository.git("mv", f"{'абв'[number - 1]}/x.md", f"{folder}/x.md")
            repository.commit()
            ingest()
        repository.write(f"{folder}/x.md", f"{TEXT}\nВерсия {number}.\n")
        repository.commit()
        ingest()
    return "в/x.md"


def test_versions_under_paths_in_between_go_too(services: Services, wanderer: str, database_url: str) -> None:
    assert len(services.workspace.names("documents")) == 3
    [document] = find_documents(services, [wanderer], None)
    assert document.paths == ["в/x.md", "а/x.md", "б/x.md"]
    proof = forget(services, document)
    assert proof.holds
    assert before(proof)["PostgreSQL, paths of documents"] == 3
    assert services.workspace.names("documents") == []
    left = everything(services, database_url)
    for word in ("Заозёрн", "б/x.md"):
        assert word not in left


def test_versions_go_although_another_document_has_the_path_now(
    services: Services, wanderer: str, repository: Repository, ingest: Ingest, database_url: str
) -> None:
    repository.write("б/x.md", OTHER)
    repository.commit()
    ingest()
    [document] = find_documents(services, [wanderer], None)
    assert forget(services, document).holds
    assert "Заозёрн" not in everything(services, database_url)
    [kept] = services.workspace.names("documents")
    assert services.workspace.read_json(f"documents/{kept}")["path"] == "б/x.md"
    assert services.searcher.search("Сколько весит круг?", 5)[0].path == "б/x.md"


def test_who_is_gone_is_found_by_any_path_that_it_had(
    services: Services, wanderer: str, repository: Repository, ingest: Ingest
) -> None:
    (repository.path / wanderer).unlink()
    repository.write("круги.md", OTHER)
    repository.commit()
    ingest(allow_removals=True)
    found = [find_documents(services, [f"{folder}/x.md"], None) for folder in "абв"]
    assert found[0] == found[1] == found[2]
    assert found[0][0].path is None


def test_who_was_forgotten_is_born_again_beside_later_ones(
    services: Services, repository: Repository, ingest: Ingest
) -> None:
    """Births are numbered: a gap in the numbers must not make two documents one."""
    ids = []
    for text in ("Первый", "Второй"):
        repository.write("а.md", f"{text} текст.")
        repository.commit()
        ingest()
        ids += [item.id for item in find_documents(services, ["а.md"], None) if item.path]
        (repository.path / "а.md").unlink()
        repository.commit()
        ingest(allow_removals=True)
    old, new = find_documents(services, ["а.md"], None)
    assert {old.id, new.id} == set(ids)
    forget(services, next(item for item in (old, new) if item.id == ids[0]))

    repository.write("а.md", "Третий текст.")
    repository.commit()
    assert ingest()["added"] == 1
    [third] = [item for item in find_documents(services, ["а.md"], None) if item.path]
    assert third.id not in ids


def test_what_is_excluded_does_not_come_back(
    services: Services, document: ErasedDocument, ingest: Ingest
) -> None:
    glob = exclude(services, document)
    forget(services, document)
    assert exclude(services, document) == glob
    run = run_here(services, IngestRequest("norms"), new_run_id("norms"), lambda *_: None)
    assert (run["added"], run["removed"], run["state"]) == (0, 0, "success")
    spec = services.catalog.sources.get("norms")
    assert spec is not None
    assert spec.exclude == (glob,)


def test_what_a_file_declares_is_excluded_there(
    services: Services, document: ErasedDocument, repository: Repository, ingest: Ingest
) -> None:
    [other] = find_documents(services, ["круги.md"], None)
    declared = services.settings.home / "sources.yaml"
    declared.parent.mkdir(parents=True, exist_ok=True)
    place = f"sources: {{norms: {{git: '{repository.path}'"
    declared.write_text(f"{place}, exclude: [круги.md]}}}}")
    assert exclude(services, other) == "/круги.md"
    with pytest.raises(ConfigurationError, match=r"declared in .*nothing was forgotten") as refused:
        exclusions(services, [other, document])
    glob = exact_glob(document.name)
    assert f"`{glob}`" in refused.value.hint
    with pytest.raises(ConfigurationError, match="declared"):
        exclude(services, document)

    declared.write_text(f"{place}, exclude: ['{glob}']}}}}")
    assert exclude(services, document) == glob
    forget(services, document)
    register_declared(services, "norms")
    run = run_here(services, IngestRequest("norms"), new_run_id("norms"), lambda *_: None)
    assert (run["added"], run["removed"]) == (0, 0)


def test_nothing_is_forgotten_where_one_cannot_be_excluded(
    services: Services,
    document: ErasedDocument,
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = services.settings
    for name, value in {
        "HOME": settings.home,
        "POSTGRES_URL": settings.services.postgres_url.get_secret_value(),
        "REDIS_URL": settings.services.redis_url.get_secret_value(),
        "MILVUS_URI": settings.services.milvus_uri,
        "ALIAS": settings.indexing.alias,
    }.items():
        monkeypatch.setenv(f"RUBRICA_{name}", str(value))
    (settings.home / "sources.yaml").write_text(
        f"sources: {{norms: {{git: '{repository.path}', exclude: [круги.md]}}}}"
    )
    refused = CommandLine(monkeypatch, capsys)("forget", "круги.md", SECRET, "--exclude", "--yes")
    assert refused.code == 2
    assert "is declared in" in refused.err
    assert find_documents(services, ["круги.md", SECRET], None)


def test_another_ingestion_does_not_bring_back_what_was_excluded(
    services: Services, document: ErasedDocument, repository: Repository, ingest: Ingest
) -> None:
    glob = exclude(services, document)
    forget(services, document)
    assert ingest()["added"] == 0
    said: list[str] = []
    for place, options in (
        ("norms", SourceOptions(exclude=["drafts/"])),
        (str(repository.path), SourceOptions(exclude=["old/"])),
        (str(repository.path), SourceOptions(name="norms", include=["*.md"])),
    ):
        declare_source(services, place, options, said.append)
    spec = services.catalog.sources.get("norms")
    assert spec is not None
    assert (spec.include, spec.exclude) == (("*.md",), ("old/", glob))
    assert [source.spec.name for source in services.catalog.sources.all()] == ["norms"]
    assert said == [
        f"The source 'norms' still leaves out {glob}; --exclude '!{glob}' takes it back.",
        "The source 'norms' no longer leaves out drafts/.",
        f"The source 'norms' still leaves out {glob}; --exclude '!{glob}' takes it back.",
    ]
    assert ingest()["added"] == 0
    declare_source(services, "norms", SourceOptions(include=[""], exclude=[f"!{glob}"]), said.append)
    assert said[3:] == [
        "The source 'norms' no longer asks for *.md.",
        f"The source 'norms' no longer leaves out old/, {glob}.",
    ]
    assert ingest()["added"] == 1
    assert exclude(services, find_documents(services, [SECRET], None)[0]) == glob
    assert services.catalog.sources.get("norms").exclude == (f"!{glob}", glob)  # type: ignore[union-attr]


def test_a_run_of_the_source_is_not_disturbed(
    make_settings: Callable[..., Settings], document: ErasedDocument
) -> None:
    with Services(make_settings(lock_timeout_s=0)) as services:
        services.catalog.locks.acquire("norms", "somebody", ttl_s=60)
        with pytest.raises(TransientError, match="somebody"):
            forget(services, document)
        assert find_documents(services, [SECRET], None) == [document]
        services.catalog.locks.release("norms", "somebody")
        assert forget(services, document).holds
        assert services.catalog.locks.owner("norms") is None


@pytest.mark.parametrize(
    ("owner", "step", "left"),
    [
        (ForgottenFiles, "find", ["vectors", "rows", "files", "catalog"]),
        (CachedVectors, "delete", ["rows", "files", "catalog"]),
        (VectorStore, "delete", ["files", "catalog"]),
        (ForgottenFiles, "delete", ["catalog"]),
        (ForgottenFiles, "rename_shared", ["catalog"]),
    ],
)
def test_who_loses_the_source_stops_and_can_go_on(
    services: Services,
    document: ErasedDocument,
    monkeypatch: pytest.MonkeyPatch,
    database_url: str,
    owner: type,
    step: str,
    left: list[str],
) -> None:
    """Whatever was last done when the lock ran out, nothing more is removed."""
    [texts] = texts_of(services.catalog, document.id)
    original = getattr(owner, step)

    def lose(*arguments: Any) -> Any:
        done = original(*arguments)
        take_over(services, "norms", "forget")
        return done

    with monkeypatch.context() as patch:
        patch.setattr(owner, step, lose)
        with pytest.raises(LockLostError, match="lost the lock of 'norms'") as lost:
            forget(services, document)
    assert f"`rubrica forget {document.id}`" in lost.value.hint
    assert services.catalog.locks.owner("norms") == "another"
    assert _left(services, document, texts) == left
    services.catalog.locks.release("norms", "another")
    [again] = find_documents(services, [document.id], None)
    assert forget(services, again).holds
    assert "Заозёрн" not in everything(services, database_url)


def _left(services: Services, document: ErasedDocument, texts: list[str]) -> list[str]:
    """Where there is still something of a document."""
    generations = services.catalog.generations.all(services.settings.indexing.alias)
    url = services.settings.services.redis_url.get_secret_value()
    collection = services.live.generation.collection
    places = {
        "vectors": CachedVectors(url, generations, days=90, megabytes=512).count(texts),
        "rows": len(list(services.store.chunk_ids(collection, document.id))),
        "files": len(services.workspace.names("documents")) - 1,  # that of its neighbour
        "catalog": len(services.catalog.erasure.find(document.id)),
    }
    return [place for place, count in places.items() if count]


def test_a_lease_that_ran_out_and_that_nobody_took_is_still_good(
    services: Services, document: ErasedDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    find, locks = ForgottenFiles.find, services.catalog.locks

    def sleep(*arguments: Any) -> Any:
        assert locks.refresh("norms", locks.owner("norms") or "", ttl_s=-1)
        return find(*arguments)

    monkeypatch.setattr(ForgottenFiles, "find", sleep)
    assert forget(services, document).holds


def test_what_fails_on_the_way_leaves_the_document_to_be_found(
    services: Services, repository: Repository, ingest: Ingest, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "аб":
        repository.write(f"{name}/дело.md", TEXT)
    repository.commit()
    ingest()
    [document] = find_documents(services, ["а/дело.md"], None)

    def fail(_: ForgottenFiles) -> None:
        raise ServiceUnavailableError("The workspace does not answer.")

    with monkeypatch.context() as patch:
        patch.setattr(ForgottenFiles, "rename_shared", fail)
        with pytest.raises(ServiceUnavailableError):
            forget(services, document)
    [again] = find_documents(services, ["а/дело.md"], None)
    assert forget(services, again).holds
    [kept] = services.workspace.names("documents")
    assert services.workspace.read_json(f"documents/{kept}")["path"] == "б/дело.md"


def test_a_rebuild_under_way_keeps_what_it_needs(services: Services, document: ErasedDocument) -> None:
    services.workspace.write_json("runs/rebuild/batches/0.json", [document.id])
    services.workspace.write_json("runs/ended/batches/0.json", [document.id])
    assert services.catalog.reindex_locks.acquire(services.settings.indexing.alias, "rebuild", ttl_s=60)
    assert forget(services, document).holds
    assert services.workspace.names("runs") == ["rebuild"]


def test_nothing_is_removed_while_redis_is_silent(
    make_settings: Callable[..., Settings], document: ErasedDocument
) -> None:
    with Services(make_settings(redis_url=f"redis://127.0.0.1:{free_port()}/0")) as services:
        with pytest.raises(ServiceUnavailableError, match="nothing was removed"):
            forget(services, document)
        assert services.catalog.chunks.ids(services.live.generation.id, document.id)
    with Services(make_settings(redis_url="")) as services:
        proof = forget(services, document)
        assert proof.holds
        assert not any("Redis" in trace.where for trace in proof.traces)


def test_vectors_are_found_by_the_texts(services: Services, document: ErasedDocument) -> None:
    generations = services.catalog.generations.all(services.settings.indexing.alias)
    url = services.settings.services.redis_url.get_secret_value()
    vectors = CachedVectors(url, generations, days=90, megabytes=512)
    [texts] = texts_of(services.catalog, document.id)
    assert vectors.count([*texts, "никогда не виденный текст"]) == 1
    vectors.delete(texts)
    assert vectors.count(texts) == 0


def test_answers_of_a_language_model_go_all_together(redis_url: str) -> None:
    client = redis.Redis.from_url(redis_url)
    client.set("rubrica:answers:a:b", "Заозёрный")
    client.set("rubrica:other", "stays")
    answers = CachedAnswers(redis_url)
    assert (answers.count() or 0) >= 1
    answers.delete()
    assert answers.count() == 0
    assert client.get("rubrica:other") == b"stays"


@pytest.mark.parametrize(
    ("names", "source", "said"),
    [
        (["нет.md"], None, "нет.md"),
        (["нет.md"], "norms", "norms"),
        (["дело.md"], None, "--source"),
        (["дело.md"], "чужой", "чужой"),
    ],
)
def test_only_what_is_known_is_forgotten(
    services: Services,
    tmp_path: Path,
    ingest: Ingest,
    repository: Repository,
    names: list[str],
    source: str | None,
    said: str,
) -> None:
    repository.write("дело.md", TEXT)
    repository.commit()
    ingest()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "дело.md").write_text("Другое дело.")
    spec = declare_source(services, str(folder), SourceOptions(name="folder"))
    run_here(services, IngestRequest(spec.name), new_run_id(spec.name), lambda *_: None)
    with pytest.raises(ConfigurationError, match=said):
        find_documents(services, names, source)
    assert len(find_documents(services, ["дело.md"], "folder")) == 1
