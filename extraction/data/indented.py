"""Cuts data whose structure shows in its indentation (YAML) where its parts begin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extraction.lines import indent

_LONG = 40  # lines; a longer part is opened
_DEEPEST = 6
_LABEL = 80  # characters
_COMMENT = re.compile(r"\s*(?:#|<!--|//|;)")
_KEY = re.compile(r"\s*(?:-\s+)*(?P<key>\"[^\"]*\"|'[^']*'|[^\s:#{}\[\]\"'][^:#]*?)\s*:(?:\s|$)")
_TAG = re.compile(r"\s*<(?P<tag>[\w:.-]+)(?P<rest>[^>]*)")
_NAME = re.compile(r"\b(?:name|id|key|title)\s*=\s*[\"']([^\"']*)[\"']", re.IGNORECASE)
_CLOSES = re.compile(r"\s*(?:</|[\]})])")
_SCALAR = re.compile(r":\s*[|>][+\-\d]*\s*(?:#.*)?$")

Piece = tuple[str, tuple[str, ...]]


def cut_indented(lines: Sequence[str], path: tuple[str, ...] = ()) -> Iterator[Piece]:
    """Parts of a text, each with the names of the parts that it is in.

    Short parts that follow each other are put together; a long one is opened, so that none is longer
    than about forty lines where its indentation lets it be cut.

    Args:
        lines: The text.
        path: Names of what the lines are in.
    """
    group: list[str] = []
    for part in _parts(lines):
        if len(group) + len(part) > _LONG and group:
            yield "\n".join(group), path
            group = []
        head = next((i for i, line in enumerate(part) if line.strip() and not _COMMENT.match(line)), 0)
        if len(part) > _LONG and len(path) < _DEEPEST and not _SCALAR.search(part[head]):
            yield "\n".join(part[: head + 1]), path
            yield from cut_indented(part[head + 1 :], (*path, label(part[head])))
        else:
            group += part
    if any(line.strip() for line in group):
        yield "\n".join(group), path


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """Each line of the least indentation with the lines below it; comments go with what they precede."""
    margin = min((indent(line) for line in lines if line.strip() and not _CLOSES.match(line)), default=0)
    part: list[str] = []
    ahead: list[str] = []  # comments and blank lines that wait for what they precede
    for line in lines:
        if not line.strip() or (_COMMENT.match(line) and indent(line) <= margin):
            ahead.append(line)
        elif indent(line) <= margin and not _CLOSES.match(line):
            if part:
                yield part
            part, ahead = [*ahead, line], []
        else:
            part += [*ahead, line]
            ahead = []
    if part or ahead:
        yield part + ahead


def label(line: str) -> str:
    """The name of the part that a line begins: a key, a tag with its name."""
    tag = _TAG.match(line)
    if tag:
        name = _NAME.search(tag["rest"])
        return f"{tag['tag']} {name[1]}"[:_LABEL].strip() if name else tag["tag"][:_LABEL]
    key = _KEY.match(line)
    text = key["key"].strip("\"'") if key else line.strip().removeprefix("- ")
    return text[:_LABEL].strip() or line.strip()[:_LABEL]
