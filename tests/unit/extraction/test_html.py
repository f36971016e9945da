from __future__ import annotations

import pytest

from rubrica.model import ElementKind
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


@pytest.mark.parametrize(
    ("opening", "markers"),
    [
        ("<ol>", ("1. ", "2. ")),
        ("<ol type=a start=3>", ("c. ", "d. ")),
        ("<ol type=A>", ("A. ", "B. ")),
        ("<ol type=i start=4>", ("iv. ", "v. ")),
        ("<ol type=I reversed>", ("II. ", "I. ")),
        ("<ol reversed start=10>", ("10. ", "9. ")),
        ('<ol style="list-style-type: lower-latin" start=27>', ("aa. ", "ab. ")),
        ("<ol style='list-style:none'>", ("", "")),
        ("<ol start=x>", ("1. ", "2. ")),
        ("<ul>", ("", "")),
    ],
)
def test_numbers_of_lists(read: Read, opening: str, markers: tuple[str, str]) -> None:
    page = f"{opening}<li>раз слово<li>два слова</ol>"
    assert texts(read(page, "a.html"), ElementKind.LIST_ITEM) == [
        f"{markers[0]}раз слово",
        f"{markers[1]}два слова",
    ]


def test_typed_numbers_are_not_doubled(read: Read) -> None:
    page = "<ol><li>1) первый<li value=7>седьмой<li>восьмой<li>Нет. Девятый</ol>"
    assert texts(read(page, "a.html"), ElementKind.LIST_ITEM) == [
        "1) первый", "7. седьмой", "8. восьмой", "9. Нет. Девятый",
    ]  # fmt: skip


def test_definitions_stand_with_their_terms(read: Read) -> None:
    page = """<dl><dt>здание<dt>дом<dd>результат строительства<dd>ещё
    <dt>сеть<dd><table><tr><td>а<td>б</table><dt>конец</dl>"""
    assert outline(read(page, "a.html")) == [
        ("list_item1", "здание\nдом\nрезультат строительства"),
        ("paragraph", "ещё"),
        ("list_item1", "сеть"),
        ("table", "а | б"),
        ("list_item1", "конец"),
    ]


def test_raised_figures_keep_their_place(read: Read) -> None:
    page = "<p>10<sup>6</sup> м<sup>2</sup>, CO<sub>2</sub>, 10<sup>-3</sup>, H<sup>текст</sup></p>"
    assert read(page, "a.html").text == "10⁶ м², CO2, 10⁻³, Hтекст"


def test_inserted_articles_have_the_number_that_they_are_cited_by(read: Read) -> None:
    element = read("<h2>Статья 12<sup>1</sup>. Основные понятия</h2><p>Текст", "a.html").elements[0]
    assert element.clause == "Статья 12.1"


def test_notes_and_the_references_to_them(read: Read) -> None:
    page = """<p>раз<sup class="reference"><a href="#cite_note-1">[1]</a></sup> два<a href="#_ftn2">[2]</a>
    <a href="#part">3</a></p>
    <ol class="references"><li><span class="mw-cite-backlink"><a href="#cite_ref-1">^</a></span> Источник.
    <a href="#cite_ref-1">↩</a></li></ol>
    <div id="ftn2"><p><a href="#_ftnref2">[2]</a> Сноска.</p></div>
    <p>--------------</p><p>&lt;3&gt; Часть 2.</p>"""
    assert outline(read(page, "a.html")) == [
        ("paragraph", "раз два 3"),
        ("footnote", "1. Источник."),
        ("footnote", "[2] Сноска."),
        ("footnote", "<3> Часть 2."),
    ]


