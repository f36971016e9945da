"""Globs that name one path, and JSON without a document."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indexing.catalog.erasure import FORGOTTEN, without
from pipeline.globs import exact_glob
from sources.filters import PathFilter

AWKWARD = "аbя/ .*?[]!#\\\"'{}^$()+|-"
# No source has a path with an empty part, or one that means a folder.
paths = st.text(st.sampled_from(AWKWARD), min_size=1, max_size=12).filter(
    lambda path: not {"", ".", ".."} & set(path.split("/"))
)


@given(path=paths, other=paths)
def test_a_glob_excludes_its_path_and_no_other(path: str, other: str) -> None:
    assume(not other.startswith(f"{path}/") and other != path)
    chosen = PathFilter(exclude=[exact_glob(path)])
    assert not chosen.selects(path)
    assert chosen.selects(other)
    assert chosen.selects(f"folder/{path}")


@pytest.mark.parametrize("path", ["дело №7 [копия].md", "a\nb.md", "a\t", "#1.md", "!a.md", "a ", "\\*"])
def test_odd_names_are_excluded(path: str) -> None:
    assert not PathFilter(exclude=[exact_glob(path)]).selects(path)


json_values = st.recursive(
    st.none() | st.integers() | st.sampled_from(["a.md", "schema.md", "'a.md' is lost", "text"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["document", "text", "hits"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(value=json_values)
def test_no_object_and_no_text_names_the_document_any_more(value: Any) -> None:
    def is_own(item: Any) -> bool:
        return isinstance(item, dict) and item.get("document") == "a.md"

    clean = without(value, is_own, ["a.md"])
    assert "a.md'" not in repr(clean).replace("schema.md'", "")
    assert without(clean, is_own, ["a.md"]) == clean
    if "a.md" not in repr(value).replace("schema.md", ""):
        assert clean == value


def test_what_is_about_others_stays() -> None:
    value = {
        "questions": [{"document": "a.md", "text": "x"}, {"document": "schema.md", "hits": [1, 2]}],
        "reason": "'a.md' was not found beside 'schema.md'.",
    }
    assert without(
        value, lambda item: isinstance(item, dict) and item.get("document") == "a.md", ["a.md"]
    ) == {
        "questions": [{"document": "schema.md", "hits": [1, 2]}],
        "reason": f"{FORGOTTEN} was not found beside 'schema.md'.",
    }
