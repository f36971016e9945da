"""Data files: JSON, JSON lines, YAML, TOML, INI. Cut at their own parts, whose names are the heading path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from extraction.builder import DocumentBuilder
from extraction.data.indented import Piece, cut_indented
from extraction.data.json_values import JsonError, json_pieces, json_table, parse_json
from extraction.encoding import decode
from extraction.lines import split_blocks
from extraction.result import Extracted
from extraction.text import clean
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_SECTION = re.compile(r"\s*\[\[?(?P<name>[^\[\]]+)\]\]?\s*(?:[#;].*)?$")
_COMMENT = re.compile(r"\s*[#;]")
_BY_SECTION = frozenset({"toml", "ini", "cfg", "conf", "editorconfig", "desktop", "service"})
_YAML = frozenset({"yaml", "yml"})
_JSON = frozenset({"json", "jsonl", "ndjson", "geojson", "jsonc", "json5", "webmanifest", "har", "avsc"})


def extract_data(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a file of data as code, cut at its parts; a list of flat records is a table."""
    text = clean(decode(content))
    extension = PurePosixPath(path.lower()).suffix.lstrip(".")
    builder = DocumentBuilder()
    if extension in _JSON and _write_json(builder, text):
        return Extracted.from_builder(builder)
    for part, inside in _pieces(text, extension):
        builder.add(ElementKind.CODE, part, inside=inside)
    return Extracted.from_builder(builder)


def _write_json(builder: DocumentBuilder, text: str) -> bool:
    """Write JSON; returns whether it is any."""
    try:
        value = parse_json(text)
    except JsonError:
        return False  # with comments, or broken: read as lines
    table = json_table(value)
    if table is not None:
        builder.add_table(table, header_rows=1)
        return True
    for part, inside in json_pieces(value):
        builder.add(ElementKind.CODE, part, inside=inside)
    return True


def _pieces(text: str, extension: str) -> Iterator[Piece]:
    lines = text.split("\n")
    if extension in _YAML:
        yield from cut_indented(lines)
    elif extension in _BY_SECTION:
        yield from _sections(lines)
    else:
        yield from (("\n".join(block), ()) for block in split_blocks(text))


def _sections(lines: list[str]) -> Iterator[Piece]:
    """What stands between headers ``[name]``; comments go with the section that they precede."""
    part: list[str] = []
    ahead: list[str] = []
    path: tuple[str, ...] = ()
    for line in lines:
        section = _SECTION.match(line)
        if section:
            yield "\n".join(part), path
            part, ahead, path = [*ahead, line], [], (section["name"].strip(),)
        elif not line.strip() or _COMMENT.match(line):
            ahead.append(line)
        else:
            part += [*ahead, line]
            ahead = []
    yield "\n".join(part + ahead), path
