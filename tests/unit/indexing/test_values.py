from __future__ import annotations

import json
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from indexing.values import cut_utf8, json_safe, storable

ANY_TEXT = st.text(st.characters(exclude_categories=[]))
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
)


@given(ANY_TEXT)
def test_storable_text_has_neither_nul_nor_surrogates(text: str) -> None:
    stored = storable(text)
    assert "\0" not in stored
    assert stored.encode().decode() == stored
    assert len(stored) == len(text)
    assert storable(stored) == stored


@given(ANY_JSON)
def test_json_is_strict_and_stable(value: object) -> None:
    safe = json_safe(value)
    encoded = json.dumps(safe, allow_nan=False, ensure_ascii=False).encode()
    assert b"\\u0000" not in encoded
    assert json_safe(json.loads(encoded)) == json.loads(encoded)


def test_unknown_types_become_text() -> None:
    assert json_safe({"date": date(2026, 11, 29), "set": {1}, 5: (1, 2)}) == {
        "date": "2026-11-29",
        "set": [1],
        "5": [1, 2],
    }


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 40))
def test_cut_is_the_longest_start_that_fits(text: str, limit: int) -> None:
    cut = cut_utf8(text, limit)
    assert text.startswith(cut)
    assert len(cut.encode()) <= limit
    if cut != text:
        assert len(text[: len(cut) + 1].encode()) > limit


def test_cyrillic_counts_twice() -> None:
    assert cut_utf8("ы" * 600, 1000) == "ы" * 500
    assert cut_utf8("ы" * 600, 1001) == "ы" * 500