def test_formulas_are_their_source(read: Read) -> None:
    page = r"""<p>Дано <span class="mwe-math-element"><span hidden><math><mi>E</mi></math></span>
    <img class="mwe-math-fallback-image-inline" alt="{\displaystyle E=mc^{2}}"></span>,
    <script type="math/tex">a+b</script>, <span class="katex"><span class="katex-mathml"><math><mi>x</mi>
    <annotation encoding="application/x-tex">x^2</annotation></math></span>
    <span class="katex-html">x2</span></span>.</p>"""
    assert read(page, "a.html").text == "Дано E=mc^{2}, a+b, x^2."


def test_details_and_buttons_in_headings(read: Read) -> None:
    page = """<details><summary>Подробнее</summary><p>внутри</p></details>
    <h2><button>Вопрос</button></h2><p>ответ
    <button>Отправить</button></p>"""
    assert outline(read(page, "a.html")) == [
        ("paragraph", "Подробнее"),
        ("paragraph", "внутри"),
        ("heading2", "Вопрос"),
        ("paragraph", "ответ"),
    ]


def test_lists_of_word_processors(read: Read) -> None:
    page = """<p class=MsoListParagraph style='mso-list:l0 level2 lfo1'><![if !supportLists]><span
    style='mso-list:Ignore'>·<span>&nbsp;&nbsp;&nbsp;</span></span><![endif]>пункт</p>
    <div style='mso-element:header'><p>колонтитул</p></div><p><del>20</del><ins>25</ins> мм</p>"""
    assert outline(read(page, "a.html")) == [("list_item2", "пункт"), ("paragraph", "25 мм")]


def test_paragraphs_parted_by_line_breaks(read: Read) -> None:
    page = """<p>Закон принимается в целях:<br>1) защиты жизни;<br>2) охраны среды.<br><br>
    - первое<br>- второе</p>
    <p>г. Москва<br>ул. Ленина</p>"""
    assert outline(read(page, "a.html")) == [
        ("paragraph", "Закон принимается в целях:"),
        ("paragraph", "1) защиты жизни;"),
        ("paragraph", "2) охраны среды."),
        ("list_item1", "первое"),
        ("list_item1", "второе"),
        ("paragraph", "г. Москва\nул. Ленина"),
    ]


LINES = (
    "    Статья 1. Настоящий Федеральный закон устанавливает общие",
    "требования к безопасности зданий и сооружений на всех этапах",
    "жизни.",
    "    Статья 2. Требования обязательны для всех лиц, которые",
    "строят.",
)
JOINED = [
    (
        "Статья 1. Настоящий Федеральный закон устанавливает общие требования к безопасности зданий"
        " и сооружений на всех этапах жизни."
    ),
    "Статья 2. Требования обязательны для всех лиц, которые строят.",
]


@pytest.mark.parametrize("page", ["<pre>" + "\n".join(LINES) + "</pre>", "<p>" + "<br>".join(LINES)])
def test_typed_lines_are_joined(read: Read, page: str) -> None:
    assert texts(read(page, "a.html"), ElementKind.PARAGRAPH) == JOINED


def test_code_stays_code(read: Read) -> None:
    code = "for (int i = 0; i < 10; i++) {\n    print(i);\n}\n" * 5
    assert (
        read(f"<pre><code>{code.replace('<', '&lt;')}</code></pre>", "a.html").elements[0].kind
        is ElementKind.CODE
    )


def test_xhtml_with_empty_elements(read: Read) -> None:
    page = (
        '<?xml version="1.0" encoding="utf-8"?>'
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd">'
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/></head>'
        "<body><p>раз&nbsp;два&mdash;<![CDATA[три]]></p>"
        "<svg:svg xmlns:svg='x'><svg:text>рисунок</svg:text></svg:svg></body></html>"
    )
    assert read(page, "a.xhtml").text == "раз два—три"
    assert read(page.replace("</p>", "<br></p>"), "a.html").text.startswith("раз два—")


def test_lone_closing_tags_in_markdown(read: Read) -> None:
    assert outline(read("</div>\n\nтекст\n\n<!-- c -->\n", "a.md")) == [("paragraph", "текст")]
