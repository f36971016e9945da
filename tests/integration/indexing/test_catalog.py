from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from indexing.catalog import Catalog, Generation, RunState
from indexing.catalog.database import Database
from indexing.catalog.erasure import Erasure
from indexing.catalog.migrations import Migration, bundled_migrations, migrate
from rubrica.errors import (
    ConfigurationError,
    FatalError,
    ServiceUnavailableError,
    StackDownError,
)
from rubrica.identity import document_id
from rubrica.metrics import Counter
from rubrica.model import Failure, Move, SourceFile, SourceSpec, Stage
from tests.support.indexing import make_chunks, make_document

pytestmark = pytest.mark.integration

AWKWARD = ["Папка/«Нормы» 1.md", 'quote".md', "tab\tname.md", "it's.md", "back\\slash.md", "новая\nстрока.md"]


def index(catalog: Catalog, generation: Generation, path: str, mark: str, config_sig: str = "sig") -> str:
    id_ = catalog.documents.register("norms", [path])[path]
    document = make_document(id_, [f"Текст {path}", "Второй"], path=path)
    catalog.indexed.save(generation.id, document, make_chunks(document), mark=mark, config_sig=config_sig)
    return id_


def move(old: str, new: str, mark: str) -> Move:
    return Move(old, SourceFile(new, mark, 1))


# --- Migrations ---------------------------------------------------------------------------------


def test_migrating_again_does_nothing(catalog: Catalog) -> None:
    assert catalog.migrate() == []


def test_concurrent_migrations_apply_each_version_once(database_url: str) -> None:
    def run(_: int) -> list[str]:
        with Catalog(database_url) as catalog:
            return catalog.migrate()

    with ThreadPoolExecutor(4) as pool:
        applied = [version for versions in pool.map(run, range(4)) for version in versions]
    assert applied == [migration.version for migration in bundled_migrations()]


def test_changed_migration_is_refused(database_url: str) -> None:
    database = Database(database_url, max_connections=2)
    try:
        migrate(database, [Migration("0001_a", "CREATE TABLE a (x int)")])
        with pytest.raises(FatalError, match="0001_a"):
            migrate(database, [Migration("0001_a", "CREATE TABLE a (x text)")])
    finally:
        database.close()


def test_newer_catalog_is_refused(database_url: str) -> None:
    database = Database(database_url, max_connections=2)
    try:
        migrate(database, [Migration("0001_a", "CREATE TABLE a (x int)"), Migration("0002_b", "SELECT 1")])
        with pytest.raises(FatalError, match="0002_b"):
            migrate(database, [Migration("0001_a", "CREATE TABLE a (x int)")])
    finally:
        database.close()


def test_failed_migration_leaves_nothing_behind(database_url: str) -> None:
    database = Database(database_url, max_connections=2)
    broken = [Migration("0001_a", "CREATE TABLE a (x int)"), Migration("0002_b", "CREATE TABLE a (x int)")]
    try:
        with pytest.raises(FatalError, match="already exists"):
            migrate(database, broken)
        with psycopg.connect(database_url) as connection:
            found = connection.execute("SELECT to_regclass('a'), to_regclass('schema_migrations')").fetchone()
        assert found == (None, None)
    finally:
        database.close()


def test_paths_of_documents_of_before_are_known(database_url: str) -> None:
    migrations = bundled_migrations()
    [noted] = [number for number, item in enumerate(migrations) if item.version == "0007_document_paths"]
    database = Database(database_url, max_connections=2)
    try:
        migrate(database, migrations[:noted])
        with database.transaction() as connection:
            connection.execute("INSERT INTO sources (name, kind, location) VALUES ('norms', 'git', 'x')")
            connection.execute(
                "INSERT INTO documents (id, source, path, first_path, birth, removed_at)"
                " VALUES ('d', 'norms', 'c.md', 'a.md', 0, NULL), ('gone', 'norms', NULL, 'g.md', 0, now())"
            )
            connection.execute(
                "INSERT INTO failures (source, path, document_id, stage, error, reason, resolved_at)"
                " VALUES ('norms', 'b.md', 'd', 'extract', 'E', 'bad', now()),"
                " ('norms', 'other.md', NULL, 'extract', 'E', 'bad', NULL)"
            )
        migrate(database, migrations)
        erasure = Erasure(database)
        assert [item.paths for item in erasure.find("d")] == [["c.md", "a.md", "b.md"]]
        assert [item.paths for item in erasure.find("gone")] == [["g.md"]]
    finally:
        database.close()


