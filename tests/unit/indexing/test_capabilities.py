from __future__ import annotations

import pytest

from indexing.store.capabilities import Capabilities
from indexing.store.rows import from_server, to_server
from rubrica.errors import ConfigurationError

EVERYTHING: list[str] = []


@pytest.mark.parametrize(
    ("server", "missing"),
    [
        ("milvus_lite-3.2.2", EVERYTHING),
        ("v2.3.5-lite", ["words", "null", "partial_update", "partition_key", "inverted_index"]),
        ("v2.4.23", ["words", "null", "partial_update"]),
        ("2.5.4", ["partial_update"]),
        ("v2.6.1", ["partial_update"]),
        ("v2.6.2", EVERYTHING),
        ("2.6.2-dev-a1b2c3", EVERYTHING),
        ("3.0", EVERYTHING),
        ("Zilliz Cloud Vector Database(Compatible with Milvus 2.6)", ["partial_update"]),
        ("built from source", EVERYTHING),
    ],
)
def test_version_tells_what_is_missing(server: str, missing: list[str]) -> None:
    assert Capabilities.of(server).missing == missing


def test_only_milvus_lite_bears_a_single_writer() -> None:
    assert Capabilities.of("milvus_lite-3.2.2").single_writer
    assert not Capabilities.of("v2.3.5-lite").single_writer
    assert not Capabilities.of("2.6.2").single_writer


def test_server_without_upsert_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"2\.2\.16") as caught:
        Capabilities.of("v2.2.16")
    assert "RUBRICA_MILVUS_URI" in caught.value.hint


@pytest.mark.parametrize("server", ["v2.3.5-lite", "v2.6.2"])
@pytest.mark.parametrize("pages", [(None, None), (1, 3)])
def test_rows_survive_a_server_without_nulls(server: str, pages: tuple[int | None, int | None]) -> None:
    able = Capabilities.of(server)
    row = {"chunk_id": "a", "page_from": pages[0], "page_to": pages[1], "heading_path": ["б"]}
    sent = to_server(row | {"terms": "слова"}, able)
    assert ("terms" in sent) == able.words
    assert able.null or None not in sent.values()
    assert from_server({name: sent[name] for name in row}, able) == row
