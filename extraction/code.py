"""Source code: one element per definition where tree-sitter knows the language, else per block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast, get_args

from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.languages import language_of
from extraction.plain import split_blocks
from extraction.result import Extracted
from extraction.text import clean
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

if TYPE_CHECKING:
    from tree_sitter import Node
    from tree_sitter_language_pack import SupportedLanguage

# Node types of definitions, in the words of the grammars: Python's function_definition, Go's
# type_declaration, Rust's impl_item, C's struct_specifier, SQL's create_table …
_DEFINITION = re.compile(
    r"(?:.*_)?(?:function|method|class|struct|enum|union|interface|trait|impl|module|mod|namespace|object|type"
    r"|macro|constructor|procedure|proc|def|subroutine|contract|message|service|record|protocol|extension)"
    r"(?:_(?:definition|declaration|item|statement|specifier|alias|implementation|block|signature|def))*"
    r"|(?:decorated_definition|export_statement|template_declaration|type_definition|create_\w+"
    r"|signature|function|instance|data_type|newtype|bind)"
)
_NOT_DEFINITION = re.compile(r".*(?:import|use|include|call|expression|package|preproc).*")
_ATTACHED = re.compile(r".*comment.*|.*attribute.*|.*annotation.*|decorator|pragma|haddock|preprocessor")
_LONG = 40  # a node of more lines that holds definitions is opened (namespaces, #ifdef around a header)
_DEPTH = 4  # conditional, extern "C", its braces, definition
_DATA = frozenset({"json", "yaml", "toml", "ini", "properties", "xml", "po", "css", "scss", "make"})


def extract_code(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a source file.

    Each top-level definition with the comment above it is an element; what stands between definitions
    (imports, constants) is one too. The attribute ``programming_language`` names the language.
    """
    text = clean(decode(content))
    language = language_of(path) or ""
    builder = DocumentBuilder()
    for part in _parts(text, language):
        builder.add(ElementKind.CODE, part)
    return Extracted.from_builder(builder, attributes={"programming_language": language} if language else {})


def _parts(text: str, language: str) -> Iterator[str]:
    parser = None if language in _DATA else _parser(language)
    cuts = _definition_lines(parser.parse(text.encode("utf-8")).root_node, text) if parser else []
    if not cuts:
        yield from ("\n".join(block) for block in split_blocks(text))
        return
    lines = text.split("\n")
    edges = [0, *cuts, len(lines)]
    for start, end in pairwise(edges):
        yield "\n".join(lines[start:end])


@cache
def _parser(language: str) -> Any | None:
    from tree_sitter_language_pack import SupportedLanguage, get_parser  # noqa: PLC0415 (heavy, only for code)

    if language not in get_args(SupportedLanguage):
        return None
    return get_parser(cast("SupportedLanguage", language))


def _definition_lines(root: Node, text: str) -> list[int]:
    """Lines at which the text is cut: where a definition, or what follows one, begins."""
    lines = text.split("\n")
    cuts: set[int] = set()
    for first, last in _definitions(root):
        cuts.update((first, last + 1))
    last_line = len(lines)
    return sorted(line for line in cuts if 0 < line < last_line)


def _definitions(root: Node) -> Iterator[tuple[int, int]]:
    """First and last line of each definition, the comments and attributes above it included."""
    stack = [root]
    while stack:
        node = stack.pop()
        children = node.named_children
        for index, child in enumerate(children):
            if _is_definition(child) and not _is_opened(child):
                yield _start_with_attached(children, index), _last_line(child)
            elif _is_opened(child):
                stack.append(child)


def _is_definition(node: Node) -> bool:
    return bool(_DEFINITION.fullmatch(node.type)) and not _NOT_DEFINITION.fullmatch(node.type)


def _is_opened(node: Node) -> bool:
    """Whether a node only wraps definitions: a namespace, a conditional, a language's list of them."""
    if _last_line(node) - node.start_point.row < _LONG:
        return False
    wraps = "namespace" in node.type or not _is_definition(node)
    return wraps and _holds_definitions(node, _DEPTH)


def _holds_definitions(node: Node, depth: int) -> bool:
    return depth > 0 and any(
        _is_definition(child) or _holds_definitions(child, depth - 1) for child in node.named_children
    )


def _last_line(node: Node) -> int:
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point.row else row


def _start_with_attached(siblings: Sequence[Node], index: int) -> int:
    start = siblings[index].start_point.row
    for node in reversed(siblings[:index]):
        if not _ATTACHED.fullmatch(node.type) or _last_line(node) < start - 1:
            break
        start = node.start_point.row
    return start
