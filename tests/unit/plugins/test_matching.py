"""Which sources a push is about."""

from __future__ import annotations

from rubrica_airflow.webhooks.keys import COMMON, Keys, those_that_listen
from rubrica_airflow.webhooks.matching import changes, of_name, of_repository
from rubrica_airflow.webhooks.payloads import BranchPush, Push

from pipeline.commits.known import Watched
from pipeline.commits.model import Change
from rubrica.model import SourceSpec

OLD, NEW = "a" * 40, "b" * 40


def _watched(name: str, location: str, branch: str = "", secret: str = "", kind: str = "git") -> Watched:
    return Watched(SourceSpec(name, kind, location, branch), secret)


MAIN = _watched("main", "https://Git.example.org/acme/norms.git")
DRAFT = _watched("draft", "git@git.example.org:acme/norms", "draft")
OTHER = _watched("other", "https://git.example.org/acme/letters.git")
FOLDER = _watched("folder", "/srv/norms", kind="folder")
ALL = (MAIN, DRAFT, OTHER, FOLDER)


def _push(*branches: tuple[str, str], default: str = "main") -> Push:
    addresses = ("https://git.example.org/acme/norms", "not an address")
    return Push(addresses, default, tuple(BranchPush(*branch) for branch in branches))


def test_sources_of_one_repository_are_found_whatever_their_address() -> None:
    assert of_repository(ALL, _push()) == [MAIN, DRAFT]
    assert of_repository(ALL, Push((), "main", ())) == []


def test_a_name_finds_a_repository_only() -> None:
    assert of_name(ALL, "main") == [MAIN]
    assert of_name(ALL, "folder") == []
    assert of_name((_watched("site", "https://h/sitemap.xml", kind="http"),), "site") == []


def test_each_source_hears_of_its_own_branch_only() -> None:
    push = _push(("main", OLD), ("draft", NEW), ("other", NEW))
    assert changes((MAIN, DRAFT), push) == [(MAIN, Change("main", OLD)), (DRAFT, Change("draft", NEW))]
    assert changes((MAIN,), _push(("draft", NEW))) == []
    assert changes((MAIN,), _push(("trunk", NEW), default="")) == [(MAIN, Change("main", NEW))]
    assert changes((MAIN,), _push(("main", OLD), ("main", NEW))) == [(MAIN, Change("main", NEW))]


def test_a_secret_opens_its_own_sources_only() -> None:
    own = _watched("own", "https://git.example.org/acme/norms", secret="OWN")
    keys = Keys({COMMON: ("old", "new"), "OWN": ("mine",)})
    assert keys.proven(lambda secret: secret == "new") == {COMMON}
    assert keys.proven(lambda secret: secret == "mine") == {"OWN"}
    assert keys.proven(lambda _: False) == frozenset()
    assert those_that_listen((MAIN, own), frozenset({COMMON})) == [MAIN]
    assert those_that_listen((MAIN, own), frozenset({"OWN"})) == [own]
