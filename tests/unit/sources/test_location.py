from __future__ import annotations

import base64

import pytest

from rubrica.errors import ConfigurationError
from rubrica.model import SourceSpec
from sources.location import parse_remote, shown_location

HOSTILE = [
    "--upload-pack=touch canary",
    "-oProxyCommand=touch canary:repo",
    "ext::sh -c touch% canary",
    "ext::sh -c 'touch canary' http://host/x",
    "fd::3/x",
    "persistent-https://host/x",
    "ftp://host/x",
    "javascript://host/x",
    "ssh://-oProxyCommand=touch/x",
    "ssh://-oProxyCommand@host/x",
    "ssh://user:pass@host/x",
    "https://host/x\nhost: evil",
    "https://host/\x00",
    "https:///x",
    "https://user:sec/ret@host/x",
    "https://[::1/x",
    " https://host/x",
    "relative/path",
    "",
]


@pytest.mark.parametrize("location", HOSTILE)
def test_hostile_addresses_are_refused(location: str) -> None:
    with pytest.raises(ConfigurationError):
        parse_remote(location)


@pytest.mark.parametrize(
    "location", ["https://user:sec/ret@host/x", "ssh://user:sec@host/x", "ftp://u:sec@host/"]
)
def test_an_address_that_is_refused_keeps_its_password_to_itself(location: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_remote(location)
    assert "sec" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "location",
    [
        "https://host.example/группа/нормы.git",
        "ssh://git@host.example:2222/x.git",
        "git@host.example:group/x.git",
        "host:x",
        "[::1]:x",
        "git://host/x",
        "file:///srv/x",
        "/srv/a b/x",
    ],
)
def test_ordinary_addresses_are_given_to_git_as_they_are(location: str) -> None:
    assert parse_remote(location).url == location


def test_a_password_goes_into_a_header_for_its_host_only() -> None:
    remote = parse_remote("https://anna:p%40ss@host.example:8443/x.git?token=abc#f")
    ((key, value),) = remote.secrets
    assert key == "http.https://host.example:8443/.extraHeader"
    assert base64.b64decode(value.removeprefix("Authorization: Basic ")).decode() == "anna:p@ss"
    assert remote.url == "https://host.example:8443/x.git?token=abc#f"
    assert remote.shown == "https://host.example:8443/x.git"
    assert value not in repr(remote)


def test_a_name_without_a_password_is_left_to_the_credential_helper() -> None:
    remote = parse_remote("https://token-like-name@host.example/x.git")
    assert remote.secrets == (("credential.https://host.example/.username", "token-like-name"),)
    assert "token-like-name" not in remote.url + remote.shown


def test_text_of_git_is_redacted() -> None:
    remote = parse_remote("https://host.example/x.git?token=abc")
    text = remote.redact("unable to access 'https://host.example/x.git?token=abc/': via http://u:p@proxy")
    assert text == "unable to access 'https://host.example/x.git/': via http://proxy"


def test_the_key_survives_a_new_password_and_a_dropped_suffix() -> None:
    addresses = ["https://a:1@h/x.git", "https://b:2@h/x", "https://h/x/"]
    assert len({parse_remote(address).key for address in addresses}) == 1
    assert parse_remote("https://h/y").key != parse_remote("https://h/x").key


@pytest.mark.parametrize(
    ("kind", "location", "shown"),
    [
        ("git", "https://me:hush@host.example/norms.git", "https://host.example/norms.git"),
        ("git", "https://hush@host.example/norms.git", "https://host.example/norms.git"),
        ("folder", "/srv/нормы", "/srv/нормы"),
    ],
)
def test_a_shown_location_carries_no_login(kind: str, location: str, shown: str) -> None:
    assert shown_location(SourceSpec("norms", kind, location)) == shown
