"""Signatures of git hosts: their own examples, and everything that is not quite one."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rubrica_airflow.webhooks.signatures import Provider, holds, is_signed

BODY = b"Hello, World!"
SECRET = "It's a Secret to Everybody"
NOW = 1_700_000_000.0
# From GitHub's documentation: "Testing the webhook payload validation".
EXPECTED = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"

HEX = {
    Provider.GITHUB: ("x-hub-signature-256", "sha256="),
    Provider.GITEA: ("x-gitea-signature", ""),
    Provider.BITBUCKET: ("x-hub-signature", "sha256="),
}


def _standard(secret: str, body: bytes, when: float = NOW, key: bytes | None = None) -> dict[str, str]:
    signed = f"msg_1.{int(when)}.".encode() + body
    digest = hmac.new(key or secret.encode(), signed, hashlib.sha256).digest()
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(when)),
        "webhook-signature": f"v1a,else v1,{base64.b64encode(digest).decode()}",
    }


@pytest.mark.parametrize(("provider", "form"), HEX.items())
def test_the_example_of_github_holds_in_each_hosts_form(provider: Provider, form: tuple[str, str]) -> None:
    header, prefix = form
    headers = {header: prefix + EXPECTED}
    assert is_signed(provider, headers)
    assert holds(provider, headers, BODY, SECRET, now=NOW)
    assert holds(provider, {header: prefix + EXPECTED.upper()}, BODY, SECRET, now=NOW)
    for others, body, secret in (
        (headers, BODY + b" ", SECRET),
        (headers, BODY, SECRET + " "),
        (headers, BODY, ""),
        ({header: prefix + EXPECTED[:-1]}, BODY, SECRET),
        ({header: prefix}, BODY, SECRET),
        ({header: "sha1=" + EXPECTED}, BODY, SECRET),
        ({"x-other": prefix + EXPECTED}, BODY, SECRET),
        ({}, BODY, SECRET),
    ):
        assert not holds(provider, others, body, secret, now=NOW)


def test_gitlabs_token_is_the_secret_itself() -> None:
    received = "ключ".encode().decode("latin-1")
    assert holds(Provider.GITLAB, {"x-gitlab-token": received}, BODY, "ключ", now=NOW)
    assert not holds(Provider.GITLAB, {"x-gitlab-token": f"{received} "}, BODY, "ключ", now=NOW)
    assert not holds(Provider.GITLAB, {"x-gitlab-token": "ключ"}, BODY, "ключ", now=NOW)
    assert not holds(Provider.GITLAB, {"x-gitlab-token": ""}, BODY, "", now=NOW)
    assert not is_signed(Provider.GITLAB, {"x-gitlab-token": ""})


def test_gitlabs_signature_holds_for_five_minutes() -> None:
    headers = _standard(SECRET, BODY)
    assert is_signed(Provider.GITLAB, headers)
    assert holds(Provider.GITLAB, headers, BODY, SECRET, now=NOW + 299)
    assert not holds(Provider.GITLAB, headers, BODY, SECRET, now=NOW + 301)
    assert not holds(Provider.GITLAB, headers, BODY, SECRET, now=NOW - 301)
    assert not holds(Provider.GITLAB, headers | {"webhook-id": "msg_2"}, BODY, SECRET, now=NOW)
    assert not holds(Provider.GITLAB, headers | {"webhook-timestamp": "soon"}, BODY, SECRET, now=NOW)
    token = "whsec_" + base64.b64encode(b"0123456789").decode()
    assert holds(Provider.GITLAB, _standard("", BODY, key=b"0123456789"), BODY, token, now=NOW)


def test_a_token_does_not_make_a_bad_signature_good() -> None:
    headers = _standard("guessed", BODY) | {"x-gitlab-token": SECRET}
    assert not holds(Provider.GITLAB, headers, BODY, SECRET, now=NOW)


@given(
    provider=st.sampled_from(Provider),
    value=st.text(max_size=80),
    body=st.binary(max_size=50),
    secret=st.text(max_size=20),
)
def test_no_header_breaks_the_check_and_none_holds_by_chance(
    provider: Provider, value: str, body: bytes, secret: str
) -> None:
    names = ("x-hub-signature-256", "x-hub-signature", "x-gitea-signature", "webhook-signature")
    headers = dict.fromkeys((*names, "webhook-id", "webhook-timestamp"), value)
    assert not holds(provider, headers, body, secret, now=NOW)
