from __future__ import annotations

import re
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.http.paths import document_path, is_folder, target_of

SEGMENT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
RAW = st.text(st.sampled_from("aя.%2Ff0D1A?/#+ &=\\\x00\x7f\u202e~"), max_size=24)


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/a/%D1%82%20(1).pdf", "a/т (1).pdf"),
        ("/a/%d1%82%20%281%29.pdf", "a/т (1).pdf"),
        ("/a%2Fb%00%25%3F%23%5C+%2B", "a%2Fb%00%25%3F%23%5C+%2B"),
        ("/100%.md", "100%25.md"),
        ("/notes.md?v=2.1", "notes?v=2%2E1.md"),
        ("/page?id=1&q=%D1%8F%26", "page?id=1&q=я%26"),
        ("/a?x=../../etc", "a?x=%2E%2E%2F%2E%2E%2Fetc"),
        ("/", "index.html"),
        ("/docs/", "docs/index.html"),
        ("/search/?q=1", "search/index?q=1.html"),
        ("/\u202egpj.exe", "%E2%80%AEgpj.exe"),
        ("/%ff%FE.md", "%FF%FE.md"),
    ],
)
def test_addresses_and_paths(target: str, path: str) -> None:
    assert document_path(target) == path
    assert document_path(target_of(path, is_folder=is_folder(target))) == path


@pytest.mark.parametrize(
    "target",
    ["/../a", "/a/../b", "/a/./b", "/a/%2e%2e/b", "/%2E", "/a//b", "//a", "/" + "x" * 3000, "/..", "/a/.."],
)
def test_addresses_that_are_no_documents(target: str) -> None:
    assert document_path(target) is None


@given(RAW, RAW)
def test_a_path_is_safe_and_leads_back(path: str, query: str) -> None:
    target = f"/{path.replace('?', '')}" + (f"?{query}" if query else "")
    found = document_path(target)
    if found is None:
        return
    assert {"", ".", ".."}.isdisjoint(found.split("/"))
    assert found.isprintable()
    assert "\\" not in found
    back = target_of(found, is_folder=is_folder(target))
    assert back.startswith("/")
    assert not back.startswith("//")
    assert back.isascii()
    assert re.fullmatch(r"[!-~]+", back)
    assert document_path(back) == found


@given(st.lists(SEGMENT, min_size=1, max_size=4))
def test_the_way_back_is_the_same_address(segments: list[str]) -> None:
    target = "/" + "/".join(quote(segment, safe="") for segment in segments)
    found = document_path(target)
    if found is not None:
        assert unquote(target_of(found)) == unquote(target)


@given(st.lists(SEGMENT, min_size=1, max_size=3), st.lists(SEGMENT, min_size=1, max_size=3))
def test_two_addresses_never_share_a_path(first: list[str], second: list[str]) -> None:
    one, two = ("/" + "/".join(quote(part, safe="") for part in parts) for parts in (first, second))
    found = document_path(one)
    if found is not None and one != two:
        assert found != document_path(two)


@given(RAW, RAW)
def test_queries_are_told_apart(first: str, second: str) -> None:
    one, two = document_path(f"/a.md?{first}x"), document_path(f"/a.md?{second}x")
    if unquote(first) != unquote(second):
        assert one != two
