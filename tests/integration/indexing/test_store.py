from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from indexing.store.filters import all_of, equals, one_of
from indexing.store.rows import Row, full_row, scalar_row
from indexing.store.store import InvalidRequestError, VectorStore
from indexing.store.terms import search_terms
from rubrica.errors import FatalError, ServiceUnavailableError, StackDownError
from rubrica.model import Document
from tests.fixtures.databases import free_port, milvus_server
from tests.support.indexing import DIMENSION, DigestEmbedder, make_chunks, make_document

pytestmark = pytest.mark.integration

AWKWARD = [
    'кавычка " двойная',
    "апостроф '",
    "обратная \\ черта",
    "новая\nстрока",
    "табуляция\tи\rвозврат",
    '\\" and \\n',
    '] or chunk_id != "',
    "u2028\u2028и эмодзи 🏗",
    "\x0bвертикальная",
]


@pytest.fixture(scope="module")
def store(either_store: VectorStore) -> VectorStore:
    return either_store


@pytest.fixture
def words(store: VectorStore) -> None:
    """Asks for a server that can search by words."""
    if not store.capabilities.words:
        pytest.skip(f"Milvus {store.capabilities.server} has no BM25")


@pytest.fixture(scope="module")
def shared(store: VectorStore) -> Iterator[str]:
    name = f"t_{uuid.uuid4().hex}"
    store.create(name, DIMENSION)
    yield name
    store.drop(name)


@pytest.fixture
def collection(store: VectorStore, shared: str) -> Iterator[str]:
    """An empty collection; making one takes a second, so tests share it in turn."""
    yield shared
    store.delete(shared, list(store.chunk_ids(shared)))


def rows_of(document: Document) -> list[Row]:
    embedder = DigestEmbedder()
    return [full_row(document, chunk, embedder.embed_query(chunk.text)) for chunk in make_chunks(document)]


def search(store: VectorStore, collection: str, query: str, condition: str = "") -> list[str]:
    vector = DigestEmbedder().embed_query(query)
    matching = []
    if store.capabilities.words:
        matching = store.matching(collection, search_terms(query), limit=50, condition=condition)
    nearest = store.nearest(collection, vector, limit=50, condition=condition)
    # Those that share words first, then whatever else the filter lets through.
    return list(dict.fromkeys(item.chunk_id for item in [*matching, *nearest]))


# --- Rows ---------------------------------------------------------------------------------------


def test_row_round_trip(store: VectorStore, collection: str) -> None:
    attributes = {"standard": 'СП "1"', "year": 2020, "tags": ["а", "б"], "nested": {"x": None}, "nul": "a\0"}
    document = make_document("d1", AWKWARD, source="norms", attributes=attributes)
    store.upsert(collection, rows_of(document))
    chunks = make_chunks(document)
    expected = {chunk.id: scalar_row(document, chunk) for chunk in chunks}
    assert store.fetch(collection, list(expected)) == expected


def test_chunk_without_pages_round_trips(store: VectorStore, collection: str) -> None:
    row = rows_of(make_document("d1", ["один"]))[0] | {"page_from": None, "page_to": None}
    store.upsert(collection, [row])
    found = store.fetch(collection, [row["chunk_id"]])[row["chunk_id"]]
    assert (found["page_from"], found["page_to"]) == (None, None)


def test_same_key_twice_is_one_row_and_one_hit(store: VectorStore, collection: str) -> None:
    rows = rows_of(make_document("d1", ["бетон класса В25"]))
    for _ in range(3):
        store.upsert(collection, rows)
    assert store.count(collection) == 1
    assert search(store, collection, "бетон") == [rows[0]["chunk_id"]]


def test_deleted_rows_are_gone_at_once(store: VectorStore, collection: str) -> None:
    rows = rows_of(make_document("d1", ["бетон", "сталь"]))
    store.upsert(collection, rows)
    assert store.delete(collection, [rows[0]["chunk_id"], "no such chunk"]) == 2
    assert store.existing(collection, [row["chunk_id"] for row in rows]) == {rows[1]["chunk_id"]}
    assert search(store, collection, "бетон") == [rows[1]["chunk_id"]]
    store.upsert(collection, rows)
    assert store.count(collection) == 2


def test_update_keeps_vector_and_words(store: VectorStore, collection: str) -> None:
    document = make_document("d1", ["несущие стены", "перекрытия"])
    rows = rows_of(document)
    store.upsert(collection, rows)
    moved = scalar_row(document, make_chunks(document)[0]) | {
        "char_start": 100,
        "char_end": 113,
        "page_from": 9,
    }
    store.update(collection, [moved])
    assert store.fetch(collection, [moved["chunk_id"]]) == {moved["chunk_id"]: moved}
    assert store.count(collection) == 2
    vector = np.asarray(rows[0]["dense"], dtype=np.float32)
    [nearest] = store.nearest(collection, vector, limit=1)
    assert nearest.chunk_id == moved["chunk_id"]
    assert nearest.score == pytest.approx(1, abs=1e-5)
    if store.capabilities.words:
        [matching] = store.matching(collection, search_terms("несущая стена"), limit=1)
        assert matching.chunk_id == moved["chunk_id"]
        assert matching.score > 0


def test_text_is_cut_by_bytes_on_a_character_border(store: VectorStore, collection: str) -> None:
    row = rows_of(make_document("d1", ["ы" * 40_000]))[0]
    assert len(row["text"].encode()) == 65_534
    store.upsert(collection, [row])
    assert store.existing(collection, [row["chunk_id"]])


