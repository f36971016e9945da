from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from indexing.store.filters import all_of, equals, one_of, quoted


@given(st.text())
def test_quoted_text_reads_back(text: str) -> None:
    literal = quoted(text)
    assert not {"\n", "\r"} & set(literal)
    # The escapes of Milvus are a subset of Python's.
    assert ast.literal_eval(literal) == text.replace("\0", "\ufffd")


def test_expressions() -> None:
    assert equals("source", 'a"b') == 'source == "a\\"b"'
    assert one_of("chunk_id", ["a", "б"]) == 'chunk_id in ["a", "б"]'
    assert all_of("a == 1 or b == 2", "", "c == 3") == "(a == 1 or b == 2) and (c == 3)"
    assert all_of("", " ") == ""
