from __future__ import annotations

import unicodedata
from typing import Literal

import pytest

from rubrica.errors import ConfigurationError
from sources.filters import PathFilter


@pytest.mark.parametrize(
    ("glob", "path", "taken"),
    [
        ("*.md", "README.md", True),
        ("*.md", "docs/глава 1/a.md", True),
        ("*.md", "a.MD", False),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/x/a.md", False),
        ("docs/*.md", "old/docs/a.md", False),
        ("/README.md", "docs/README.md", False),
        ("docs/", "docs/x/a.md", True),
        ("docs/", "old/docs/a.md", True),
        ("docs/**", "docs/x/y/a.md", True),
        ("docs/**", "old/docs/a.md", False),
        ("**/old/**", "a/old/b/c.md", True),
        ("норма?.md", "норма1.md", True),
        ("[аб].md", "в.md", False),
        ("\\#1.md", "#1.md", True),
        ("*.md", "new\nline/tab\t.md", True),
        ("docs/**", "docs/line\nbreak.txt", True),
        ("*.md", "a.md\n", False),
    ],
)
def test_globs_follow_gitignore(glob: str, path: str, taken: bool) -> None:
    assert PathFilter([glob]).selects(path) is taken
    assert PathFilter((), [glob]).selects(path) is not taken


def test_exclude_is_applied_after_include() -> None:
    chosen = PathFilter(["docs/**"], ["*.draft.md", "!keep.draft.md"])
    assert chosen.selects("docs/a.md")
    assert not chosen.selects("docs/a.draft.md")
    assert chosen.selects("docs/keep.draft.md")
    assert not chosen.selects("keep.draft.md")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_composed_and_decomposed_letters_are_equal(form: Literal["NFC", "NFD"]) -> None:
    glob = unicodedata.normalize(form, "лёгкий/*.md")
    others: tuple[Literal["NFC"], Literal["NFD"]] = ("NFC", "NFD")
    for other in others:
        assert PathFilter([glob]).selects(unicodedata.normalize(other, "лёгкий/й.md"))


@pytest.mark.parametrize(
    "path", [".gitignore", "docs/.draft/a.md", ".github/workflows/ci.yml", "a/~$норма.docx"]
)
def test_hidden_and_lock_files_are_no_documents(path: str) -> None:
    assert PathFilter().reason_against(path)


@pytest.mark.parametrize("path", ["a.md", "docs/a.b/c.md", "a..md", "~a.md"])
def test_ordinary_names_are_documents(path: str) -> None:
    assert not PathFilter().reason_against(path)


def test_a_glob_that_names_the_dot_takes_hidden_files() -> None:
    chosen = PathFilter(["*.md", ".github/**"])
    assert not chosen.reason_against(".github/CONTRIBUTING.md")
    assert chosen.reason_against(".draft/a.md")


@pytest.mark.parametrize("glob", ["", "   ", "# comment", "/", "!", "[", "a\\", "[z-a]"])
@pytest.mark.parametrize("role", ["include", "exclude"])
def test_a_glob_that_cannot_match_is_refused(role: str, glob: str) -> None:
    with pytest.raises(ConfigurationError, match=role):
        PathFilter(**{role: [glob]})
