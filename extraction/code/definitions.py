"""Definitions in source code, as tree-sitter sees them: where they stand and under which signatures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast, get_args

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
_NOT_DEFINITION = re.compile(
    r".*(?:import|use|include|call|expression|package|preproc|arg|param|storage|primary|modifier).*"
    r"|(?:function|struct|interface|union|object|class|tuple|enum|constructor)_type"
)
_NO_WRAPPER = re.compile(r".*(?:import|use_|include|package|header|param|argument).*")
_ATTACHED = re.compile(r".*comment.*|.*attribute.*|.*annotation.*|decorator|pragma|haddock|preprocessor")
# Statements that define something where they assign a function to a name.
_ASSIGNMENT = re.compile(
    r"(?:lexical|variable|local_variable)_declaration|expression_statement|assignment(?:_expression|_statement)?"
    r"|binary_operator|variable_declarator|pair"
)
_FUNCTION = re.compile(r"arrow_function|function(?:_expression|_definition)?|lambda(?:_expression)?")
# In languages whose definitions are calls like any other.
_CALLED = {
    "elixir": re.compile(rb"def\w*\s"),
    "clojure": re.compile(rb"\(\s*def[\w-]*\s"),
    **dict.fromkeys(
        ("commonlisp", "elisp", "scheme", "racket"), re.compile(rb"\(\s*def[\w-]*\s", re.IGNORECASE)
    ),
    **dict.fromkeys(("hcl", "terraform"), re.compile(rb"[A-Za-z][\w-]*(?:\s+\"[^\"\n]*\")*\s*\{")),
}
_CALL_TYPES = re.compile(r"call|list(?:_lit)?|block|defun")
_NAME_START = re.compile(rb"[A-Za-z_$@#~*&\x80-\xff]")
_WRAPPERS = ("decorated_definition", "export_statement", "template_declaration")
_LONG = 40  # lines; a longer definition or wrapper that holds definitions is opened
_WRAPPED = 4  # conditional, extern "C", its braces, definition
_DEEPEST = 8
_SIGNATURE = 120  # characters


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of a source file that belong together.

    Attributes:
        first: First line, from 0.
        last: Line after the last.
        path: Signatures of the definitions that the lines are in, outermost first, their own included.
    """

    first: int
    last: int
    path: tuple[str, ...]


def find_parts(text: str, language: str) -> list[Part]:
    """Cut a source file at its definitions.

    Args:
        text: The source.
        language: As tree-sitter names it.

    Returns:
        Parts that tile the lines; none where the language has no grammar or the file no definitions.
    """
    parser = _parser(language)
    if parser is None:
        return []
    source = text.encode("utf-8")
    root = parser.parse(source).root_node
    lines = text.split("\n")
    parts = list(_Outline(source, language).parts(root, 0, len(lines), ()))
    if len(parts) == 1 and not parts[0].path:
        return []
    return _without_crumbs(parts, lines)


@cache
def _parser(language: str) -> Any | None:
    from tree_sitter_language_pack import SupportedLanguage, get_parser  # noqa: PLC0415 (heavy, only for code)

    if language not in get_args(SupportedLanguage):
        return None
    return get_parser(cast("SupportedLanguage", language))


def _without_crumbs(parts: Sequence[Part], lines: Sequence[str]) -> list[Part]:
    """Parts, those without a letter or digit (closing braces) put to the part before them."""
    kept: list[Part] = []
    for part in parts:
        if kept and not any(re.search(r"\w", line) for line in lines[part.first : part.last]):
            kept[-1] = Part(kept[-1].first, part.last, kept[-1].path)
        else:
            kept.append(part)
    return kept


class _Outline:
    def __init__(self, source: bytes, language: str) -> None:
        self._source = source
        self._called = _CALLED.get(language)

    def parts(self, node: Node, first: int, last: int, path: tuple[str, ...]) -> Iterator[Part]:
        """The parts of the lines from ``first`` up to ``last`` that ``node`` spans."""
        position = first
        for child, start, end in self._definitions(node):
            start, end = max(start, position), min(end, last)  # noqa: PLW2901 (clipped to the lines at hand)
            if start >= end:
                continue
            if position < start:
                yield Part(position, start, path)
            inner = (*path, self._signature(child))
            if len(inner) < _DEEPEST and end - start > _LONG:
                yield from self.parts(_unwrapped(child), start, end, inner)
            else:
                yield Part(start, end, inner)
            position = end
        if position < last:
            yield Part(position, last, path)

    def _definitions(self, root: Node) -> Iterator[tuple[Node, int, int]]:
        """Definitions right below a node or below what only wraps them, with their lines, in order."""
        stack = [iter(_with_start(root))]
        while stack:
            found = next(stack[-1], None)
            if found is None:
                stack.pop()
                continue
            child, start = found
            if self._is_definition(child):
                yield child, start, _last_line(child) + 1
            elif len(stack) <= _WRAPPED and self._wraps(child):
                stack.append(iter(_with_start(child)))

    def _is_definition(self, node: Node) -> bool:
        if _DEFINITION.fullmatch(node.type) and not _NOT_DEFINITION.fullmatch(node.type):
            return node.is_named
        if self._called is not None and _CALL_TYPES.fullmatch(node.type):
            return bool(self._called.match(self._source, node.start_byte, node.end_byte))
        return (
            bool(_ASSIGNMENT.fullmatch(node.type))
            and _last_line(node) > node.start_point.row + 1
            and _assigns(node)
        )

    def _wraps(self, node: Node) -> bool:
        """Whether a node may only hold definitions together: a body, a conditional."""
        return _last_line(node) > node.start_point.row and not _NO_WRAPPER.fullmatch(node.type)

    def _signature(self, node: Node) -> str:
        node = _unwrapped(node)
        body = node.child_by_field_name("body")
        end = body.start_byte if body and body.start_byte > node.start_byte else node.end_byte
        end = min([end, *(part.start_byte for part in node.children if "comment" in part.type)])
        text = self._source[node.start_byte : min(end, node.start_byte + 4 * _SIGNATURE)].decode(
            "utf-8", "ignore"
        )
        if body is None:
            text = text.partition("\n")[0]
        return " ".join(text.split())[:_SIGNATURE].rstrip(" {:=")


def _unwrapped(node: Node) -> Node:
    while node.type in _WRAPPERS:
        inner = node.child_by_field_name("definition") or node.child_by_field_name("declaration")
        inner = inner or next((child for child in reversed(node.named_children)), None)
        if inner is None or not _NAME_START.match(inner.text or b""):
            # ``export default {`` says no more inside than it does itself.
            break
        node = inner
    return node


def _assigns(node: Node, depth: int = 3) -> bool:
    children = node.named_children
    return any(_FUNCTION.fullmatch(child.type) for child in children) or (
        depth > 1 and any(_assigns(child, depth - 1) for child in children[:10])
    )


def _with_start(node: Node) -> Iterator[tuple[Node, int]]:
    """A node's children, each with the line at which it or the comment above it begins."""
    children = node.named_children
    attached: int | None = None  # first line of the comments that are right above
    end = -2
    for child in children:
        row = child.start_point.row
        if _ATTACHED.fullmatch(child.type):
            attached = attached if attached is not None and row <= end + 1 else row
            end = _last_line(child)
            continue
        yield child, attached if attached is not None and row <= end + 1 else row
        attached, end = None, -2


def _last_line(node: Node) -> int:
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point.row else row
