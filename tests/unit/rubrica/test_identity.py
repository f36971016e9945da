from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rubrica.identity import chunk_ids, config_sig, digest, document_id


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_digest_tells_lists_apart(left: list[str], right: list[str]) -> None:
    assert (digest(*left) == digest(*right)) == (left == right)


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=12))
def test_chunk_ids_are_unique_and_stable_under_an_edit_at_the_top(texts: list[str]) -> None:
    ids = chunk_ids("doc", texts)
    assert len(set(ids)) == len(texts)
    assert chunk_ids("doc", ["new", *texts])[1:] == ids


def test_document_id_depends_on_birth() -> None:
    assert document_id("s", "a.md", 0) != document_id("s", "a.md", 1)


def test_config_sig_ignores_the_order_of_keys() -> None:
    assert config_sig({"a": 1, "b": 2}) == config_sig({"b": 2, "a": 1}) != config_sig({"a": 1, "b": 3})
