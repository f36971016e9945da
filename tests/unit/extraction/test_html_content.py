"""What of a page is read: tables, main content, hidden parts, metadata."""

from __future__ import annotations

import pytest

from rubrica.model import ElementKind
from tests.support.outline import outline, texts
from tests.unit.extraction.conftest import Read

TEXT = "<p>" + "Настоящий свод правил распространяется на здания. " * 6 + "</p>"


def tables(read: Read, page: str) -> list[tuple[tuple[str, ...], ...]]:
    return [item.rows for item in read(page, "a.html").elements if item.kind is ElementKind.TABLE]


def test_a_header_with_the_only_heading_is_read(read: Read) -> None:
    page = "<body><header><h1>Закон</h1></header><main><p>Текст</p></main><footer>подвал</footer></body>"
    assert outline(read(page, "a.html")) == [("heading1", "Закон"), ("paragraph", "Текст")]


def test_a_page_that_is_all_navigation_is_read_all_the_same(read: Read) -> None:
    assert outline(read("<nav><p>Один</p><p>Два</p></nav>", "a.html")) == [
        ("paragraph", "Один"), ("paragraph", "Два"),
    ]  # fmt: skip


def test_the_main_part_is_read_with_the_heading_above_it(read: Read) -> None:
    page = f"<div>Меню сайта</div><div><h1>Закон</h1></div><main>{TEXT}</main><div>Подвал</div>"
    assert [kind for kind, _ in outline(read(page, "a.html"))] == ["heading1", "paragraph"]


def test_a_main_part_without_text_does_not_hide_the_page(read: Read) -> None:
    assert "свод правил" in read(f"<main><p>Загрузка</p></main><div>{TEXT}</div>", "a.html").text


@pytest.mark.parametrize("name", ["menu", "sidebar", "breadcrumbs", "footer", "share"])
def test_blocks_of_links_are_left_out_by_their_names(read: Read, name: str) -> None:
    links = "<a href=/a>Первая ссылка</a> | <a href=/b>Вторая ссылка</a>"
    page = f"<div class='{name}'>{links}</div><div id='{name}'>{links}</div>{TEXT}"
    assert [kind for kind, _ in outline(read(page, "a.html"))] == ["paragraph"]
    assert "распространяется" in read(f"<div class='{name}'>{TEXT}</div><p>Ещё</p>", "a.html").text


def test_wikipedia(read: Read) -> None:
    page = f"""<title>Плита — Википедия</title><div id="siteSub" class="noprint">Материал</div><h1>Плита</h1>
    <table class="infobox"><tr><td>Тип<td>плита</table><div id="toc" class="toc"><p>1 История</div>{TEXT}
    <div class="mw-heading"><h2>История</h2><span class="mw-editsection">[<a>править</a>]</span></div>
    <p>Раз<sup class="reference"><a href="#cite_note-1">[1]</a></sup>.</p><div class="navbox">Плиты</div>
    <div class="catlinks">Категории</div>"""
    document = read(page, "a.html")
    assert [text[:10] for _, text in outline(document)] == ["Плита", "Настоящий ", "История", "Раз."]
    assert document.title == "Плита"


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>нет</p>",
        "<p style='DISPLAY : none !important'>нет</p>",
        "<p style='visibility:hidden'>нет</p>",
        "<style>.x, .y{display:none}</style><p class='a y'>нет</p>",
        "<style>/* c */ p.x{color:red;display:none}</style><p class=x>нет</p>",
        "<style>#z{display:none}</style><p id=z>нет</p>",
        "<span class=sr-only>нет</span>",
        "<template><p>нет</template>",
        "<p style='mso-hide:all'>нет</p>",
    ],
)
def test_hidden_text(read: Read, hidden: str) -> None:
    assert read(f"<html>{hidden}<p>да</p>", "a.html").text == "да"


@pytest.mark.parametrize(
    "shown",
    [
        "<p hidden=until-found>да</p>",
        "<style>@media print{.x{display:none}}</style><p class=x>да</p>",
        "<style media=print>.x{display:none}</style><p class=x>да</p>",
        "<style>.js .x{display:none}</style><p class=x>да</p>",
        "<style>.x{display:none}.x{display:block}</style><p class=x>да</p>",
        "<style>body{display:none}</style><p>да</p>",
        "<style>.x{display:none</style><p>да</p>",
        "<s>да</s>",
    ],
)
def test_text_that_is_not_hidden(read: Read, shown: str) -> None:
    assert read(f"<html>{shown}", "a.html").text == "да"