def test_every_path_of_a_document_is_noted_with_it(catalog: Catalog, generation: Generation) -> None:
    first, second = (index(catalog, generation, path, mark) for path, mark in (("a.md", "1"), ("b.md", "2")))
    catalog.documents.move(generation.id, "norms", [move("a.md", "b.md", "1"), move("b.md", "a.md", "2")])
    catalog.documents.move(generation.id, "norms", [move("b.md", "c.md", "1")])
    with pytest.raises(FatalError):
        catalog.documents.move(generation.id, "norms", [move("c.md", "d.md", "1"), move("x.md", "y.md", "1")])
    [document] = catalog.erasure.find(first)
    assert document.paths == ["c.md", "a.md", "b.md"]
    catalog.indexed.remove(generation.id, [second])
    assert [item.id for item in catalog.erasure.find("b.md")] == [second]
    for item in (document, *catalog.erasure.find(second)):
        traces = catalog.erasure.traces(item)
        assert catalog.erasure.counts(item, traces)["paths of documents"] >= 2
        catalog.erasure.delete(item, traces)
        assert set(catalog.erasure.counts(item, traces).values()) == {0}


@pytest.mark.parametrize("value", ["\0", "a\udcff"])
def test_what_no_text_can_hold_is_not_found(catalog: Catalog, generation: Generation, value: str) -> None:
    reading = catalog.reading
    assert reading.documents(generation.id, source=value, words=value) == ([], 0)
    found = (reading.document(generation.id, value), reading.place(generation.id, value))
    assert found == (None, None)
    assert not reading.outline(generation.id, value)
    assert not reading.stretch(generation.id, value, 0, 5)
    assert not reading.versions(value)
    assert not reading.holdings(value, value)
    assert catalog.sources.get(value) is catalog.sources.find("folder", value, value) is None
    assert catalog.failures.find(value) == catalog.failures.retry(value, [value]) == []
    assert catalog.erasure.find(value, value) == []


# --- Errors -------------------------------------------------------------------------------------


def test_no_address_says_how_to_start_the_stack() -> None:
    with pytest.raises(StackDownError, match="rubrica up"):
        Catalog("")


def test_nobody_listening_is_transient_and_hides_the_password() -> None:
    with pytest.raises(ServiceUnavailableError, match="rubrica up") as caught:
        Catalog("postgresql://user:very-secret@127.0.0.1:1/none")
    assert "very-secret" not in str(caught.value)


def test_nonsense_address_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="RUBRICA_POSTGRES_URL"):
        Catalog("this is no address")


def test_missing_tables_are_named(database_url: str) -> None:
    with Catalog(database_url) as catalog, pytest.raises(FatalError, match="rubrica up"):
        catalog.sources.all()


def test_lost_connections_are_replaced(catalog: Catalog, database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'rubrica' AND datname = current_database()"
        )
    assert [source.spec.name for source in catalog.sources.all()] == ["norms"]


def test_exclusive_admits_one_and_lets_go_after_an_error(catalog: Catalog) -> None:
    inside, most = 0, 0

    def work(_: int) -> None:
        nonlocal inside, most
        with catalog.exclusive("x"):
            inside += 1
            most = max(most, inside)
            catalog.sources.all()
            inside -= 1

    with pytest.raises(ZeroDivisionError), catalog.exclusive("x"):
        raise ZeroDivisionError
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(24)))
    assert most == 1


# --- Sources ------------------------------------------------------------------------------------


def test_source_round_trip_and_replacement(catalog: Catalog, generation: Generation) -> None:
    globs = (("**/*.md",), ("черновики/**",))
    options = {"depth": 3, "глубже": {"a": [1, None, "б"]}}
    spec = SourceSpec("site", "folder", "/srv/Папка с пробелом", "main", *globs, options)
    catalog.sources.register(SourceSpec("site", "git", "/old"))
    catalog.sources.register(spec)
    assert catalog.sources.get("site") == spec
    assert catalog.sources.find("folder", "/srv/Папка с пробелом", "main") == spec
    assert catalog.sources.get("none") is None
    assert [source.spec.name for source in catalog.sources.all()] == ["norms", "site"]


