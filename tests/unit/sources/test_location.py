from __future__ import annotations

import base64

import pytest

from rubrica.errors import ConfigurationError
from rubrica.model import SourceSpec
from sources.location import check_site, check_storage, is_sitemap, parse_remote, shown_location, with_login

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
        ("git", "https://u:pa/hush@host.example/x", "https://***@host.example/x"),
        ("http", "https://u:pa/hush@host.example/x", "https://***@host.example/x"),
    ],
)
def test_a_shown_location_carries_no_login(kind: str, location: str, shown: str) -> None:
    assert shown_location(SourceSpec("norms", kind, location)) == shown


@pytest.mark.parametrize(
    ("kind", "location", "shown"),
    [
        ("http", "https://host/sitemap.xml?token=abc#f", "https://host/sitemap.xml"),
        ("storage", "sftp://anna@host/x", "sftp://host/x"),
        ("storage", "s3://bucket/нормы", "s3://bucket/нормы"),
        ("folder", "/srv/что? #1", "/srv/что? #1"),
    ],
)
def test_what_is_shown_of_other_kinds(kind: str, location: str, shown: str) -> None:
    assert shown_location(SourceSpec("norms", kind, location)) == shown


@pytest.mark.parametrize(
    "location",
    [
        "https://",
        "ftp://host/",
        "https://u:hunter2@host/",
        "https://[::1",
        "https://h:port/",
        " https://h/",
        "h",
    ],
)
def test_addresses_that_are_no_site(location: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_site(location)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "location",
    [
        "s3://",
        "s3:///",
        "bucket",
        "nope://x",
        "https://h/x",
        "a::s3://b",
        "sftp://u:hunter2@h/x",
        "s3://b/\n",
    ],
)
def test_addresses_that_are_no_storage(location: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_storage(location)
    assert "hunter2" not in str(caught.value)


def test_a_login_is_put_into_an_address() -> None:
    assert (
        with_login("https://h:1/x", "анна@h:p:w/1") == "https://%D0%B0%D0%BD%D0%BD%D0%B0%40h:p%3Aw%2F1@h:1/x"
    )
    assert with_login("https://h/x", "t0ken") == "https://x-access-token:t0ken@h/x"
    for location in ("ssh://h/x", "git@h:x", "/srv/x", "https://anna@h/x"):
        with pytest.raises(ConfigurationError, match="auth_env"):
            with_login(location, "t0ken")


def test_sitemaps_are_told_by_their_looks() -> None:
    assert is_sitemap("https://h/sitemap.xml")
    assert is_sitemap("HTTP://h/a/Sitemap.XML.gz?x=1")
    assert not is_sitemap("https://h/norms.git")
    assert not is_sitemap("https://h/files/")
    assert not is_sitemap("s3://h/sitemap.xml")
