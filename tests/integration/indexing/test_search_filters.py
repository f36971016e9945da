from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.catalog import Catalog
from indexing.search import Filters, conditions
from indexing.store.filters import equals
from indexing.store.store import VectorStore
from rubrica.errors import ConfigurationError
from rubrica.model import Chunk
from tests.support.indexing import DigestEmbedder
from tests.support.library import Library

pytestmark = pytest.mark.integration

DOCUMENTS: dict[str, dict[str, Any]] = {
    "сп63.md": {
        "standard": "СП 63.13330.2018",
        "standard_number": "63.13330.2018",
        "standard_kind": "СП",
        "introduced_on": "2019-06-20",
        "replaces": ["СП 63.13330.2012", "СНиП 52-01-2003"],
    },
    "гост732.md": {
        "standard": "ГОСТ 7.32–2017",
        "standard_number": "7.32–2017",
        "standard_kind": "ГОСТ",
        "introduced_on": "2018-07-01",
        "published": "2017-10",
    },
    "гост7.md": {"standard": "ГОСТ 7.32.1-2003", "standard_kind": "ГОСТ", "published": 2003},
    "статья.md": {"published": "2020-02-29T10:00:00+03:00", "draft": True, "year": 2020, "author": "О'Нил"},
    "без-даты.md": {"published": "недавно", "years": [2019, 2020]},
}

HEADINGS = [("1 Общие положения",), ("5 Нагрузки", "5.2 Ветровые НАГРУЗКИ"), ("5 Нагрузки", "5.20 Лёд")]
CLAUSES = [("1.1", "1.2"), ("5.2", "5.2.1"), ("5.20", "5.20.3")]


def _structured(chunk: Chunk) -> Chunk:
    return replace(chunk, heading_path=HEADINGS[chunk.ordinal], clauses=CLAUSES[chunk.ordinal])


@pytest.fixture(scope="module")
def library(module_catalog: Catalog, either_store: VectorStore) -> Library:
    library = Library(module_catalog, either_store, DigestEmbedder())
    for path, attributes in DOCUMENTS.items():
        paragraphs = [f"{path}: начало", f"{path}: ветер", f"{path}: лёд"]
        library.add(path, paragraphs, attributes=attributes, change=_structured)
    # Milvus Lite weighs words by what passed the filter until they are in its index.
    library.writer.settle()
    return library


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        ({"standard": "СП 63.13330.2018"}, ["сп63.md"]),
        ({"standard": " сп  63.13330 "}, ["сп63.md"]),
        ({"standard": "63.13330"}, ["сп63.md"]),
        ({"standard": "ГОСТ 7.32-2017"}, ["гост732.md"]),
        ({"standard": "7.32"}, ["гост732.md"]),
        ({"standard": "63"}, []),
        ({"standard": "СП 63.13330|ГОСТ"}, []),
        ({"standard": ".*"}, []),
        ({"attributes": {"standard_kind": ["ГОСТ"]}}, ["гост7.md", "гост732.md"]),
        ({"attributes": {"standard_kind": ["ГОСТ", "СП"]}}, ["гост7.md", "гост732.md", "сп63.md"]),
        ({"attributes": {"standard_kind": ["ГОСТ"], "introduced_on": ["2018-07-01"]}}, ["гост732.md"]),
        ({"attributes": {"replaces": ["СНиП 52-01-2003"]}}, ["сп63.md"]),
        ({"attributes": {"year": ["2020"]}}, ["статья.md"]),
        ({"attributes": {"draft": ["true"]}}, ["статья.md"]),
        ({"attributes": {"years": ["2018", "2019"]}}, ["без-даты.md"]),
        ({"attributes": {"years": ["201"]}}, []),
        ({"attributes": {"author": ["О'Нил"]}}, ["статья.md"]),
        ({"attributes": {"author'); --": ["x"]}}, []),
        ({"since": "2018", "until": "2019-12"}, ["сп63.md"]),
        ({"since": "2017"}, ["гост732.md", "сп63.md", "статья.md"]),
        ({"until": "2017-10"}, ["гост7.md", "гост732.md"]),
        ({"until": "2017-09-30"}, ["гост7.md"]),
        ({"since": "2017-10-31", "until": "2017-10-31"}, ["гост732.md"]),
        (
            {"since": "2018-07-01", "until": "2018-07-01", "date_attributes": ["introduced_on"]},
            ["гост732.md"],
        ),
        ({"since": "2020-02-29", "until": "2020-02-29"}, ["статья.md"]),
        ({"since": "2020-03"}, []),
        ({"path": "гост*", "standard": "7.32"}, ["гост732.md"]),
        ({"path": "сп*", "standard": "7.32"}, []),
        ({"language": "en", "standard": "7.32"}, []),
        ({"source": "norms", "standard": "7.32"}, ["гост732.md"]),
        ({"expression": "page_from == 1", "standard": "7.32"}, ["гост732.md"]),
        ({"expression": "page_from > 1", "standard": "7.32"}, []),
    ],
)
def test_documents(library: Library, filters: dict[str, Any], paths: list[str]) -> None:
    assert library.paths(**filters) == paths


