"""The block of metadata in front of a Markdown file: YAML, TOML or JSON."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from extraction.attributes import DEEPEST
from extraction.border import too_deep
from rubrica.log import get_logger
from rubrica.model import NO_ATTRIBUTES, Attributes

_log = get_logger(__name__)

_JSON = re.compile(r"\s*\{\s*\n?\s*\"")
_MOST_CHARACTERS = 200_000
_PROSE_WORDS = 3


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file in two parts.

    Attributes:
        attributes: Keys and values of the metadata.
        unread: Metadata that could not be taken, as it stands.
        body: The rest of the file.
    """

    attributes: Attributes
    unread: str
    body: str


def split_front_matter(text: str) -> FrontMatter:
    """Part a file's metadata from its body.

    What stands between marks but holds a blank line and is no metadata is text between two rules.
    """
    fenced = _fenced(text)
    if fenced is not None:
        kind, inner, body = fenced
        values = _read_toml(inner) if kind == "+++" else read_front_matter(inner)
        if values is not None:
            return FrontMatter(values, "", body)
        is_prose = "\n\n" in inner.strip()
        return FrontMatter(NO_ATTRIBUTES, "", text) if is_prose else FrontMatter(NO_ATTRIBUTES, inner, body)
    if _JSON.match(text):
        return _split_json(text)
    return FrontMatter(NO_ATTRIBUTES, "", text)


def _fenced(text: str) -> tuple[str, str, str] | None:
    """Mark, metadata and body."""
    lines = iter(text[:_MOST_CHARACTERS].splitlines(keepends=True))
    position = 0
    mark = ""
    for line in lines:
        position += len(line)
        if line.strip():
            mark = line.rstrip()
            break
    if mark not in {"---", "+++"}:
        return None
    start = position
    ends = {mark, "..."} if mark == "---" else {mark}
    for line in lines:
        if line.rstrip() in ends:
            return mark, text[start:position], text[position + len(line) :]
        position += len(line)
    return None


def read_front_matter(text: str) -> Attributes | None:
    """Read YAML front matter.

    Returns:
        Its keys and values as YAML has them; ``None`` where it is no mapping in valid YAML or uses
        aliases, by which a few lines could grow to gigabytes.

    Raises:
        CorruptDocumentError: It is nested too deeply.
    """
    try:
        if _has_aliases(text):
            return None
        values = yaml.safe_load(text)
    # SafeLoader lets ValueError through for dates such as 2024-13-45.
    except (yaml.YAMLError, ValueError) as error:
        _log.warning("front matter is not YAML", reason=str(error))
        return None
    if values is None:
        return {}
    return values if isinstance(values, dict) else None


def _has_aliases(text: str) -> bool:
    """Whether YAML uses aliases; the look stops at too many levels, which are slow to go through."""
    level = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            return True
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1
        if level > DEEPEST:
            raise too_deep("front matter")
    return False


def _read_toml(text: str) -> Attributes | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        _log.warning("front matter is not TOML", reason=str(error))
        return None


def _split_json(text: str) -> FrontMatter:
    start = len(text) - len(text.lstrip())
    try:
        values, end = json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        return FrontMatter(NO_ATTRIBUTES, "", text)
    if not isinstance(values, dict) or text[end : end + 1] not in {"\n", ""}:
        return FrontMatter(NO_ATTRIBUTES, "", text)
    return FrontMatter(values, "", text[end:])


def prose(values: Any) -> Iterator[str]:
    """Texts of several words among metadata: what a start page without a body shows."""
    stack = [values]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            if len(value.split()) >= _PROSE_WORDS:
                yield value
        elif isinstance(value, dict):
            stack.extend(reversed(value.values()))
        elif isinstance(value, list):
            stack.extend(reversed(value))
