"""The invariants for books, sheets and web archives, and that each word comes once, in order."""

from __future__ import annotations

import html
import io
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
import xlwt  # type: ignore[import-untyped]
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.extract import extract
from rubrica.errors import PoisonDocumentError
from rubrica.settings import ExtractionSettings
from tests.support.invariants import check_document
from tests.support.zips import zipped

LIMITS = ExtractionSettings()
Rows = list[list[str]]
NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{prefix}:1.0"'
    for prefix in ("office", "table", "text")
)


def as_epub(rows: Rows) -> bytes:
    pages = {
        f"{i}.xhtml": "<html xmlns='http://www.w3.org/1999/xhtml'><body>"
        + "".join(f"<p>{html.escape(cell)}</p>" for cell in row)
        + "</body></html>"
        for i, row in enumerate(rows)
    }
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in pages)
    spine = "".join(f'<itemref idref="{name}"/>' for name in pages)
    package = f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{spine}</spine></package>'
    return zipped({"mimetype": "application/epub+zip", "book.opf": package, **pages})


def as_ods(rows: Rows) -> bytes:
    body = "".join(
        "<table:table-row>"
        + "".join(
            f"<table:table-cell><text:p>{html.escape(cell)}</text:p></table:table-cell>" for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    content = (
        f'<office:document-content {NAMES}><office:body><office:spreadsheet><table:table table:name="a">'
        f"{body}</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})


def as_xls(rows: Rows) -> bytes:
    book: Any = xlwt.Workbook()
    sheet = book.add_sheet("a")
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            sheet.write(number, column, cell)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def as_mhtml(rows: Rows) -> bytes:
    page = "".join(f"<p>{html.escape(' '.join(row))}</p>" for row in rows)
    head = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"
    return f"{head}--x\nContent-Type: text/html; charset=utf-8\n\n{page}\n--x--".encode()


WRITERS: dict[str, Callable[[Rows], bytes]] = {
    "a.epub": as_epub,
    "a.ods": as_ods,
    "a.xls": as_xls,
    "a.mht": as_mhtml,
}


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    number = count()
    prefixes = st.sampled_from(["бетон", "slab", "Ёж", "naïve", "ПК60-", "x²", "Статья "])
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    return [[f"{draw(prefixes)}{next(number):03d}q" for _ in range(width)] for width in shape]


@pytest.mark.parametrize("path", WRITERS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=tables())
def test_each_word_comes_once_and_in_order(path: str, rows: Rows) -> None:
    document = extract(WRITERS[path](rows), path, LIMITS)
    check_document(document)
    wanted = [word for row in rows for cell in row for word in cell.split() if word.endswith("q")]
    assert [word for word in document.text.split() if word.endswith("q")] == wanted


@pytest.mark.parametrize("path", WRITERS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_damaged_files_are_read_or_refused(path: str, data: st.DataObject) -> None:
    whole = WRITERS[path]([["слово001q", "слово002q"], ["слово003q"]])
    position = data.draw(st.integers(0, len(whole) - 1))
    damage = data.draw(st.binary(min_size=1, max_size=20))
    content = whole[:position] + damage + whole[position + len(damage) :]
    try:
        document = extract(content, path, LIMITS)
    except PoisonDocumentError as error:
        assert error.reason  # noqa: PT017 (a refusal is one of two right answers)
        return
    check_document(document)


PIECES = st.sampled_from(
    [
        *(
            "<p>",
            "<b>",
            "<br>",
            "<center>",
            "<pre>",
            "<dl><dt>",
            "<dd>",
            "<li>",
            "<ol type=a>",
            "<h3>",
            "</p>",
        ),
        *(
            "<table>",
            "<tr><td>",
            "<th colspan=3>",
            "</table>",
            "<sup>1</sup>",
            "<style>p{display:none}</style>",
        ),
        *("<div class=menu>", "<main>", "<nav>", "<p hidden>", "<p align=right>", "<a href=#fn1>1</a>"),
        *("Статья 1. Имя", "Приложение", "I. Общие", "1.1. Текст", "слово ", "<1> ", "- ", "\n", "&nbsp;"),
        '<p class="title" style="text-align:center;font-size:20pt">',
    ]
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    page=st.lists(PIECES, min_size=1, max_size=30).map("".join), path=st.sampled_from(["a.html", "a.xhtml"])
)
def test_any_page_is_read_or_refused(page: str, path: str) -> None:
    try:
        document = extract(page.encode(), path, LIMITS)
    except PoisonDocumentError as error:
        assert error.reason  # noqa: PT017 (a refusal is one of two right answers)
        return
    check_document(document)
