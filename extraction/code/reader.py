"""Source code: one element per definition where tree-sitter knows the language, else per block."""

from __future__ import annotations

from collections.abc import Iterator

from extraction.builder import DocumentBuilder
from extraction.code.definitions import find_parts
from extraction.code.languages import language_of
from extraction.encoding import decode
from extraction.lines import split_blocks
from extraction.result import Extracted
from extraction.text import clean
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_LONGEST_LINE = 5000  # characters; a longer one was written by a program, which has no structure to show
_MOST_CHARACTERS = 4_000_000  # that are parsed


def extract_code(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a source file.

    Each definition with the comment above it is an element, and each method of a long class is; what
    stands between definitions (imports, constants) is one too. An element's heading path holds the
    signatures of the definitions it is in, its own included. The attribute ``programming_language``
    names the language.
    """
    text = clean(decode(content))
    language = language_of(path) or ""
    builder = DocumentBuilder()
    for part, inside in _parts(text, language):
        builder.add(ElementKind.CODE, part, inside=inside)
    return Extracted.from_builder(builder, attributes={"programming_language": language} if language else {})


def _parts(text: str, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    lines = text.split("\n")
    is_written = len(text) <= _MOST_CHARACTERS and max(map(len, lines)) <= _LONGEST_LINE
    parts = find_parts(text, language) if is_written else []
    if parts:
        yield from (("\n".join(lines[part.first : part.last]), part.path) for part in parts)
    else:
        yield from (("\n".join(block), ()) for block in split_blocks(text))
