"""What git's messages mean to us."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rubrica.errors import RubricaError, SourceError, SourceUnavailableError
from sources.location import Remote

_LONGEST_MESSAGE = 300
_NOT_PRINTABLE = re.compile(r"[^\n -\uffff]|[\x7f-\x9f]")


class BrokenMirrorError(SourceUnavailableError):
    """Git failed for no reason that lies in the remote: the local mirror is to blame."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    pattern: re.Pattern[str]
    error: type[RubricaError]
    reason: str
    hint: str


def _meaning(pattern: str, error: type[RubricaError], reason: str, hint: str) -> _Meaning:
    return _Meaning(re.compile(pattern, re.IGNORECASE), error, reason, hint)


# The first that matches wins: git ends most messages with a general line ("Could not read from
# remote repository"), so the particular ones come first.
_MEANINGS = (
    _meaning(
        r"no space left on device|disk quota exceeded",
        SourceUnavailableError,
        "The disk is full; {shown} cannot be mirrored.",
        "Free space below RUBRICA_HOME.",
    ),
    _meaning(
        r"couldn't find remote ref|not our ref|unadvertised object",
        SourceError,
        "{shown} has no {ref}.",
        "Check the branch; an empty repository needs a first commit.",
    ),
    _meaning(
        r"transport '.*' not allowed|strange (?:hostname|pathname|port)",
        SourceError,
        "Git refuses the address {shown}.",
        "Use an https, ssh, git or file address.",
    ),
    _meaning(
        r"host key verification failed",
        SourceError,
        "The SSH host key of {shown} is not known or has changed.",
        "Connect once by hand, or add the key to known_hosts.",
    ),
    _meaning(
        r"certificate",
        SourceError,
        "The TLS certificate of {shown} was not accepted.",
        "Install its authority, or name it in GIT_SSL_CAINFO.",
    ),
    _meaning(
        r"authentication failed|could not read (?:username|password)|terminal prompts disabled"
        r"|permission denied \(|access denied|returned error: 40[13]|dubious ownership|not authorized",
        SourceError,
        "{shown} refuses access, or does not exist for this login.",
        "Give git a login: a credential helper, an SSH key or https://user:token@host/path.",
    ),
    _meaning(
        r"returned error: (?:429|5\d\d)",
        SourceUnavailableError,
        "The server of {shown} is out of order or too busy.",
        "Try again later.",
    ),
    _meaning(
        r"repository .*not found|not found: did you|returned error: 4(?:04|10)|does not exist"
        r"|does not appear to be a git repository|no such repository"
        r"|not valid: is this a git repository",
        SourceError,
        "There is no git repository at {shown}.",
        "Check the address.",
    ),
    _meaning(
        r"could not resolve|name or service not known|temporary failure in name resolution"
        r"|connection (?:refused|reset|closed|timed out)|timed out|failed to connect|couldn't connect"
        r"|network is unreachable|no route to host|unable to (?:access|connect)|early eof"
        r"|hung up|rpc failed|could not read from remote|remote error|protocol error|bad (?:line|pack) header"
        r"|expected .* packet|invalid index-pack output|kex_exchange",
        SourceUnavailableError,
        "{shown} does not answer: {message}",
        "Check the connection, then try again.",
    ),
)


def explain(message: str, remote: Remote, ref: str) -> RubricaError:
    """Turn what git printed into an error of ours.

    Args:
        message: Git's standard error.
        remote: The repository asked.
        ref: What was asked of it, in words.

    Returns:
        A ``SourceError``, a ``SourceUnavailableError``, or a ``BrokenMirrorError`` when nothing in
        the message speaks of the remote.
    """
    text = _last_words(remote.redact(message))
    told = message.replace(remote.url, "")  # an address may read like a message
    for meaning in _MEANINGS:
        if meaning.pattern.search(told):
            reason = meaning.reason.format(shown=remote.shown, ref=ref, message=text)
            return meaning.error(reason, hint=meaning.hint)
    reason = f"Git failed on the mirror of {remote.shown}: {text}"
    return BrokenMirrorError(reason, hint="Try again.")


def _last_words(message: str) -> str:
    """The last line that says what went wrong, without a hostile server's control characters."""
    lines = [line.strip() for line in _NOT_PRINTABLE.sub("", message).splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "remote:", "ssh:"))]
    last = (telling or lines or ["no message"])[-1]
    # What ssh said first is the cause; git only adds that it could not read.
    cause = next((line for line in lines if line.startswith("ssh: ")), "")
    return (cause or last)[:_LONGEST_MESSAGE].rstrip(".") + "."
