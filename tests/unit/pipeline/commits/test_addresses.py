"""Addresses of one repository, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.commits.addresses import repository_key

SAME = [
    [
        "https://git.example.org/acme/norms.git",
        "https://user:token@GIT.example.org/Acme/norms",
        "https://git.example.org:8443/acme/norms/",
        "http://git.example.org/acme/norms.git/",
        "ssh://git@git.example.org:2222/acme/norms.git",
        "git://git.example.org/acme/norms",
        "git@git.example.org:acme/norms.git",
        "git.example.org:/acme/norms",
        "https://git.example.org/scm/acme/norms.git",
    ],
    ["/srv/git/norms.git", "/srv/git/norms", "file:///srv/git/norms.git", "/srv/git/../git/norms/"],
    ["/srv/нормы.git", "file:///srv/%D0%BD%D0%BE%D1%80%D0%BC%D1%8B.git"],
    ["git@[2001:db8::1]:norms.git", "ssh://git@[2001:db8::1]/norms"],
]


@pytest.mark.parametrize("addresses", SAME)
def test_addresses_of_one_repository_share_a_key(addresses: list[str]) -> None:
    [key] = {repository_key(address) for address in addresses}
    assert key


def test_other_repositories_have_other_keys() -> None:
    keys = [repository_key(addresses[0]) for addresses in SAME]
    keys += [
        repository_key("https://git.example.org/acme/norms2"),
        repository_key("https://example.org/acme/norms"),
    ]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    "text", ["", "norms", "/", "https://", "https:///x", "http://[bad/x", "file:///", "a b:c d"]
)
def test_what_is_no_address_has_no_key(text: str) -> None:
    assert repository_key(text) == ""


@given(st.text(max_size=60))
def test_nothing_breaks_it(text: str) -> None:
    assert isinstance(repository_key(text), str)
