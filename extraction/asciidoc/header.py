"""The header of an AsciiDoc document: attributes, author, revision, title."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence

from extraction.asciidoc.preprocess import ATTRIBUTE, set_attribute

_TITLE = re.compile(r"[=#]\s+\S")
_AUTHOR = re.compile(r"(?P<author>\w[\w.'-]*(?:\s+\w[\w.'-]*){0,3})(?:\s+<(?P<email>[^<>\s]+)>)?(?:;.*)?")
_REVISION = re.compile(r"v?(?P<revision>\d[^,:]{0,40})?,?\s*(?P<date>[^:]{0,60})?(?::.*)?")


def read_header(lines: Sequence[str], attributes: MutableMapping[str, str]) -> tuple[str | None, int]:
    """Read a document's header into its attributes.

    Returns:
        The line that holds the title, ``None`` where there is none, and how many lines are done with.
    """
    at = _attributes(lines, 0, attributes, blank=True)
    if at == len(lines) or not _TITLE.match(lines[at]):
        return None, at
    title = lines[at]
    at = _attributes(lines, at + 1, attributes)
    if at < len(lines) and _author(lines[at], attributes):
        at += 1
        if at < len(lines) and re.match(r"v?\d", lines[at]) and _revision(lines[at], attributes):
            at += 1
    return title, _attributes(lines, at, attributes)


def _attributes(
    lines: Sequence[str], at: int, attributes: MutableMapping[str, str], *, blank: bool = False
) -> int:
    while at < len(lines):
        entry = ATTRIBUTE.match(lines[at])
        if entry:
            set_attribute(attributes, entry)
        elif not blank or lines[at].strip():
            break
        at += 1
    return at


def _author(line: str, attributes: MutableMapping[str, str]) -> bool:
    author = _AUTHOR.fullmatch(line) if line[:1].isupper() else None
    if author is None:
        return False
    attributes["author"] = author["author"]
    if author["email"]:
        attributes["email"] = author["email"]
    return True


def _revision(line: str, attributes: MutableMapping[str, str]) -> bool:
    revision = _REVISION.fullmatch(line)
    if revision is None:
        return False
    for name in ("revision", "date"):
        if value := (revision[name] or "").strip():
            attributes[name] = value
    return True