@pytest.mark.parametrize(
    ("filters", "ordinals"),
    [
        ({"section": "нагрузки"}, [1, 2]),
        ({"section": "ветровые нагрузки"}, [1]),
        ({"section": "5 нагрузки"}, [1, 2]),
        ({"section": "%"}, []),
        ({"section": "лёд"}, [2]),
        ({"section": " "}, [0, 1, 2]),
        ({"clause": "5.2"}, [1]),
        ({"clause": "5.2."}, [1]),
        ({"clause": "5"}, [1, 2]),
        ({"clause": "5", "subclauses": False}, []),
        ({"clause": "5.2.1", "subclauses": False}, [1]),
        ({"clause": "1.2"}, [0]),
        ({"clause": "5.3"}, []),
        ({"clause": "5", "section": "лёд"}, [2]),
    ],
)
def test_chunks(library: Library, filters: dict[str, Any], ordinals: list[int]) -> None:
    texts = ["начало", "ветер", "лёд"]
    hits = library.searcher.search("ветер", 50, filters=Filters(path="сп63.md", **filters))
    assert sorted(hit.text for hit in hits) == sorted(f"сп63.md: {texts[place]}" for place in ordinals)


def test_section_includes_the_chunk_that_its_heading_is_in(library: Library) -> None:
    paths = [(), ("5 Снег",), ("5 Снег",), (), (), ()]
    bodies = ["Нормы\n5 Снег\nодин", "два", "три", "6 Снегозадержание\nещё", "О 5 снег.\nИ так", "5 снег"]
    id_ = library.add(
        "снег.md", bodies, change=lambda chunk: replace(chunk, heading_path=paths[chunk.ordinal])
    )
    hits = library.searcher.search("снег", 50, filters=Filters(section="снег", path="снег.md"))
    assert sorted(hit.text for hit in hits) == sorted(bodies[:4])
    hits = library.searcher.search("снег", 50, filters=Filters(section="5 снег", path="снег.md"))
    assert sorted(hit.text for hit in hits) == sorted(bodies[:3])
    library.writer.remove_document(id_)


def test_long_lists_of_ids_rank_as_short_ones(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    filters = Filters(section="нагрузки")
    at_once = library.searcher.search("ветер", 50, filters=filters)
    monkeypatch.setattr(conditions, "_PORTION", 3)
    assert len(at_once) == 10
    assert library.searcher.search("ветер", 50, filters=filters) == at_once


@pytest.mark.parametrize("day", ["вчера", "2020-13", "2020-02-30", "20200101", "2020-1", "2020-01-01 "])
def test_what_is_no_date_is_refused(library: Library, day: str) -> None:
    with pytest.raises(ConfigurationError, match="not a date"):
        library.paths(since=day)


def test_dates_the_wrong_way_round_are_refused(library: Library) -> None:
    with pytest.raises(ConfigurationError, match="from 2020 to 2019-12"):
        library.paths(since="2020", until="2019-12")
    library.paths(since="2020", until="2020-01")


# --- Values of every kind -----------------------------------------------------------------------

_AWKWARD = st.text(
    st.one_of(
        st.sampled_from("\"'\\\n\r\t%_[](){}=<>!&|,;*?$`яЁ№«»—🏗\u2028\x0b\0"), st.characters(codec="utf-8")
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(_AWKWARD, min_size=2, max_size=2, unique_by=lambda text: text.replace("\0", "\ufffd")))
def test_awkward_values_find_and_delete_exactly_their_document(library: Library, values: list[str]) -> None:
    ids = {}
    for place, value in enumerate(values):
        path = f"awkward/{place}.md"
        ids[path] = library.add(
            path,
            ["текст"],
            attributes={"name": value},
            change=lambda chunk, value=value: replace(  # type: ignore[misc]
                chunk, heading_path=(value,), clauses=(f"z{value}z",)
            ),
        )
    first, second = ids
    literal = equals('attributes["name"]', values[0])
    for filters in (
        Filters(path="awkward/*", attributes={"name": [values[0]]}),
        Filters(path="awkward/*", clause=f"z{values[0]}z", subclauses=False),
        Filters(path="awkward/*", expression=literal),
    ):
        found = [hit.path for hit in library.searcher.search("текст", 50, filters=filters)]
        assert found == [first]
    library.writer.remove_document(ids[first])
    assert library.paths(path="awkward/*") == [second]
    library.writer.remove_document(ids[second])
    assert library.store.count(library.generation.collection) == 3 * len(DOCUMENTS)
