from __future__ import annotations

import pytest

from extraction.extract import extract
from rubrica.errors import CorruptDocumentError
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings
from tests.support.outline import outline, texts
from tests.unit.extraction.conftest import Read


def test_structure(read: Read) -> None:
    document = read(
        """<!doctype html><html><head><title>Свод
        правил</title><style>p {}</style></head><body>
        <header><a>Сайт</a></header><nav>меню</nav>
        <h1>Глава</h1>вступление<p>раз<script>x()</script> два<br>три<br><br>четыре
        <p style="display:none">скрыто</p><div hidden>скрыто</div>
        <ol start=3><li>а<ul><li>б<p>в</p></ul><li>г</ol>
        <table><caption>Таблица 1</caption><tr><th rowspan=2>М<th colspan=2>Н<tr><th>x<th>y<tr><td>1<td>2<td>3
        </table>хвост<pre>если
  то</pre><figure><img alt=x><figcaption>Рис. 1</figcaption></figure><footer>подвал</footer></body></html>""",
        "page.html",
    )
    assert outline(document) == [
        ("heading1", "Глава"),
        ("paragraph", "вступление"),
        ("paragraph", "раз два\nтри"),
        ("paragraph", "четыре"),
        ("list_item1", "3. а"),
        ("list_item2", "б"),
        ("paragraph", "в"),
        ("list_item1", "4. г"),
        ("caption", "Таблица 1"),
        ("table", "М | Н | \nМ | x | y\n1 | 2 | 3"),
        ("paragraph", "хвост"),
        ("code", "если\n  то"),
        ("caption", "Рис. 1"),
    ]
    assert document.title == "Свод правил"
    (table,) = (item for item in document.elements if item.kind is ElementKind.TABLE)
    assert table.header_rows == 2


def test_a_header_with_the_only_heading_is_read(read: Read) -> None:
    page = "<body><header><h1>Закон</h1></header><main><p>Текст</p></main><footer>подвал</footer></body>"
    assert outline(read(page, "a.html")) == [("heading1", "Закон"), ("paragraph", "Текст")]


def test_a_page_that_is_all_navigation_is_read_all_the_same(read: Read) -> None:
    assert outline(read("<nav><p>Один</p><p>Два</p></nav>", "a.html")) == [
        ("paragraph", "Один"), ("paragraph", "Два"),
    ]  # fmt: skip


def test_tables_that_only_arrange_the_page(read: Read) -> None:
    page = """<table><tr><td>меню<td><h2>Раздел</h2><p>Текст
        <table><tr><td>а<td>б<tr><td>в<td>г</table></table>"""
    assert outline(read(page, "a.html")) == [
        ("paragraph", "меню"),
        ("heading2", "Раздел"),
        ("paragraph", "Текст"),
        ("table", "а | б\nв | г"),
    ]


def test_marked_header_rows(read: Read) -> None:
    page = "<table><thead><tr><td>1<td>2</thead><tbody><tr><td>а<td>б</tbody></table>"
    assert read(page, "a.html").elements[0].header_rows == 1


def test_typed_numbers_are_not_doubled(read: Read) -> None:
    page = "<ol><li>1) первый<li value=7>седьмой<li>восьмой</ol>"
    assert texts(read(page, "a.html"), ElementKind.LIST_ITEM) == ["1) первый", "7. седьмой", "8. восьмой"]


@pytest.mark.parametrize("page", ["<div>" * 1900 + "слово", "<table><tr><td>" * 300 + "слово"])
def test_deep_nesting_loses_nothing(read: Read, page: str) -> None:
    assert read("<p>начало</p>" + page, "a.html").text.split()[-1] == "слово"


@pytest.mark.parametrize(
    "page", ["<div>" * 20_000 + "слово" + "</div>" * 20_000, "<ul><li>" * 3000 + "слово"]
)
def test_bottomless_nesting_is_refused(page: str, settings: ExtractionSettings) -> None:
    with pytest.raises(CorruptDocumentError, match="nested"):
        extract(page.encode(), "a.html", settings)


def test_entities_are_not_fetched_or_blown_up(read: Read) -> None:
    page = (
        '<!DOCTYPE html [<!ENTITY a "ха"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
        "<html><body><p>текст &b; &f; &amp; &nbsp;конец</p></body></html>"
    )
    text = read(page, "a.html").text
    assert "root:" not in text
    assert text.endswith("& конец")


def test_lone_closing_tags_in_markdown(read: Read) -> None:
    assert outline(read("</div>\n\nтекст\n\n<!-- c -->\n", "a.md")) == [("paragraph", "текст")]
