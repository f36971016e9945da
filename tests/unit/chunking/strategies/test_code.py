from __future__ import annotations

from typing import Any

from extraction.builder import DocumentBuilder
from extraction.code.reader import extract_code
from rubrica.model import Chunk, Document, ElementKind
from rubrica.settings import ExtractionSettings
from tests.support.chunking_parts import document
from tests.support.strategies import strategy_chunker


def source(text: str, path: str = "m.py") -> Document:
    extracted = extract_code(text.encode(), path, ExtractionSettings())
    doc = document(DocumentBuilder(), path=path, media_type="text/x-python")
    return Document(
        **{name: getattr(doc, name) for name in doc.__slots__ if name not in {"text", "elements"}},
        text=extracted.text,
        elements=extracted.elements,
    )


def cut(doc: Document, **settings: Any) -> tuple[Chunk, ...]:
    return strategy_chunker("code", context_line=False, **settings).chunk_one(doc).chunks


def function(name: str, lines: int, indent: str = "") -> str:
    body = "".join(f"{indent}    value = {name}_{i}\n" for i in range(lines))
    return f"{indent}def {name}():\n{body}"


def test_definitions_that_fit_are_whole_and_small_ones_share_a_chunk() -> None:
    doc = source("\n\n".join(function(name, lines) for name, lines in [("a", 2), ("b", 2), ("c", 10)]))
    assert [chunk.body.count("def ") for chunk in cut(doc)] == [2, 1]


def test_methods_are_joined_with_methods_not_with_what_stands_outside() -> None:
    methods = "\n".join(function(f"m{i}", 9, "    ") for i in range(5))
    doc = source(f"{function('before', 2)}\n\nclass A:\n{methods}\n\n{function('after', 2)}")
    bodies = [chunk.body for chunk in cut(doc, max_tokens=60)]
    assert bodies[0] == function("before", 2).strip()
    assert bodies[-1] == function("after", 2).strip()
    assert all("def m" in body for body in bodies[1:-1])


def test_a_long_body_is_cut_by_indentation_at_blank_lines_first() -> None:
    inner = "".join(f"        step_{i}()\n" for i in range(4))
    text = "def f():\n" + "".join(f"    for x in y:\n{inner}\n    done_{i}()\n" for i in range(6))
    chunks = cut(source(text), max_tokens=32, min_tokens=0)
    assert len(chunks) > 3
    for chunk in chunks[1:]:
        assert chunk.body.startswith(("for x", "done_"))


def test_a_closing_bracket_and_a_comment_stay_where_they_belong() -> None:
    block = "    call(\n        one,\n        two,\n    )\n    # About the next.\n"
    chunks = cut(source("def f():\n" + block * 12), max_tokens=32)
    assert len(chunks) > 2
    for chunk in chunks:
        assert not chunk.body.startswith(")")
        assert not chunk.body.endswith("next.") or chunk is chunks[-1]


def test_a_remnant_of_a_long_body_is_joined_inside_it() -> None:
    text = "def f():\n    if x:\n" + "        step()\n" * 20 + "    return 1\n"
    sizes = [chunk.tokens for chunk in cut(source(text), max_tokens=40, min_tokens=10)]
    assert min(sizes) >= 10


def test_prose_is_split_along_its_headings() -> None:
    builder = DocumentBuilder()
    for chapter in range(3):
        builder.add(ElementKind.HEADING, f"Chapter {chapter}", level=1)
        for section in range(2):
            builder.add(ElementKind.HEADING, f"Section {section}", level=2)
            builder.add(ElementKind.PARAGRAPH, "word " * 10)
    bodies = [chunk.body for chunk in cut(document(builder))]
    assert [body.startswith("Chapter") for body in bodies] == [True] * 3
