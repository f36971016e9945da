"""Globs of single documents survive others that replace what a source leaves out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.globs import exact_glob, is_exact, new_exclude, new_include, told_changes
from rubrica.model import SourceSpec
from sources.filters import PathFilter

names = st.text(st.sampled_from("аb .*?[]!#\\\\\n'"), min_size=1, max_size=8).filter(
    lambda name: name not in {".", ".."}
)


@given(path=st.lists(names, min_size=1, max_size=3).map("/".join))
def test_what_names_one_path_is_seen(path: str) -> None:
    assert is_exact(exact_glob(path))


@pytest.mark.parametrize("glob", ["*.md", "a.md", "docs/", "/docs/", "/docs/*.md", "/[a].md", "!/a.md", "/"])
def test_what_names_many_is_not(glob: str) -> None:
    assert not is_exact(glob)


@pytest.mark.parametrize(
    ("stored", "given", "expected"),
    [
        (["/secret.txt", "old/"], [], ["/secret.txt", "old/"]),
        (["/secret.txt", "old/"], ["drafts/"], ["drafts/", "/secret.txt"]),
        (["/secret.txt", "old/"], [""], ["/secret.txt"]),
        (["/secret.txt", "/b.txt"], ["/b.txt", "/c.txt"], ["/b.txt", "/c.txt", "/secret.txt"]),
        (["/secret.txt", "/b.txt"], ["!/secret.txt"], ["!/secret.txt", "/b.txt"]),
        ([], ["", "drafts/"], ["drafts/"]),
    ],
)
def test_only_what_is_named_takes_a_single_document_back(
    stored: list[str], given: list[str], expected: list[str]
) -> None:
    assert list(new_exclude(stored, given)) == expected


def test_no_other_glob_takes_a_single_document_back() -> None:
    globs = new_exclude(["/a.md"], ["!*.md", "!/*.md"])
    assert not PathFilter(exclude=globs).selects("a.md")


def test_what_is_taken_is_replaced() -> None:
    assert new_include(["*.md"], []) == ("*.md",)
    assert new_include(["*.md"], ["*.txt"]) == ("*.txt",)
    assert new_include(["*.md"], [""]) == ()


def test_people_are_told_what_was_replaced_and_what_stays() -> None:
    before = SourceSpec("norms", "git", "x", include=("*.md",), exclude=("old/", "/a.md"))
    after = SourceSpec("norms", "git", "x", include=("*.txt",), exclude=("drafts/", "/a.md"))
    assert list(told_changes(before, after)) == [
        "The source 'norms' no longer asks for *.md.",
        "The source 'norms' no longer leaves out old/.",
        "The source 'norms' still leaves out /a.md; --exclude '!/a.md' takes it back.",
    ]
    assert list(told_changes(before, before)) == []
