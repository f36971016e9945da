"""Properties of every format: the invariants hold, and each word comes once, in order."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import docx
import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.encoding import decode
from extraction.extract import extract
from extraction.text import clean
from rubrica.errors import PoisonDocumentError
from rubrica.settings import ExtractionSettings
from tests.support.invariants import check_document

LIMITS = ExtractionSettings()
PREFIXES = ("бетон", "slab", "Ёж", "naïve", "ПК60-", "x²", "ключ_")
PATHS = (
    "a.md",
    "a.mdx",
    "a.html",
    "a.txt",
    "a.rst",
    "a.adoc",
    "a.csv",
    "a.py",
    "a.c",
    "a.yaml",
    "a.xml",
    "a.bsl",
    "a",
)


@dataclass(frozen=True)
class Block:
    """A piece of a generated document: its kind and its words, table rows split in two cells each."""

    kind: str
    words: tuple[str, ...]


@st.composite
def blocks(draw: st.DrawFn) -> list[Block]:
    """Blocks whose words are all different."""
    number = count()
    result = []
    for _ in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from(["heading", "paragraph", "item", "table", "code"]))
        size = draw(st.integers(1, 3)) * 2
        words = tuple(f"{draw(st.sampled_from(PREFIXES))}{next(number):03d}q" for _ in range(size))
        result.append(Block(kind, words))
    return result


def rows(block: Block) -> list[tuple[str, ...]]:
    return [block.words[i : i + 2] for i in range(0, len(block.words), 2)]


def as_markdown(document: list[Block]) -> bytes:
    parts = []
    for block in document:
        text = " ".join(block.words)
        match block.kind:
            case "heading":
                parts.append(f"## {text}")
            case "item":
                parts.append("\n".join(f"- {word}" for word in block.words))
            case "table":
                first, *rest = ("| " + " | ".join(row) + " |" for row in rows(block))
                parts.append("\n".join([first, "|---|---|", *rest]))
            case "code":
                parts.append("```\n" + "\n".join(block.words) + "\n```")
            case _:
                parts.append(text)
    return "\n\n".join(parts).encode()


def as_html(document: list[Block]) -> bytes:
    parts = []
    for block in document:
        words = [html.escape(word) for word in block.words]
        text = " ".join(words)
        match block.kind:
            case "heading":
                parts.append(f"<h2>{text}</h2>")
            case "item":
                parts.append("<ul>" + "".join(f"<li>{word}</li>" for word in words) + "</ul>")
            case "table":
                body = "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in rows(block))
                parts.append(f"<table>{body}</table>")
            case "code":
                parts.append(f"<pre>{text}</pre>")
            case _:
                parts.append(f"<p>{text}")
    return ("<!doctype html><body>" + "\n".join(parts)).encode()


def as_docx(document: list[Block]) -> bytes:
    target = docx.Document()
    for block in document:
        text = " ".join(block.words)
        match block.kind:
            case "heading":
                target.add_heading(text, 2)
            case "item":
                for word in block.words:
                    target.add_paragraph(word, "List Bullet")
            case "table":
                table = target.add_table(0, 2)
                for row in rows(block):
                    for cell, word in zip(table.add_row().cells, row, strict=True):
                        cell.text = word
            case _:
                target.add_paragraph(text)
    stream = io.BytesIO()
    target.save(stream)
    return stream.getvalue()


def as_xlsx(document: list[Block]) -> bytes:
    book: Any = openpyxl.Workbook()
    book.active.title = "a"
    for block in document:
        book.active.append(block.words)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def as_csv(document: list[Block]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream).writerows(block.words for block in document)
    return stream.getvalue().encode()


def as_text(document: list[Block]) -> bytes:
    return "\n\n".join(
        "\n".join(f"- {word}" for word in block.words) if block.kind == "item" else " ".join(block.words)
        for block in document
    ).encode()


WRITERS = {
    "a.md": as_markdown,
    "a.html": as_html,
    "a.docx": as_docx,
    "a.xlsx": as_xlsx,
    "a.csv": as_csv,
    "a.txt": as_text,
    "a.rst": as_text,
    "a.adoc": as_text,
    "a.yaml": as_text,
}


@pytest.mark.parametrize("path", WRITERS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=blocks())
def test_each_word_comes_once_and_in_order(path: str, document: list[Block]) -> None:
    result = extract(WRITERS[path](document), path, LIMITS)
    check_document(result)
    wanted = [word for block in document for word in block.words]
    found = [word for word in result.text.split() if word.endswith("q")]
    assert found == wanted


def fragments() -> Iterator[str]:
    yield from (
        "# ",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "> ",
        "```\n",
        "~~~\n",
        "|",
        "|---|\n",
        "::: x\n",
        "---\n",
        "====\n",
    )
    yield from (
        "<table>",
        "<tr>",
        "<td colspan=3 rowspan=2>",
        "</table>",
        "<li>",
        "<ol>",
        "<pre>",
        "<h2>",
        "<!--",
    )
    yield from (
        "</div>",
        "<script>",
        "<p hidden>",
        "&nbsp;",
        "&#0;",
        ";",
        ",",
        '"',
        "\t",
        "  ",
        "\r\n",
        "\x00",
        "\u200b",
    )
    yield from (
        "слово",
        "5.2.1 ",
        "word ",
        "\u00ad",
        "\ud83d\ude00",
        "\u0301",
        "\ufeff",
        "[^1]",
        "[^1]: ",
        "{% a %}",
        "(",
    )
    yield from (
        "def f():\n",
        "  x = 1\n",
        "class A {\n",
        "}\n",
        "// c\n",
        "Процедура А()\n",
        "КонецПроцедуры\n",
        "::\n",
    )
    yield from (
        "<rss><title>",
        "<item>",
        "</item>",
        "<?xml version='1.0'?>",
        "|===\n",
        "----\n",
        "== ",
        "a: &x [*x]\n",
    )


NOISE = st.lists(st.one_of(st.sampled_from(list(fragments())), st.text(max_size=8)), max_size=40).map("".join)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(path=st.sampled_from(PATHS), text=NOISE)
def test_any_text_is_read_or_refused(path: str, text: str) -> None:
    try:
        document = extract(text.encode("utf-8", "surrogatepass"), path, LIMITS)
    except PoisonDocumentError as error:
        assert error.reason  # noqa: PT017 (a refusal is one of two right answers)
        return
    check_document(document)


@settings(max_examples=200, deadline=None)
@given(path=st.sampled_from([*PATHS, "a.docx", "a.xlsx", "a.pdf"]), content=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(path: str, content: bytes) -> None:
    try:
        document = extract(content, path, LIMITS)
    except PoisonDocumentError as error:
        assert error.reason  # noqa: PT017 (a refusal is one of two right answers)
        return
    check_document(document)


ARCHIVES = {
    path: WRITERS[path]([Block("paragraph", ("слово001q", "слово002q"))]) for path in ("a.docx", "a.xlsx")
}


@pytest.mark.parametrize("path", ARCHIVES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_damaged_archives_are_read_or_refused(path: str, data: st.DataObject) -> None:
    whole = ARCHIVES[path]
    position = data.draw(st.integers(0, len(whole) - 1))
    damage = data.draw(st.binary(min_size=1, max_size=20))
    content = whole[:position] + damage + whole[position + len(damage) :]
    try:
        document = extract(content, path, LIMITS)
    except PoisonDocumentError as error:
        assert error.reason  # noqa: PT017 (a refusal is one of two right answers)
        return
    check_document(document)


@given(text=st.text())
def test_cleaning_is_stable(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    clean(text).encode("utf-8")


@given(text=st.text(alphabet=st.characters(codec="utf-8")))
def test_utf8_comes_back_as_it_is(text: str) -> None:
    assert decode(text.encode("utf-8-sig")) == text
