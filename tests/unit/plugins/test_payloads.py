"""Payloads of pushes, as the hosts document them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rubrica_airflow.webhooks.payloads import BranchPush, PayloadError, Push, event_of, read_push
from rubrica_airflow.webhooks.signatures import Provider

SHA, ZEROS = "a" * 40, "0" * 40

GITHUB = {
    "ref": "refs/heads/main",
    "before": ZEROS,
    "after": SHA,
    "repository": {
        "clone_url": "https://github.com/acme/norms.git",
        "ssh_url": "git@github.com:acme/norms.git",
        "git_url": "git://github.com/acme/norms.git",
        "html_url": "https://github.com/acme/norms",
        "default_branch": "main",
        "created_at": 1,
    },
    "commits": [{"id": SHA}],
}
GITLAB = {
    "object_kind": "push",
    "ref": "refs/heads/main",
    "after": SHA,
    "checkout_sha": SHA,
    "project": {
        "web_url": "https://gitlab.example.org/acme/norms",
        "git_ssh_url": "git@gitlab.example.org:acme/norms.git",
        "git_http_url": "https://gitlab.example.org/acme/norms.git",
        "default_branch": "main",
    },
}
CLOUD = {
    "repository": {
        "full_name": "acme/norms",
        "links": {"html": {"href": "https://bitbucket.org/acme/norms"}, "avatar": {"href": "https://x/y"}},
        "project": {"key": "NORMS"},
    },
    "push": {
        "changes": [
            {"new": {"type": "branch", "name": "main", "target": {"hash": SHA}}, "old": None},
            {"new": None, "old": {"type": "branch", "name": "gone"}},
            {"new": {"type": "tag", "name": "v1", "target": {"hash": SHA}}},
        ]
    },
}
DATA_CENTER = {
    "eventKey": "repo:refs_changed",
    "repository": {
        "slug": "norms",
        "project": {"key": "ACME"},
        "links": {
            "clone": [{"href": "ssh://git@bb.example.org:7999/acme/norms.git", "name": "ssh"}],
            "self": [{"href": "https://bb.example.org/projects/ACME/repos/norms/browse"}],
        },
    },
    "changes": [
        {"ref": {"id": "refs/heads/main", "type": "BRANCH"}, "toHash": SHA, "type": "UPDATE"},
        {"ref": {"id": "refs/heads/gone", "type": "BRANCH"}, "toHash": ZEROS, "type": "DELETE"},
        {"ref": {"id": "refs/tags/v1", "type": "TAG"}, "toHash": SHA, "type": "ADD"},
    ],
}


def _read(provider: Provider, payload: Any) -> Push:
    return read_push(provider, json.dumps(payload).encode())


@pytest.mark.parametrize(
    ("provider", "payload", "addresses", "default"),
    [
        (Provider.GITHUB, GITHUB, 4, "main"),
        (Provider.GITEA, GITHUB, 4, "main"),
        (Provider.GITLAB, GITLAB, 3, "main"),
        (Provider.BITBUCKET, CLOUD, 1, ""),
        (Provider.BITBUCKET, DATA_CENTER, 2, ""),
    ],
)
def test_the_moved_branch_is_read(
    provider: Provider, payload: dict[str, Any], addresses: int, default: str
) -> None:
    push = _read(provider, payload)
    assert push.branches == (BranchPush("main", SHA),)
    assert (len(push.addresses), push.default_branch) == (addresses, default)
    assert all("norms" in address for address in push.addresses)


@pytest.mark.parametrize(
    "change",
    [
        {"ref": "refs/tags/v1"},
        {"after": ZEROS},
        {"ref": "refs/heads/x", "after": "HEAD"},
        {"after": "a" * 39},
    ],
)
@pytest.mark.parametrize(("provider", "payload"), [(Provider.GITHUB, GITHUB), (Provider.GITLAB, GITLAB)])
def test_tags_deletions_and_what_is_no_commit_move_no_branch(
    provider: Provider, payload: dict[str, Any], change: dict[str, Any]
) -> None:
    assert _read(provider, payload | change).branches == ()


def test_a_system_hook_of_gitlab_is_a_push_only_where_it_says_so() -> None:
    created = {"event_name": "project_create", "path_with_namespace": "acme/norms"}
    assert _read(Provider.GITLAB, created).branches == ()
    pushed = GITLAB | {"event_name": "push", "object_kind": "push"}
    assert _read(Provider.GITLAB, pushed).branches == (BranchPush("main", SHA),)


@pytest.mark.parametrize(
    ("provider", "headers", "event"),
    [
        (Provider.GITHUB, {"x-github-event": "ping"}, "ping"),
        (Provider.BITBUCKET, {"x-event-key": "diagnostics:ping"}, "ping"),
        (Provider.GITEA, {"x-gitea-event": "push", "x-github-event": "ping"}, "push"),
        (Provider.GITLAB, {"x-gitlab-event": "Push Hook"}, "push"),
        (Provider.GITHUB, {"x-github-event": "issues"}, "issues"),
        (Provider.GITHUB, {}, "an event without a name"),
    ],
)
def test_events(provider: Provider, headers: dict[str, str], event: str) -> None:
    assert event_of(provider, headers) == event


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"\xff\xfe", b'{"ref": 1}', b"[" * 100_000, b'{"ref": "\\ud800"}']
)
@pytest.mark.parametrize("provider", Provider)
def test_what_is_no_push_is_said_to_be_none(provider: Provider, body: bytes) -> None:
    if provider is Provider.GITLAB and body == b'{"ref": 1}':
        body = b'{"project": 1}'
    with pytest.raises(PayloadError):
        read_push(provider, body)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["ref", "after", "repository", "project", "push", "changes", "new", "links", "slug"]
            ),
            inner,
            max_size=4,
        )
    ),
)


@given(provider=st.sampled_from(Provider), payload=_JSON)
def test_any_json_is_read_or_refused(provider: Provider, payload: Any) -> None:
    try:
        push = _read(provider, payload)
    except PayloadError:
        return
    assert all(len(branch.revision) == 40 for branch in push.branches)
