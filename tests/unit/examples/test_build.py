"""The built documents are what the source texts make, byte for byte."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pdfplumber
import pytest
from docx import Document

from examples.build_norms import NORMS, build
from examples.builders.source import Heading, Item, Paragraph, Table, read_source, split_clause
from examples.builders.word import write_docx
from examples.builders.zips import write_normalised

ROOT = Path(__file__).resolve().parents[3]
MINIMAL = """---
output: a.docx
language: en
title: T
cover: [T]
header: [left, right]
footer: f
page_word: Page
{extra}
---
{body}
"""


def source_file(folder: Path, body: str, extra: str = "") -> Path:
    path = folder / "a.md"
    path.write_text(MINIMAL.format(body=body, extra=extra), encoding="utf-8")
    return path


def test_rebuild_equals_committed_bytes(tmp_path: Path) -> None:
    built = build(tmp_path)

    assert len([path for path in built if path.suffix == ".pdf"]) >= 3
    assert len([path for path in built if path.suffix == ".docx"]) >= 3
    for path in built:
        assert path.read_bytes() == (NORMS / path.relative_to(tmp_path)).read_bytes(), path.name


def test_build_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    script = (
        f"from pathlib import Path; from examples.build_norms import build; build(Path({str(tmp_path)!r}))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "TZ": "Asia/Tokyo"}
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, check=True)

    files = [path for path in tmp_path.rglob("*.*") if path.is_file()]
    assert len(files) >= 7
    for path in files:
        assert path.read_bytes() == (NORMS / path.relative_to(tmp_path)).read_bytes(), path.name


@pytest.mark.parametrize("path", sorted(NORMS.rglob("*.pdf")), ids=lambda path: path.stem)
def test_pdf_has_header_footer_and_headings_in_larger_type(path: Path) -> None:
    with pdfplumber.open(path) as pdf:
        pages = [page.extract_text() for page in pdf.pages]
        sizes = {round(char["size"], 1) for page in pdf.pages for char in page.chars}

    assert {8.0, 10.0, 14.0, 18.0} <= sizes
    assert len({page.splitlines()[0] for page in pages}) == 1
    assert [page.split()[-1] for page in pages] == [str(i + 1) for i in range(len(pages))]


def test_pdf_table_repeats_its_header_on_the_next_page() -> None:
    with pdfplumber.open(next(NORMS.rglob("СП 901*.pdf"))) as pdf:
        pages = [page.extract_text() for page in pdf.pages]

    with_header = [i for i, text in enumerate(pages) if "Тип судна" in text]
    assert len(with_header) == 2
    assert "Чирок-2" in pages[with_header[0]]
    assert "Карась" in pages[with_header[1]]


def test_workbook_has_a_header_block_and_merged_cells() -> None:
    sheet = openpyxl.load_workbook(next(NORMS.rglob("*.xlsx"))).worksheets[0]
    merged = {str(area) for area in sheet.merged_cells.ranges}

    assert {"A1:F1", "A4:A5", "C4:D4", "A6:A11"} <= merged
    assert sheet["A6"].value == "Плавучий причал"


def test_automatic_numbers_leave_the_text(tmp_path: Path) -> None:
    body = "# 1 Scope\n\n1.1 First.\n\n1.2 Second.\n\n# 2 Work\n\n## 2.1 Deck\n\n2.1.1 Third."
    target = tmp_path / "a.docx"
    write_docx(read_source(source_file(tmp_path, body, "numbering: automatic")), target)

    properties: list[Any] = [paragraph._p.pPr for paragraph in Document(str(target)).paragraphs]
    levels = [p.numPr.ilvl.val for p in properties if p is not None and p.numPr is not None]
    texts = [paragraph.text for paragraph in Document(str(target)).paragraphs[1:]]
    assert texts == ["Scope", "First.", "Second.", "Work", "Deck", "Third."]
    assert levels == [0, 1, 1, 0, 1, 2]


def test_wrong_written_number_is_refused(tmp_path: Path) -> None:
    source = read_source(source_file(tmp_path, "# 1 Scope\n\n1.2 Second.", "numbering: automatic"))

    with pytest.raises(ValueError, match=r"Clause 1\.2 would be numbered 1\.1"):
        write_docx(source, tmp_path / "a.docx")


def test_source_is_read_block_by_block(tmp_path: Path) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    body = f"# 1 Head\n\nText over\ntwo lines.[^1]\n\n- item\n\nTable 1 - Cap\n\n{table}\n\n[^1]: Note."

    blocks = read_source(source_file(tmp_path, body)).blocks

    assert blocks == (
        Heading(1, "1 Head"),
        Paragraph("Text over two lines.", "Note."),
        Item("item"),
        Table("Table 1 - Cap", (("a", "b"), ("1", "2"))),
    )


def test_footnote_inside_a_paragraph_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at the end of its paragraph"):
        read_source(source_file(tmp_path, "Text[^1] goes on.\n\n[^1]: Note."))


def test_source_without_front_matter_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# 1 Head", encoding="utf-8")

    with pytest.raises(ValueError, match="front matter"):
        read_source(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5.2.1 Deck", ("5.2.1", "Deck")),
        ("1 Scope", ("1", "Scope")),
        ("Deck", ("", "Deck")),
        ("3 m", ("3", "m")),
    ],
)
def test_split_clause(text: str, expected: tuple[str, str]) -> None:
    assert split_clause(text) == expected


def test_normalised_package_forgets_when_it_was_made(tmp_path: Path) -> None:
    targets = []
    for i, moment in enumerate(("2020-01-01T00:00:00Z", "2026-06-06T06:06:06Z")):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
            package.writestr("docProps/core.xml", f"<dcterms:modified a='b'>{moment}</dcterms:modified>")
        targets.append(tmp_path / str(i))
        write_normalised(buffer.getvalue(), targets[-1], "2025-01-01T00:00:00Z")

    assert targets[0].read_bytes() == targets[1].read_bytes()
    assert b"2025-01-01T00:00:00Z" in targets[0].read_bytes()
