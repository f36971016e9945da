"""What a push tells: which repository, which branches, which commits.

Only what is needed is read; the rest of a payload may look as it likes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, Field, ValidationError

from rubrica_airflow.webhooks.signatures import Provider

_HEADS = "refs/heads/"
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_EVENT_HEADERS = {
    Provider.GITHUB: "x-github-event",
    Provider.GITLAB: "x-gitlab-event",
    Provider.GITEA: "x-gitea-event",
    Provider.BITBUCKET: "x-event-key",
}
_PINGS = frozenset({"ping", "diagnostics:ping"})
_PUSHES = frozenset({"push", "Push Hook", "System Hook", "repo:push", "repo:refs_changed"})


class PayloadError(Exception):
    """The body is not what the host says it is."""


@dataclass(frozen=True, slots=True)
class BranchPush:
    """A branch that moved.

    Attributes:
        branch: Its name.
        revision: The commit that it is at now.
    """

    branch: str
    revision: str


@dataclass(frozen=True, slots=True)
class Push:
    """A push to one repository.

    Attributes:
        addresses: Every address of the repository that the host names.
        default_branch: Its default branch; empty where the host does not say.
        branches: Branches that moved: none where only tags did, or where branches were deleted.
    """

    addresses: tuple[str, ...]
    default_branch: str
    branches: tuple[BranchPush, ...]


def event_of(provider: Provider, headers: Mapping[str, str]) -> str:
    """``ping``, ``push``, or the host's own name of an event that means nothing to us."""
    name = headers.get(_EVENT_HEADERS[provider], "")
    if name in _PINGS:
        return "ping"
    return "push" if name in _PUSHES else name[:100] or "an event without a name"


def read_push(provider: Provider, body: bytes) -> Push:
    """Read the payload of a push.

    Raises:
        PayloadError: It is no JSON, or not the payload of a push.
    """
    try:
        return _READERS[provider](body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PayloadError(f"{where}: {first['msg']}" if where else first["msg"]) from None


def _moved(reference: str, revision: str | None) -> Iterable[BranchPush]:
    if reference.startswith(_HEADS) and revision and _OBJECT_ID.fullmatch(revision) and revision.strip("0"):
        yield BranchPush(reference.removeprefix(_HEADS), revision)


def _addresses(*found: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(address for address in found if address))


# --- GitHub, Gitea, Forgejo ---------------------------------------------------------------------------


class _Repository(BaseModel):
    clone_url: str | None = None
    ssh_url: str | None = None
    git_url: str | None = None
    html_url: str | None = None
    default_branch: str | None = None


class _PlainPush(BaseModel):
    ref: str
    after: str
    repository: _Repository


def _plain(body: bytes) -> Push:
    push = _PlainPush.model_validate_json(body)
    at = push.repository
    return Push(
        _addresses(at.clone_url, at.ssh_url, at.git_url, at.html_url),
        at.default_branch or "",
        tuple(_moved(push.ref, push.after)),
    )


# --- GitLab -------------------------------------------------------------------------------------------


class _Project(BaseModel):
    git_http_url: str | None = None
    git_ssh_url: str | None = None
    web_url: str | None = None
    default_branch: str | None = None


class _GitlabPush(BaseModel):
    object_kind: str | None = None
    event_name: str | None = None
    ref: str = ""
    after: str | None = None
    project: _Project = Field(default_factory=_Project)


def _gitlab(body: bytes) -> Push:
    push = _GitlabPush.model_validate_json(body)
    at = push.project
    is_push = "push" in (push.object_kind, push.event_name)  # a system hook tells of much else
    return Push(
        _addresses(at.git_http_url, at.git_ssh_url, at.web_url),
        at.default_branch or "",
        tuple(_moved(push.ref, push.after)) if is_push else (),
    )


# --- Bitbucket: Cloud, and Data Center ----------------------------------------------------------------


class _Link(BaseModel):
    href: str | None = None


class _Target(BaseModel):
    hash: str | None = None


class _Moved(BaseModel):
    type: str | None = None
    name: str = ""
    target: _Target | None = None


class _Reference(BaseModel):
    id: str = ""


class _Change(BaseModel):
    new: _Moved | None = None
    ref: _Reference | None = None
    toHash: str | None = None  # noqa: N815 (their name)


class _Changes(BaseModel):
    changes: list[_Change] = Field(default_factory=list, max_length=1000)


class _OwnerProject(BaseModel):
    key: str | None = None


class _BitbucketRepository(BaseModel):
    links: dict[str, _Link | list[_Link]] = Field(default_factory=dict)
    mainbranch: _Moved | None = None
    slug: str | None = None
    project: _OwnerProject | None = None


class _BitbucketPush(BaseModel):
    repository: _BitbucketRepository
    push: _Changes = Field(default_factory=_Changes)
    changes: list[_Change] = Field(default_factory=list, max_length=1000)


def _bitbucket(body: bytes) -> Push:
    push = _BitbucketPush.model_validate_json(body)
    at = push.repository
    branches = [moved for change in (*push.push.changes, *push.changes) for moved in _bitbucket_moved(change)]
    main = at.mainbranch.name if at.mainbranch else ""
    return Push(_bitbucket_addresses(at), main, tuple(branches))


def _bitbucket_moved(change: _Change) -> Iterable[BranchPush]:
    if change.new and change.new.type in {"branch", "named_branch"}:
        target = change.new.target or _Target()
        yield from _moved(_HEADS + change.new.name, target.hash)
    if change.ref:
        yield from _moved(change.ref.id, change.toHash)


def _bitbucket_addresses(at: _BitbucketRepository) -> tuple[str, ...]:
    links = {
        name: [link.href for link in (value if isinstance(value, list) else [value]) if link.href]
        for name, value in at.links.items()
    }
    found = [*links.get("html", ()), *links.get("clone", ())]
    # Data Center names the page of the repository, not always where it is cloned from.
    if at.slug and at.project and at.project.key:
        for page in links.get("self", ()):
            base, mark, _ = page.partition("/projects/")
            found += [f"{base}/scm/{at.project.key}/{at.slug}"] if mark else []
    return _addresses(*found)


_READERS: Mapping[Provider, Callable[[bytes], Push]] = {
    Provider.GITHUB: _plain,
    Provider.GITEA: _plain,
    Provider.GITLAB: _gitlab,
    Provider.BITBUCKET: _bitbucket,
}