def test_progress_belongs_to_a_generation(catalog: Catalog, generation: Generation) -> None:
    other = catalog.generations.begin("other", {}, embedder="e", dimension=4)
    catalog.sources.set_last_revision(generation.id, "norms", "abc")
    catalog.sources.set_last_revision(generation.id, "norms", "def")
    assert catalog.sources.last_revision(generation.id, "norms") == "def"
    assert catalog.sources.last_revision(other.id, "norms") == ""
    [source] = catalog.sources.all(generation.id)
    assert source.last_revision == "def"
    assert source.last_success_at is not None


def test_source_name_must_be_a_slug(catalog: Catalog) -> None:
    with pytest.raises(ConfigurationError, match="Нормы"):
        catalog.sources.register(SourceSpec("Нормы", "git", "x"))


# --- Documents ----------------------------------------------------------------------------------


def test_registration_is_idempotent_with_awkward_paths(catalog: Catalog) -> None:
    first = catalog.documents.register("norms", AWKWARD)
    assert catalog.documents.register("norms", reversed(AWKWARD)) == first
    assert catalog.documents.ids_by_path("norms") == first
    assert first[AWKWARD[0]] == document_id("norms", AWKWARD[0], 0)


def test_new_file_under_an_old_name_is_another_document(catalog: Catalog, generation: Generation) -> None:
    old = index(catalog, generation, "a.md", "1")
    catalog.indexed.remove(generation.id, [old])
    new = catalog.documents.register("norms", ["a.md"])["a.md"]
    assert new == document_id("norms", "a.md", 1) != old


def test_name_freed_by_a_move_is_born_anew(catalog: Catalog, generation: Generation) -> None:
    old = index(catalog, generation, "a.md", "1")
    catalog.documents.move(generation.id, "norms", [move("a.md", "b.md", "1")])
    assert catalog.documents.register("norms", ["a.md", "b.md"]) == {
        "a.md": document_id("norms", "a.md", 1),
        "b.md": old,
    }


def test_swap_and_chain_in_one_call_and_again(catalog: Catalog, generation: Generation) -> None:
    a, b, c = (index(catalog, generation, f"{name}.md", name) for name in "abc")
    moves = [move("a.md", "b.md", "a"), move("b.md", "a.md", "b"), move("c.md", "d.md", "c")]
    for _ in range(2):
        catalog.documents.move(generation.id, "norms", moves)
        assert catalog.documents.ids_by_path("norms") == {"a.md": b, "b.md": a, "d.md": c}


def test_move_onto_a_taken_path_leaves_an_orphan(catalog: Catalog, generation: Generation) -> None:
    a, b = index(catalog, generation, "a.md", "a"), index(catalog, generation, "b.md", "b")
    catalog.documents.move(generation.id, "norms", [move("a.md", "b.md", "a")])
    assert catalog.documents.ids_by_path("norms") == {"b.md": a}
    assert catalog.indexed.orphans(generation.id, "norms") == [b]
    catalog.indexed.remove(generation.id, [b])
    assert catalog.indexed.orphans(generation.id, "norms") == []


def test_move_of_an_unknown_document_is_an_error(catalog: Catalog, generation: Generation) -> None:
    index(catalog, generation, "a.md", "a")
    with pytest.raises(FatalError, match=r"b\.md"):
        catalog.documents.move(generation.id, "norms", [move("a.md", "b.md", "other content")])


def test_open_failures_follow_a_swap(catalog: Catalog, generation: Generation) -> None:
    ids = catalog.documents.register("norms", ["a.pdf", "b.pdf"])
    for path, id_ in ids.items():
        catalog.indexed.mark_failed(generation.id, id_, mark=path, config_sig="sig")
        catalog.failures.record(
            Failure("norms", path, Stage.EXTRACT, "Corrupt", f"was {path}"), document_id=id_
        )
    moves = [move("a.pdf", "b.pdf", "a.pdf"), move("b.pdf", "a.pdf", "b.pdf")]
    catalog.documents.move(generation.id, "norms", moves)
    found = {record.failure.path: record.failure.reason for record in catalog.failures.find()}
    assert found == {"a.pdf": "was b.pdf", "b.pdf": "was a.pdf"}


# --- What a generation holds --------------------------------------------------------------------