@pytest.mark.parametrize("text", ["—", "…", "ы" * 20_000, "🏗 \u2028 \x0b"])
def test_text_without_words_or_borders_is_stored(store: VectorStore, collection: str, text: str) -> None:
    row = rows_of(make_document("d1", [text]))[0]
    store.upsert(collection, [row])
    assert store.existing(collection, [row["chunk_id"]]) == {row["chunk_id"]}


def test_more_rows_of_one_document_than_a_query_may_return(store: VectorStore) -> None:
    count, collection = 16_400, f"t_{uuid.uuid4().hex}"
    store.create(collection, DIMENSION)
    base = rows_of(make_document("big", ["слово"]))[0]
    other = rows_of(make_document("other", ["слово"]))
    store.upsert(collection, (base | {"chunk_id": f"{i:032x}", "ordinal": i} for i in range(count)))
    store.upsert(collection, other)
    found = list(store.chunk_ids(collection, "big"))
    assert len(found) == count
    assert set(found) == {f"{i:032x}" for i in range(count)}
    assert store.delete(collection, found) == count
    assert list(store.chunk_ids(collection)) == [other[0]["chunk_id"]]
    store.drop(collection)


# --- Filters ------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", AWKWARD)
def test_filter_values_find_exactly_their_rows(store: VectorStore, collection: str, value: str) -> None:
    wanted = rows_of(make_document("d1", ["бетон"], source=value, attributes={"name": value}))
    other = rows_of(make_document("d2", ["бетон"], source="other", attributes={"name": value + "x"}))
    store.upsert(collection, [*wanted, *other])
    ids = [row["chunk_id"] for row in wanted]
    conditions = [
        equals("source", value),
        equals('attributes["name"]', value),
        one_of("source", [value, "nobody"]),
        all_of(equals("source", value), "", equals("document_id", "d1")),
    ]
    for condition in conditions:
        assert search(store, collection, "бетон", condition) == ids
        assert store.count(collection, condition) == 1


def test_broken_filter_is_the_callers_fault(store: VectorStore, collection: str) -> None:
    store.upsert(collection, rows_of(make_document("d1", ["бетон"])))
    with pytest.raises(InvalidRequestError, match="refuses"):
        search(store, collection, "бетон", "page_from ==")


# --- Words --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("нагрузка на перекрытие", "Нагрузки на перекрытия принимают по таблице"),
        ("пункт 5.2.1", "Согласно п. 5.2.1 допускается снижение"),
        ("foundation loads", "The load of the foundations is given"),
        ("ГОСТ 7.32-2017", "Отчёт оформляют по ГОСТ 7.32-2017"),
        ("отчеты", "Отчёт оформляют по ГОСТ 7.32-2017"),
    ],
)
def test_words_are_found_in_other_forms(
    words: None, store: VectorStore, collection: str, query: str, expected: str
) -> None:
    texts = [
        "Нагрузки на перекрытия принимают по таблице",
        "Согласно п. 5.2.1 допускается снижение",
        "Согласно п. 5.1.2 не допускается снижение",
        "The load of the foundations is given",
        "Отчёт оформляют по ГОСТ 7.32-2017",
        "Отдельная строка о другом",
    ]
    document = make_document("d1", texts)
    store.upsert(collection, rows_of(document))
    hits = store.matching(collection, search_terms(query), limit=1)
    assert hits[0].chunk_id == make_chunks(document)[texts.index(expected)].id


# --- Collections and aliases --------------------------------------------------------------------


def test_alias_moves_and_protects_its_collection(store: VectorStore) -> None:
    alias = f"a_{uuid.uuid4().hex}"
    assert store.alias_target(alias) is None
    for name in (f"{alias}_g1", f"{alias}_g2"):
        store.create(name, DIMENSION)
        store.create(name, DIMENSION)
        store.point_alias(alias, name)
        store.point_alias(alias, name)
        assert store.alias_target(alias) == name
    with pytest.raises(FatalError, match=alias):
        store.drop(f"{alias}_g2")
    assert store.has(f"{alias}_g2")
    store.drop(f"{alias}_g1")
    store.drop(f"{alias}_g1")
    assert not store.has(f"{alias}_g1")


def test_dropping_by_alias_is_refused(store: VectorStore, collection: str) -> None:
    alias = f"a_{uuid.uuid4().hex}"
    store.point_alias(alias, collection)
    with pytest.raises(FatalError, match=alias):
        store.drop(alias)
    store._call("drop_alias", alias)


def test_unknown_collection_is_fatal(store: VectorStore) -> None:
    with pytest.raises(FatalError, match="RUBRICA_MILVUS_URI"):
        store.count("no_such_collection")


# --- The server ---------------------------------------------------------------------------------


def test_no_address_says_how_to_start_the_stack() -> None:
    with pytest.raises(StackDownError, match="rubrica up"):
        VectorStore("")


def test_nobody_listening_is_transient() -> None:
    with pytest.raises(ServiceUnavailableError, match="rubrica up"):
        VectorStore(f"http://127.0.0.1:{free_port()}")


def test_killed_and_restarted_server_keeps_what_was_written(tmp_path: Path) -> None:
    rows = rows_of(make_document("d1", ["бетон", "сталь"]))
    with milvus_server(tmp_path / "data") as (uri, process), VectorStore(uri) as store:
        store.create("c", DIMENSION)
        store.upsert("c", rows)
        process.kill()
        process.wait()
        with pytest.raises(ServiceUnavailableError):
            store.count("c")
    with milvus_server(tmp_path / "data") as (uri, _), VectorStore(uri) as store:
        assert store.count("c") == 2
        assert search(store, "c", "сталь")[0] == rows[1]["chunk_id"]
