from __future__ import annotations

import pytest

from tests.support.outline import outline
from tests.unit.extraction.conftest import Read

BODY = "<p>Обычный текст, который идёт под заголовком и длиннее его, как это бывает в законах.</p>" * 3


def headings(read: Read, page: str) -> list[tuple[str, str]]:
    found = outline(read(page, "a.html"))
    return [(kind, text) for kind, text in found if kind.startswith(("heading", "title"))]


@pytest.mark.parametrize(
    ("style", "opening", "closing"),
    [
        ("", '<p align="center"><b>', "</b></p>"),
        ("", '<div style="text-align:center;font-weight:700">', "</div>"),
        (".H{text-align:center;font-weight:bold}", '<p class="H">', "</p>"),
        ("span.W9{font-weight:bold} .C{text-align:center}", '<p class="C"><span class="W9">', "</span></p>"),
        ("", '<p class="article-title">', "</p>"),
        ("", "<center>", "</center>"),
        ("", '<div role="heading" aria-level="3">', "</div>"),
    ],
)
def test_e11_headings_that_are_only_set_as_such(read: Read, style: str, opening: str, closing: str) -> None:
    names = ["Глава 1. Общие положения", "Статья 1. Цели закона", "Статья 2. Понятия", "Глава 2. Требования"]
    page = f"<style>{style}</style>{BODY}" + "".join(f"{opening}{name}{closing}{BODY}" for name in names)
    found = headings(read, page)
    assert [text for _, text in found] == names
    if "aria-level" not in opening:
        assert [kind for kind, _ in found] == ["heading1", "heading2", "heading2", "heading1"]


def test_e11_articles_without_any_look(read: Read) -> None:
    page = f"""<p>Статья 5. Сфера действия</p>{BODY}<p>Статья 6</p>{BODY}
    <p>Статья 7 настоящего закона не применяется.</p>"""
    assert headings(read, page) == [("heading1", "Статья 5. Сфера действия"), ("heading1", "Статья 6")]


def test_e11_what_is_no_heading(read: Read) -> None:
    lines = [
        "12.05.2020",
        "2,5 м",
        "Глава администрации города",
        "Раздел II перечня дополнить словами",
        "Статья 5 закона применяется;",
        "Министр И. И. Иванов",
    ]
    assert headings(read, BODY + "".join(f"<p>{line}</p>{BODY}" for line in lines)) == []


def test_e11_a_table_of_contents_is_no_row_of_headings(read: Read) -> None:
    names = [f"Статья {i}. Название {i}" for i in range(1, 7)]
    contents = "".join(f"<p>{name}</p>" for name in names)
    linked = "".join(f'<p><a href="#{i}">{name}</a></p>' for i, name in enumerate(names))
    text = "".join(f"<p><b>{name}</b></p>{BODY}" for name in names)
    for page in (contents + BODY + text, linked + text):
        assert [name for _, name in headings(read, page)] == names


def test_lines_of_one_heading_are_joined(read: Read) -> None:
    page = f"""{BODY}<center><b>Глава 2</b></center><center><b>ТРЕБОВАНИЯ К ЗДАНИЯМ</b></center>{BODY}
    <p align=center>III. Требования к результатам</p><p align=center>освоения программы</p>{BODY}"""
    assert [text for _, text in headings(read, page)] == [
        "Глава 2 ТРЕБОВАНИЯ К ЗДАНИЯМ",
        "III. Требования к результатам освоения программы",
    ]


def test_title_and_appendices_of_an_act(read: Read) -> None:
    page = f"""<table><tr><td>Зарегистрировано<td>№ 5</table>
    <p align=center><b>ПРИКАЗ</b></p><p align=center><b>О мерах</b></p>
    {BODY}<p align=right>Приложение № 1</p><p align=right>к приказу</p>
    <p align=center>ПЕРЕЧЕНЬ</p><p align=center>МЕР</p>
    {BODY}<p align=center>I. Общие положения</p>{BODY}<p align=center>II. Порядок</p>{BODY}"""
    document = read(page, "a.html")
    assert headings(read, page) == [
        ("title", "ПРИКАЗ"),
        ("title", "О мерах"),
        ("heading1", "Приложение № 1"),
        ("heading2", "ПЕРЕЧЕНЬ МЕР"),
        ("heading3", "I. Общие положения"),
        ("heading3", "II. Порядок"),
    ]
    assert document.title == "ПРИКАЗ О мерах"


def test_bold_lines_head_a_page_without_other_headings(read: Read) -> None:
    page = f"""<h1>Отчёт</h1>{BODY}<p><strong>Выводы</strong></p>{BODY}
    <p><b>Внимание!</b> Осторожно.</p><p><b>Подпись</b></p>"""
    assert headings(read, page) == [("heading1", "Отчёт"), ("heading2", "Выводы")]


def test_bold_lines_are_no_headings_beside_real_ones(read: Read) -> None:
    page = f"<h1>Отчёт</h1><h2>Часть</h2>{BODY}<p><b>Выводы</b></p>{BODY}<h2>Ещё</h2>{BODY}"
    assert [text for _, text in headings(read, page)] == ["Отчёт", "Часть", "Ещё"]


def test_a_page_all_in_bold_has_no_bold_headings(read: Read) -> None:
    assert headings(read, f"<div style='font-weight:bold'>{BODY}<p>Краткая строка</p>{BODY}</div>") == []


def test_headings_by_name_stand_below_those_of_the_markup(read: Read) -> None:
    page = f"""<h1>Кодекс</h1><h2>Глава 1</h2>{BODY}<p><b>Статья 1. Одна</b></p>{BODY}
    <h2>Глава 2</h2><p><b>Статья 2. Две</b></p>{BODY}"""
    assert [kind for kind, _ in headings(read, page)] == [
        "heading1",
        "heading2",
        "heading3",
        "heading2",
        "heading3",
    ]


def test_text_that_is_marked_up_as_a_heading(read: Read) -> None:
    assert headings(read, f"<h2>{'Очень длинный текст. ' * 30}</h2>{BODY}") == []


def test_letterheads_and_parts_of_a_title_that_are_marked_up_as_headings(read: Read) -> None:
    right = '<h3 style="text-align:right;font-weight:normal">'
    middle = "<h4 align=center>"
    page = f"""{BODY}{right}Глава поселения</h3>{right}Ю. А. Сахаров</h3>
    {right}Приложение 1</h3>{right}к решению</h3>
    {middle}СОГЛАШЕНИЕ</h4>{middle}о передаче «Торбеевскому</h4>{middle}району»</h4>
    {middle}Стороны</h4>{BODY}"""
    assert headings(read, page) == [
        ("heading3", "Приложение 1"),
        ("heading4", "СОГЛАШЕНИЕ о передаче «Торбеевскому району»"),
        ("heading4", "Стороны"),
    ]