def test_marks_count_by_generation_and_those_of_failures_by_settings_too(
    catalog: Catalog, generation: Generation
) -> None:
    index(catalog, generation, "same.md", "m1")
    index(catalog, generation, "older.md", "m2", config_sig="old settings")
    pending = catalog.documents.register("norms", ["pending.md", "poison.pdf"])
    catalog.indexed.mark_failed(generation.id, pending["poison.pdf"], mark="m3", config_sig="sig")
    expected = {"same.md": "m1", "older.md": "m2", "pending.md": "", "poison.pdf": "m3"}
    assert catalog.indexed.known_marks(generation.id, "norms", "sig") == expected
    assert catalog.indexed.known_marks(generation.id, "norms", "new settings")["poison.pdf"] == ""
    other = catalog.generations.begin("other", {}, embedder="e", dimension=4)
    assert set(catalog.indexed.known_marks(other.id, "norms", "sig").values()) == {""}
    assert catalog.indexed.counts(generation.id) == {
        ("norms", "indexed"): 2,
        ("norms", "pending"): 1,
        ("norms", "failed"): 1,
    }


def test_chunks_round_trip(catalog: Catalog, generation: Generation) -> None:
    [id_] = catalog.documents.register("norms", ["a.md"]).values()
    attributes = {"standard": "ГОСТ «7»", "nul": "a\0b", "not a number": float("nan"), "half": "\ud835"}
    document = make_document(id_, ["Первый", 'Втор\\ой "абзац"', "Первый"], attributes=attributes)
    chunks = make_chunks(document)
    for _ in range(2):
        catalog.indexed.save(generation.id, document, chunks, mark="m", config_sig="s")
        assert catalog.chunks.of_document(generation.id, id_) == chunks
    found = catalog.chunks.found(generation.id, [chunks[1].id, "unknown"])
    assert list(found) == [chunks[1].id]
    assert found[chunks[1].id].path == "a.md"
    assert found[chunks[1].id].body == 'Втор\\ой "абзац"'


def test_removed_document_is_not_found(catalog: Catalog, generation: Generation) -> None:
    id_ = index(catalog, generation, "a.md", "1")
    ids = catalog.chunks.ids(generation.id, id_)
    assert len(ids) == 2
    catalog.indexed.remove(generation.id, [id_])
    assert catalog.chunks.found(generation.id, sorted(ids)) == {}
    assert catalog.chunks.ids(generation.id) == set()


# --- Failures -----------------------------------------------------------------------------------


def test_one_open_failure_per_path(catalog: Catalog) -> None:
    for run_id in ("r1", "r1", "r2"):
        catalog.runs.start(run_id, "norms", trigger="test")
        catalog.failures.record(
            Failure("norms", "Файл.pdf", Stage.EXTRACT, "CorruptDocumentError", f"bad\0 {run_id}\ud800"),
            run_id=run_id,
        )
    [record] = catalog.failures.find("norms")
    assert (record.attempts, record.run_id) == (2, "r2")
    assert record.failure.reason == "bad\ufffd r2\ufffd"
    assert catalog.failures.find(run_id="r1") == []


def test_reason_is_never_empty(catalog: Catalog) -> None:
    catalog.failures.record(Failure("norms", "a", Stage.EXTRACT, "PDFError", " "))
    [record] = catalog.failures.find()
    assert "PDFError" in record.failure.reason


def test_retry_takes_poison_again_and_indexing_resolves(catalog: Catalog, generation: Generation) -> None:
    ids = catalog.documents.register("norms", ["a.pdf", "b.pdf"])
    for path, id_ in ids.items():
        catalog.indexed.mark_failed(generation.id, id_, mark="m", config_sig="sig")
        catalog.failures.record(Failure("norms", path, Stage.EXTRACT, "E", "bad"), document_id=id_)
    [retried] = catalog.failures.retry("norms", ["a.pdf"])
    assert retried.failure.path == "a.pdf"
    assert catalog.indexed.known_marks(generation.id, "norms", "sig") == {"a.pdf": "", "b.pdf": "m"}
    index(catalog, generation, "a.pdf", "m")
    assert [record.failure.path for record in catalog.failures.find()] == ["b.pdf"]
    assert len(catalog.failures.find(resolved=True)) == 2
    catalog.failures.resolve([ids["b.pdf"]])
    assert catalog.failures.find() == []


# --- Runs and locks -----------------------------------------------------------------------------