def test_tables_that_only_arrange_the_page(read: Read) -> None:
    page = """<table><tr><td>меню<td><h2>Раздел</h2><p>Текст
        <table><tr><td>а<td>б<tr><td>в<td>г</table></table>"""
    assert outline(read(page, "a.html")) == [
        ("paragraph", "меню"),
        ("heading2", "Раздел"),
        ("paragraph", "Текст"),
        ("table", "а | б\nв | г"),
    ]


def test_a_cell_that_holds_the_page(read: Read) -> None:
    page = f"<table><tr><td>меню<td>{TEXT * 5}</table>"
    assert [kind for kind, _ in outline(read(page, "a.html"))] == ["paragraph"] * 6


def test_rows_and_cells_in_a_form_are_read(read: Read) -> None:
    page = """<table><tr><th>А<th>Б</tr><form><tr><td>1</td><td>2</td></tr></form>
    <tr><form><td>3</td><td>4</td></form></tr><tbody><form><tr><td>5</td><td>6</td></tr></form></tbody></table>"""
    assert outline(read(page, "a.html")) == [("table", "А | Б\n1 | 2\n3 | 4\n5 | 6")]


def test_tables_with_headings_and_lists_in_their_cells(read: Read) -> None:
    page = """<table><tr><th>Имя<th>Состав<tr><td><h4>Б1</h4><td><ol><li>сталь<li>бетон</ol>
    <tr><td>Б2<td><table><tr><td>а<td>б</table></table>"""
    assert tables(read, page) == [(("Имя", "Состав"), ("Б1", "1. сталь 2. бетон"), ("Б2", "а б"))]


def test_marked_header_rows(read: Read) -> None:
    page = "<table><thead><tr><td>1<td>2</thead><tbody><tr><td>а<td>б</tbody></table>"
    assert read(page, "a.html").elements[0].header_rows == 1
    page = "<table><tr><th scope=row>Масса<td>12<tr><th scope=row>Длина<td>3</table>"
    assert read(page, "a.html").elements[0].header_rows == 0


def test_a_title_over_the_whole_width_is_a_caption(read: Read) -> None:
    page = "<table><tr><td colspan=2>Таблица 1 — Нагрузки<tr><th>Вид<th>кПа<tr><td>Снег<td>1,8</table>"
    document = read(page, "a.html")
    assert outline(document) == [("caption", "Таблица 1 — Нагрузки"), ("table", "Вид | кПа\nСнег | 1,8")]
    assert document.elements[1].header_rows == 1


def test_numbers_of_lines_beside_code(read: Read) -> None:
    page = """<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre>
    <td class=code><pre>x = 1\ny = 2</pre></table>"""
    assert outline(read(page, "a.html")) == [("code", "x = 1\ny = 2")]


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<title>Свод правил | Портал</title><meta property='og:site_name' content='Портал'>", "Свод правил"),
        (
            "<title>Свод правил - Портал</title><meta property='og:title' content='Свод правил'>",
            "Свод правил",
        ),
        ("<title>Здания - это сложно</title>", "Здания - это сложно"),
        ("<title>Документ</title><meta property='og:title' content='Свод'>", "Свод"),
        ("<title>Microsoft Word - zakon.doc</title>", "Заголовок"),
        ("<title>index.html</title><meta itemprop=headline content='Название'>", "Название"),
        ("<title>Заголовок / КонсультантПлюс</title>", "Заголовок"),
        ("<svg><title>значок</title></svg>", "Заголовок"),
    ],
)
def test_titles(read: Read, head: str, title: str) -> None:
    assert read(f"<html><head>{head}</head><body><h1>Заголовок</h1>{TEXT}", "a.html").title == title


def test_attributes(read: Read) -> None:
    head = """<html lang="ru"><meta name="Description" content=" О&#10;здании ">
    <meta name=author content="А. Б.">
    <meta property="article:published_time" content="2024-01-31"><link rel=canonical href="https://example.org/a">
    <meta name=viewport content=x>"""
    attributes = read(f"{head}<p>Текст</p>", "a.html").attributes
    assert attributes == {
        "description": "О здании",
        "author": "А. Б.",
        "published": "2024-01-31",
        "canonical": "https://example.org/a",
        "lang": "ru",
    }


def test_captions(read: Read) -> None:
    page = "<p class=MsoCaption>Рисунок 1</p><div class=thumbcaption>Мост</div>"
    assert texts(read(page, "a.html"), ElementKind.CAPTION) == ["Рисунок 1", "Мост"]
