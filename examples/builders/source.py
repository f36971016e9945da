"""Reads a source text: YAML front matter and a small part of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

_FRONT_MATTER = re.compile(r"\A---\n(?P<meta>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_CAPTION = re.compile(r"(?:Таблица|Table)\s+\S+\s?[—.-]")
_CLAUSE = re.compile(r"(?P<number>\d+(?:\.\d+)*)\s+(?P<text>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; ``level`` is 1 or 2."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or numbered clause, with the text of a footnote that hangs on its end."""

    text: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """An item of an unnumbered list."""

    text: str


@dataclass(frozen=True, slots=True)
class Formula:
    """A displayed formula."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first row is its header."""

    caption: str
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Item | Formula | Table


@dataclass(frozen=True, slots=True)
class Source:
    """A document to be built.

    Attributes:
        output: Path below the example repository.
        title: For the file's properties.
        language: ISO 639-1.
        cover: Lines above the text; the second of three is the largest.
        header: Left and right text of the running header.
        footer: Left text of the running footer.
        page_word: What stands before the page number.
        dateline: A line below the cover.
        automatic: Whether a word processor counts the clauses (DOCX only).
        blocks: The text.
    """

    output: str
    title: str
    language: str
    cover: tuple[str, ...]
    header: tuple[str, str]
    footer: str
    page_word: str
    dateline: str
    automatic: bool
    blocks: tuple[Block, ...]


def read_source(path: Path) -> Source:
    """Read one source text.

    Raises:
        ValueError: The file has no front matter, or a footnote that does not stand at the end of its
            paragraph.
    """
    match = _FRONT_MATTER.match(path.read_text(encoding="utf-8"))
    if match is None:
        raise ValueError(f"{path} does not begin with front matter between two lines of ---")
    meta: dict[str, Any] = yaml.safe_load(match["meta"])
    left, right = meta["header"]
    return Source(
        output=meta["output"],
        title=meta["title"],
        language=meta["language"],
        cover=tuple(meta["cover"]),
        header=(left, right),
        footer=meta["footer"],
        page_word=meta["page_word"],
        dateline=meta.get("dateline", ""),
        automatic=meta.get("numbering") == "automatic",
        blocks=tuple(_blocks(match["body"])),
    )


def split_clause(text: str) -> tuple[str, str]:
    """Split "5.2.1 Text" into its number and its text; the number is empty where there is none."""
    match = _CLAUSE.match(text)
    return (match["number"], match["text"]) if match else ("", text)


def _blocks(body: str) -> Iterator[Block]:
    tokens = MarkdownIt("commonmark").enable("table").use(footnote_plugin).parse(body)
    notes = _notes(tokens)
    caption = ""
    for i, token in enumerate(tokens):
        match token.type:
            case "footnote_block_open":
                return
            case "heading_open":
                yield Heading(int(token.tag[1]), _text(tokens[i + 1]))
            case "fence":
                yield Formula(token.content.strip())
            case "table_open":
                yield Table(caption, _rows(tokens[i:]))
            case "paragraph_open" if tokens[i - 1].type == "list_item_open":
                yield Item(_text(tokens[i + 1]))
            case "paragraph_open" if _CAPTION.match(_text(tokens[i + 1])):
                caption = _text(tokens[i + 1])
            case "paragraph_open":
                yield _paragraph(tokens[i + 1], notes)


def _paragraph(inline: Token, notes: list[str]) -> Paragraph:
    children = inline.children or []
    references = [child for child in children if child.type == "footnote_ref"]
    if not references:
        return Paragraph(_text(inline))
    if len(references) > 1 or children[-1] is not references[0]:
        raise ValueError(f"A footnote stands at the end of its paragraph, not inside: {inline.content}")
    return Paragraph(_text(inline), notes[references[0].meta["id"]])


def _notes(tokens: list[Token]) -> list[str]:
    return [_text(tokens[i + 2]) for i, token in enumerate(tokens) if token.type == "footnote_open"]


def _rows(tokens: list[Token]) -> tuple[tuple[str, ...], ...]:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_text(token))
    return tuple(tuple(row) for row in rows)


def _text(inline: Token) -> str:
    parts = (" " if child.type == "softbreak" else child.content for child in inline.children or [])
    return "".join(parts).strip()
