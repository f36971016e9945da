"""However deep a file is nested, it is read or refused for that; no recursion runs out, no process ends."""

from __future__ import annotations

import docx
import pytest

from extraction.extract import extract
from rubrica.errors import CorruptDocumentError, PoisonDocumentError
from rubrica.settings import ExtractionSettings
from tests.unit.extraction.conftest import Read
from tests.unit.extraction.docx_making import edited, save
from tests.unit.extraction.test_epub import book, page
from tests.unit.extraction.test_odf import odf

DEPTHS = (150, 900, 20_000)
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
TEXTS = {
    "list.json": ("[", "1", "]"),
    "object.json": ('{"a":', "1", "}"),
    "lines.jsonl": ("[", "1", "]\n[1]"),
    "flow.yaml": ("[", "1", "]"),
    "dashes.yaml": ("- ", "x", ""),
    "array.toml": ("[", "1", "]"),
    "a.ini": ("[", "x", "]"),
    "a.xml": ("<a>", "x", "</a>"),
    "a.html": ("<div>", "x", "</div>"),
    "svg.html": ("<svg>", "x", "</svg>"),
    "math.html": ("<math><mrow>", "x", "</mrow></math>"),
    "a.ipynb": ("[", "1", "]"),
    "quote.md": ("> ", "x", ""),
    "list.md": ("1. ", "x", ""),
    "link.md": ("[", "x", "](u)"),
    "note.md": ("a^[", "x", "]"),
    "strong.md": ("**a ", "x", " b**"),
    "quote.rst": ("- ", "x", ""),
    "field.rst": (":a: ", "x", ""),
    "list.adoc": ("* ", "x", ""),
    "note.adoc": ("footnote:[", "x", "]"),
    "part.eml": ("MIME-Version: 1.0\nContent-Type: message/rfc822\n\n", "x", ""),
    "a.rss": ("<item>", "x", "</item>"),
    "a.po": ('msgid "(', "x", ')"'),
    "a.py": ("(", "x", ")"),
    "a.js": ("function f(){", "x", "}"),
    "a.txt": ("(", "x", ")"),
}
HEADS = {"a.xml": "<?xml version='1.0'?>", "a.rss": "<?xml version='1.0'?><rss>", "array.toml": "a = "}


def read_or_refuse(content: bytes, path: str, settings: ExtractionSettings) -> str:
    try:
        return extract(content, path, settings).text
    except PoisonDocumentError as error:
        assert "Recursion" not in str(error)  # noqa: PT017 (a refusal is one of two right answers)
        return error.reason


@pytest.mark.timeout(120)
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("path", TEXTS)
def test_e13_texts_are_read_or_refused(path: str, depth: int, settings: ExtractionSettings) -> None:
    opening, inner, closing = TEXTS[path]
    content = HEADS.get(path, "") + opening * depth + inner + closing * depth
    assert read_or_refuse(content.encode(), path, settings)


@pytest.mark.parametrize("depth", DEPTHS)
def test_front_matter(depth: int, settings: ExtractionSettings) -> None:
    for content in (
        f"---\na: {'[' * depth}{']' * depth}\n---\nтекст",
        f"+++\na = {'[' * depth}{']' * depth}\n+++\nтекст",
        f'{{\n"a": {"[" * depth}{"]" * depth}}}\nтекст',
    ):
        with pytest.raises(CorruptDocumentError, match="nested too deeply"):
            extract(content.encode(), "a.md", settings)


def test_front_matter_of_some_levels_is_kept(read: Read) -> None:
    document = read(f"---\na: {'[' * 50}1{']' * 50}\n---\nтекст", "a.md")
    assert (document.text, str(document.attributes["a"])) == ("текст", "[" * 50 + "1" + "]" * 50)


def test_json_that_is_too_deep_to_indent_is_read_as_it_stands(read: Read) -> None:
    for depth in (201, 500, 900):
        content = "[" * depth + "1" + "]" * depth
        assert read(content, "a.json").text == content
    indented = read("[" * 200 + "1" + "]" * 200, "a.json").text
    assert "\n" in indented
    assert "".join(indented.split()).strip("[]") == "1"


@pytest.mark.parametrize("sheet", [":not(", "b{width:calc(", "a("])
def test_e13_style_sheets_hide_no_page(read: Read, sheet: str) -> None:
    rules = f"{sheet * 900}a{')' * 900}{{display:none}} .x{{display:none}}"
    assert read(f"<html><style>{rules}</style><p>слово", "a.html").text == "слово"


def test_functions_of_style_sheets_are_read(read: Read) -> None:
    sheet = ".x{width:calc(1px + calc(2px + var(--y)));display:none}"
    assert read(f"<html><style>{sheet}</style><p class=x>раз<p>два", "a.html").text == "два"


@pytest.mark.parametrize("depth", DEPTHS)
def test_web_archives(depth: int, settings: ExtractionSettings) -> None:
    head = "From: x\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n"
    content = head + "Content-Type: message/rfc822\n\n" * depth + "Content-Type: text/html\n\n<p>слово"
    assert read_or_refuse(content.encode(), "a.mht", settings) in {
        "слово",
        "The MHTML file is nested too deeply.",
    }


@pytest.mark.parametrize("depth", [80, 150, 240, 900])
@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"),
        ("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"),
        (f"<m:oMath {M}><m:d><m:e>", "</m:e></m:d></m:oMath>"),
    ],
)
def test_word(opening: str, closing: str, depth: int, settings: ExtractionSettings) -> None:
    document = docx.Document()
    document.add_paragraph("слово")
    inner = opening * depth + "<w:p><w:r><w:t>x</w:t></w:r></w:p>" + closing * depth
    xml = f"{inner}<w:sectPr".encode()
    content = edited(save(document), lambda _, data: data.replace(b"<w:sectPr", xml, 1))
    text = read_or_refuse(content, "a.docx", settings)
    assert "слово" in text or "damaged" in text or "nested" in text


@pytest.mark.parametrize("depth", [80, 240, 900])
@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<text:section>", "</text:section>"),
        ("<text:list><text:list-item>", "</text:list-item></text:list>"),
        ("<text:p><text:span>", "</text:span></text:p>"),
    ],
)
def test_open_document(opening: str, closing: str, depth: int, settings: ExtractionSettings) -> None:
    content = odf(f"<text:p>слово</text:p>{opening * depth}x{closing * depth}")
    text = read_or_refuse(content, "a.odt", settings)
    assert "слово" in text or "damaged" in text or "nested" in text


@pytest.mark.parametrize("depth", DEPTHS)
def test_books(depth: int, settings: ExtractionSettings) -> None:
    content = book({"a.xhtml": page(f"{'<div>' * depth}слово{'</div>' * depth}")})
    text = read_or_refuse(content, "a.epub", settings)
    assert "слово" in text or "nested" in text


@pytest.mark.parametrize("depth", [80, 240, 900])
def test_sheets(depth: int, settings: ExtractionSettings) -> None:
    word = f"{'<text:span>' * depth}слово{'</text:span>' * depth}"
    cell = f"<table:table-cell><text:p>{word}</text:p></table:table-cell>"
    body = f"<table:table table:name='a'><table:table-row>{cell}</table:table-row></table:table>"
    text = read_or_refuse(odf(body, "spreadsheet"), "a.ods", settings)
    assert "слово" in text or "damaged" in text or "nested" in text