def test_retried_batch_does_not_double(catalog: Catalog) -> None:
    catalog.runs.start("r", "norms", trigger="cli", from_revision="a")
    for _ in range(2):
        catalog.runs.add_counters("r", "index", "0", {Counter.CHUNKS_WRITTEN: 5, Counter.CHUNKS_KEPT: 1})
        catalog.runs.add_counters("r", "index", "1", {Counter.CHUNKS_WRITTEN: 7})
    totals = catalog.runs.totals("r")
    assert (totals[Counter.CHUNKS_WRITTEN], totals[Counter.CHUNKS_KEPT], totals[Counter.ADDED]) == (12, 1, 0)
    catalog.runs.finish("r", RunState.WARNING, to_revision="b", error="2 документа\0")
    run = catalog.runs.get("r")
    assert run is not None
    assert (run.state, run.to_revision, run.error) == (RunState.WARNING, "b", "2 документа\ufffd")
    assert catalog.runs.last("norms", finished=True) == run


def test_run_that_starts_again_counts_from_zero(catalog: Catalog) -> None:
    catalog.runs.start("r", "norms", trigger="cli")
    catalog.runs.add_counters("r", "index", "0", {Counter.ADDED: 5})
    catalog.runs.finish("r", RunState.FAILED)
    catalog.runs.start("r", "norms", trigger="cli")
    run = catalog.runs.get("r")
    assert run is not None
    assert (run.state, run.finished_at) == (RunState.RUNNING, None)
    assert catalog.runs.totals("r")[Counter.ADDED] == 0
    assert catalog.runs.last("norms", finished=True) is None


def test_finishing_an_unknown_run_is_an_error(catalog: Catalog) -> None:
    with pytest.raises(FatalError, match="nobody"):
        catalog.runs.finish("nobody", RunState.SUCCESS)


def test_lock_is_exclusive_and_reentrant(catalog: Catalog) -> None:
    for run in ("r1", "r2"):
        catalog.runs.start(run, "norms", trigger="test")
    assert catalog.locks.acquire("norms", "r1", ttl_s=60)
    assert catalog.locks.acquire("norms", "r1", ttl_s=60)
    assert not catalog.locks.acquire("norms", "r2", ttl_s=60)
    assert not catalog.locks.refresh("norms", "r2", ttl_s=60)
    catalog.locks.release("norms", "r2")
    assert catalog.locks.owner("norms") == "r1"
    catalog.locks.release("norms", "r1")
    assert catalog.locks.acquire("norms", "r2", ttl_s=60)


def test_lock_of_a_finished_run_can_be_taken_over(catalog: Catalog) -> None:
    catalog.runs.start("r1", "norms", trigger="test")
    assert catalog.locks.acquire("norms", "r1", ttl_s=3600)
    catalog.runs.finish("r1", RunState.FAILED)
    assert catalog.locks.acquire("norms", "r2", ttl_s=60)
    assert not catalog.locks.refresh("norms", "r1", ttl_s=60)


def test_lock_of_a_run_that_starts_again_is_its_own_before_it_is_marked_as_running(catalog: Catalog) -> None:
    catalog.runs.start("r1", "norms", trigger="test")
    assert catalog.locks.acquire("norms", "r1", ttl_s=3600)
    catalog.runs.finish("r1", RunState.FAILED)
    # Released after its end, or left by a process that was killed before it could.
    for released in (False, True):
        if released:
            catalog.locks.release("norms", "r1")
        assert catalog.locks.acquire("norms", "r1", ttl_s=3600)
        assert not catalog.locks.acquire("norms", "r2", ttl_s=60)
    catalog.runs.start("r1", "norms", trigger="test")
    assert not catalog.locks.acquire("norms", "r2", ttl_s=60)
    catalog.runs.finish("r1", RunState.FAILED)
    assert catalog.locks.acquire("norms", "r2", ttl_s=60)


def test_expired_lock_can_be_taken_over(catalog: Catalog) -> None:
    catalog.runs.start("r1", "norms", trigger="test")
    assert catalog.locks.acquire("norms", "r1", ttl_s=-1)
    assert catalog.locks.owner("norms") is None
    assert catalog.locks.acquire("norms", "r2", ttl_s=60)
    assert catalog.locks.owner("norms") == "r2"


def test_only_one_of_many_gets_the_lock(catalog: Catalog) -> None:
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda i: catalog.locks.acquire("norms", f"r{i}", ttl_s=60), range(8)))
    assert sum(got) == 1
