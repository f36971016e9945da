"""Who may speak: the signatures of git hosts, checked in constant time over the bytes that were received.

- GitHub: https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
- GitLab: https://docs.gitlab.com/user/project/integrations/webhooks/ (a token, or a signature in the form of
  https://www.standardwebhooks.com)
- Gitea, Forgejo: https://docs.gitea.com/usage/webhooks
- Bitbucket: https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

_TOLERANCE_S = 300.0
"""How far a signed time may be from ours, as Standard Webhooks proposes."""

_KEY_PREFIX = "whsec_"


class Provider(StrEnum):
    """A kind of git host; Forgejo speaks as Gitea does."""

    GITHUB = "github"
    GITLAB = "gitlab"
    GITEA = "gitea"
    BITBUCKET = "bitbucket"


@dataclass(frozen=True, slots=True)
class _HexSignature:
    header: str
    prefix: str = ""


_HEX = {
    Provider.GITHUB: _HexSignature("x-hub-signature-256", "sha256="),
    Provider.GITEA: _HexSignature("x-gitea-signature"),
    Provider.BITBUCKET: _HexSignature("x-hub-signature", "sha256="),
}
_TOKEN = "x-gitlab-token"  # noqa: S105 (the name of a header)
_STANDARD = "webhook-signature"


def is_signed(provider: Provider, headers: Mapping[str, str]) -> bool:
    """Whether there is anything to check; a body is not even read where there is not.

    Args:
        provider: Who is said to send it.
        headers: By name in small letters.
    """
    names = (_STANDARD, _TOKEN) if provider is Provider.GITLAB else (_HEX[provider].header,)
    return any(headers.get(name) for name in names)


def holds(provider: Provider, headers: Mapping[str, str], body: bytes, secret: str, *, now: float) -> bool:
    """Whether whoever sent this knows the secret.

    Args:
        provider: Who is said to send it.
        headers: By name in small letters.
        body: As it was received.
        secret: What the host and we share.
        now: Seconds since 1970, for signatures that carry a time.
    """
    if not secret:
        return False
    if provider is not Provider.GITLAB:
        form = _HEX[provider]
        expected = form.prefix + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        return _equal(headers.get(form.header, "").lower(), expected)
    if _STANDARD in headers:  # a bad signature is not made good by a token
        return _holds_standard(headers, body, secret, now)
    return _equal(headers.get(_TOKEN, ""), secret)


def _holds_standard(headers: Mapping[str, str], body: bytes, secret: str, now: float) -> bool:
    identity, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not identity or not sent.isdecimal() or abs(now - int(sent[:12])) > _TOLERANCE_S:
        return False
    signed = _sent(f"{identity}.{sent}.") + body
    expected = "v1," + base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest()).decode()
    # All are compared, so that the time says nothing about which one is near.
    return sum(_equal(given, expected) for given in headers[_STANDARD].split()[:8]) > 0


def _key(secret: str) -> bytes:
    """The key of a signing token: what follows ``whsec_`` is base64."""
    if not secret.startswith(_KEY_PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(_KEY_PREFIX), validate=True)
    except binascii.Error:
        return secret.encode()


def _equal(given: str, expected: str) -> bool:
    return hmac.compare_digest(_sent(given), expected.encode())


def _sent(header: str) -> bytes:
    """The bytes of a header, which are read as Latin-1."""
    return header.encode("latin-1", "replace")
