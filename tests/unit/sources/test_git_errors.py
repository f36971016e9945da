"""Messages of real servers and of git's own, word for word."""

from __future__ import annotations

import pytest

from rubrica.errors import RubricaError, SourceError, SourceUnavailableError
from sources.git_errors import BrokenMirrorError, explain
from sources.location import parse_remote

REMOTE = parse_remote("https://host.example/norms.git")


@pytest.mark.parametrize(
    ("message", "kind", "words"),
    [
        ("fatal: couldn't find remote ref refs/heads/x", SourceError, "has no branch x"),
        ("fatal: remote error: upload-pack: not our ref 1234", SourceError, "has no branch x"),
        (
            "remote: Repository not found.\nfatal: repository 'https://h/x/' not found",
            SourceError,
            "no git repository",
        ),
        (
            "ERROR: Repository not found.\nfatal: Could not read from remote repository.",
            SourceError,
            "no git",
        ),
        ("fatal: '/x' does not appear to be a git repository\nfatal: Could not read", SourceError, "no git"),
        (
            "remote: HTTP Basic: Access denied\nfatal: Authentication failed for 'https://h/'",
            SourceError,
            "refuses access",
        ),
        (
            "fatal: could not read Username for 'https://h': terminal prompts disabled",
            SourceError,
            "refuses access",
        ),
        (
            "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.",
            SourceError,
            "refuses access",
        ),
        (
            "Host key verification failed.\nfatal: Could not read from remote repository.",
            SourceError,
            "host key",
        ),
        (
            "fatal: unable to access 'https://h/': SSL certificate problem: self-signed certificate",
            SourceError,
            "certificate",
        ),
        (
            "fatal: unable to access 'https://h/': Could not resolve host: h",
            SourceUnavailableError,
            "not answer",
        ),
        (
            "fatal: unable to access 'https://h/': The requested URL returned error: 503",
            SourceUnavailableError,
            "out of order",
        ),
        (
            "ssh: connect to host h port 22: Connection timed out\nfatal: Could not read from remote.",
            SourceUnavailableError,
            "does not answer",
        ),
        (
            "error: RPC failed; curl 92 HTTP/2 stream 0 was not closed cleanly\nfatal: early EOF",
            SourceUnavailableError,
            "does not answer",
        ),
        ("fatal: write error: No space left on device", SourceUnavailableError, "disk is full"),
        ("fatal: bad object refs/rubrica/1", BrokenMirrorError, "mirror of"),
        ("fatal: Unable to create '/m/shallow.lock': File exists.", BrokenMirrorError, "mirror of"),
        ("fatal: not a git repository: '/m'", BrokenMirrorError, "mirror of"),
        ("", BrokenMirrorError, "no message"),
    ],
)
def test_meaning(message: str, kind: type[RubricaError], words: str) -> None:
    error = explain(message, REMOTE, "branch x")
    assert type(error) is kind
    assert words in error.reason
    assert error.hint


def test_an_address_is_not_read_as_a_message() -> None:
    remote = parse_remote("https://host.example/access denied certificate")
    error = explain(f"fatal: unable to access '{remote.url}/': Failed to connect", remote, "HEAD")
    assert type(error) is SourceUnavailableError


def test_a_hostile_message_is_tamed() -> None:
    message = (
        "remote: \x1b[31mpay up\x07\x00 " + "x" * 5000 + "\nfatal: \x1b]0;title\x07 early EOF https://u:pw@h/"
    )
    error = explain(message, REMOTE, "HEAD")
    assert error.reason.isprintable()
    assert len(error.reason) < 500
    assert "pw" not in error.reason


def test_what_ssh_said_first_is_told() -> None:
    cause = "ssh: Could not resolve hostname nohost.example: Name or service not known"
    message = f"{cause}\nfatal: Could not read from remote repository.\n\nPlease make sure you have access."
    assert cause in str(explain(message, REMOTE, "x"))
