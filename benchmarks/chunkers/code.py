"""Source code: how many functions that would fit into a chunk are torn.

The files are modules of Python's own library, which every machine has; where a function begins and ends says
Python's own parser. Code is not searched here: questions on it are not in the sets. chonkie's CodeChunker
is absent: it needs another tree-sitter-language-pack than extraction has.
"""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from benchmarks.chunkers.align import AlignmentError, Span
from benchmarks.chunkers.fit import Fitted, fit
from benchmarks.chunkers.model import Contender, Piece
from benchmarks.chunkers.ours import variant
from benchmarks.chunkers.peers import PEERS, SplitText, peer
from benchmarks.chunkers.sets import RetrievalSet, read_file
from benchmarks.chunkers.workshop import Workshop

_MODULES = (
    "argparse",
    "calendar",
    "configparser",
    "csv",
    "difflib",
    "fractions",
    "heapq",
    "json/decoder",
    "sched",
    "shelve",
    "statistics",
    "textwrap",
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LEXICAL = ("LangChain recursive", "semchunk", "semantic-text-splitter", "chonkie recursive")


@dataclass(frozen=True, slots=True)
class Torn:
    """A chunker on source code.

    Attributes:
        name: The chunker.
        target: Mean tokens asked for; functions up to this size are counted.
        fitted: Its limit and chunks.
        functions: How many functions there are.
        torn: How many of them are in more than one chunk.
    """

    name: str
    target: int
    fitted: Fitted
    functions: int
    torn: int


def _langchain_python(limit: int, workshop: Workshop) -> SplitText:
    module = import_module("langchain_text_splitters")
    splitter = module.RecursiveCharacterTextSplitter.from_language(
        module.Language.PYTHON, chunk_size=limit, chunk_overlap=0, length_function=workshop.tokens
    )
    return lambda text, _: splitter.split_text(text)


CODE_CONTENDERS: tuple[Contender, ...] = (
    variant("rubrica code", {"strategy": "code"}),
    variant("rubrica (default)", {}),
    *(contender for contender in PEERS if contender.name in _LEXICAL),
    peer(
        "LangChain recursive, Python",
        _langchain_python,
        "langchain_text_splitters",
        "langchain-text-splitters",
    ),
)


def python_library() -> RetrievalSet:
    """Modules of Python's library, as documents."""
    folder = Path(sysconfig.get_path("stdlib"))
    sources = [(folder / f"{name}.py").read_text(encoding="utf-8") for name in _MODULES]
    documents = [read_file(text, f"{name}.py") for name, text in zip(_MODULES, sources, strict=True)]
    return RetrievalSet("Python's library", tuple(documents), ())


def tear(contender: Contender, library: RetrievalSet, target: int, workshop: Workshop) -> Torn | None:
    """Measure a chunker; ``None`` where it changes the code, so that nothing can be told of it."""
    try:
        fitted = fit(contender, library, target, workshop)
    except AlignmentError:
        return None
    counted = torn = 0
    for ordinal, document in enumerate(library.documents):
        own = [piece for piece in fitted.cutting.pieces if piece.document == ordinal]
        for span in functions(document.text):
            if workshop.tokens(document.text[slice(*span)]) <= target:
                counted += 1
                torn += not whole(span, own)
    return Torn(contender.name, target, fitted, counted, torn)


def whole(span: Span, pieces: Sequence[Piece]) -> bool:
    """Whether one chunk holds a span."""
    return any(piece.start <= span[0] and span[1] <= piece.end for piece in pieces)


def functions(source: str) -> Iterator[Span]:
    """Offsets of all functions and methods, without their decorators."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _FUNCTIONS) and node.end_lineno and node.end_col_offset is not None:
            first, last = lines[node.lineno - 1], lines[node.end_lineno - 1]
            # The parser counts bytes.
            begin = len(first.encode()[: node.col_offset].decode())
            end = len(last.encode()[: node.end_col_offset].decode())
            yield starts[node.lineno - 1] + begin, starts[node.end_lineno - 1] + end
