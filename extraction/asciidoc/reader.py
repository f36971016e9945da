"""An AsciiDoc file in, text and elements out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extraction.asciidoc.blocks import ANCHOR, BRACKETS, HEADING, TITLE, AsciidocReader
from extraction.asciidoc.header import read_header
from extraction.asciidoc.inline import section_id
from extraction.asciidoc.preprocess import preprocess
from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.frontmatter import split_front_matter
from extraction.result import Extracted
from extraction.text import clean
from rubrica.errors import EmptyDocumentError
from rubrica.settings import ExtractionSettings


def extract_asciidoc(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read an AsciiDoc file; its header and the names of files that it would include become attributes.

    Raises:
        EmptyDocumentError: All that it has is in files that it includes.
        CorruptDocumentError: It is nested too deeply.
    """
    text = clean(decode(content))
    front = split_front_matter(text) if text.startswith("---\n") else None
    source = preprocess((front.body if front else text).split("\n"))
    header: dict[str, str] = {}
    title, start = read_header(source.lines, header)
    builder = DocumentBuilder()
    with reading("AsciiDoc"):
        lines = source.lines[start:] if title is None else [title, "", *source.lines[start:]]
        AsciidocReader(builder, dict(header), reference_titles(source.lines)).read(lines)
    if not builder.elements and source.includes:
        raise EmptyDocumentError(
            f"The document has no text of its own, it only includes {_some(source.includes)}.",
            hint="Each file is read by itself: take the included files into the source, or exclude this one.",
        )
    left_out = {"not_included": source.includes} if source.includes else {}
    return Extracted.from_builder(
        builder, attributes={**(front.attributes if front else {}), **header, **left_out}
    )


def _some(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:3])
    return f"{shown} and others" if len(paths) > 3 else shown


def reference_titles(lines: Sequence[str]) -> dict[str, str]:
    """Titles of sections and blocks, by the ids that references name."""
    titles: dict[str, str] = {}
    waiting: list[str] = []
    for line in lines:
        if anchor := ANCHOR.fullmatch(line):
            waiting.append(anchor["id"])
            if anchor["text"]:
                titles[anchor["id"]] = anchor["text"]
        elif brackets := BRACKETS.fullmatch(line):
            waiting += re.findall(r"#([\w-]+)", brackets["text"].partition(",")[0])
        elif titled := HEADING.fullmatch(line) or TITLE.fullmatch(line):
            for name in (*waiting, section_id(titled["text"])):
                titles.setdefault(name, titled["text"])
            waiting = []
        elif line:
            waiting = []
    return titles
