from __future__ import annotations

import pytest

from rubrica.model import ElementKind
from tests.support.outline import outline, texts
from tests.unit.extraction.conftest import Read


def test_plain_text(read: Read) -> None:
    document = read(
        "СВОД ПРАВИЛ\n\nГлава 1. Общие положения\n\nПервая строка\nвторая строка.\n\nТребования:\n"
        "- одно\n  продолжение\n  - вложенное\n- другое\n\n1) раз\n2) два\n\n"
        "5.2.1 Класс бетона не ниже В25.\n",
        "norm.txt",
    )
    assert outline(document) == [
        ("title", "СВОД ПРАВИЛ"),
        ("heading1", "Глава 1. Общие положения"),
        ("paragraph", "Первая строка\nвторая строка."),
        ("paragraph", "Требования:"),
        ("list_item1", "одно\nпродолжение"),
        ("list_item2", "вложенное"),
        ("list_item1", "другое"),
        ("list_item1", "1) раз"),
        ("list_item1", "2) два"),
        ("paragraph", "5.2.1 Класс бетона не ниже В25."),
    ]
    assert document.elements[-1].clause == "5.2.1"
    assert document.title == "СВОД ПРАВИЛ"


def test_unwrapped_lines_are_paragraphs(read: Read) -> None:
    long = "слово " * 50
    assert len(read(f"{long}\nкороткая\n{long}", "a.txt").elements) == 3


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("1 ОБЩИЕ ПОЛОЖЕНИЯ", True),
        ("1.1 Область применения", True),
        ("5.2.1 Бетон", True),
        ("Глава 2", True),
        ("Раздел II. Право собственности", True),
        ("Приложение А", True),
        ("Статья 15. Объекты", True),
        ("Section 4.3 Scope", True),
        ("12.05.2020", False),
        ("12.05.2020 Москва", False),
        ("2,5 м", False),
        ("5.2 мм", False),
        ("5.2 Введение ........ 7", False),
        ("1 Область применения 5", False),
        ("С. 15–20", False),
        ("5.2.1 Класс бетона должен быть не ниже В25.", False),
        ("3 балки по краю", False),
        ("Глава государства подписал закон", False),
        ("1 " + "Я" * 400, False),
    ],
)
def test_a_line_alone_is_a_heading_if_numbered_or_named_as_one(
    read: Read, line: str, is_heading: bool
) -> None:
    document = read(f"Первый абзац о разном.\n\n{line}\n\nВторой абзац о другом.\n", "a.txt")
    assert texts(document, ElementKind.HEADING) == ([line] if is_heading else [])


def test_e11_parts_of_a_law_nest(read: Read) -> None:
    source = (
        "ЖИЛИЩНЫЙ КОДЕКС\n\nРаздел I. ОБЩИЕ ПОЛОЖЕНИЯ\n\nГлава 1. ОСНОВНЫЕ ПОЛОЖЕНИЯ.\nЗАКОНОДАТЕЛЬСТВО\n\n"
        f"Статья 1. Начала\n\n1. {'Слово ' * 50}.\n2. {'Дело ' * 50}:\n1) раз;\n2) два.\n"
        "(в ред. от 01.02.2003,\nот 02.03.2004)\n"
    )
    assert [(kind, text[:60]) for kind, text in outline(read(source, "a.txt"))] == [
        ("title", "ЖИЛИЩНЫЙ КОДЕКС"),
        ("heading1", "Раздел I. ОБЩИЕ ПОЛОЖЕНИЯ"),
        ("heading2", "Глава 1. ОСНОВНЫЕ ПОЛОЖЕНИЯ. ЗАКОНОДАТЕЛЬСТВО"),
        ("heading3", "Статья 1. Начала"),
        ("paragraph", ("1. " + "Слово " * 50)[:60]),
        ("paragraph", ("2. " + "Дело " * 50)[:60]),
        ("list_item1", "1) раз;"),
        ("list_item1", "2) два."),
        ("paragraph", "(в ред. от 01.02.2003,\nот 02.03.2004)"),
    ]


WRAPPED = """\
   5.2.1 Класс бетона монолитных конструкций следует принимать не
ниже В25, если иное не обосновано расчётом и инженерно-
геологическими изысканиями на площадке строительства здания.
   5.2.2 Толщину плиты назначают по расчёту с учётом требований к
прогибам и к огнестойкости конструкций, но не менее ста
шестидесяти миллиметров. Исключе\u00ad
ния приведены в таблице.
"""


def test_e07_hard_wrapped_lines_are_joined(read: Read) -> None:
    first, second = read(WRAPPED, "a.txt").elements
    assert (first.clause, second.clause) == ("5.2.1", "5.2.2")
    text = read(WRAPPED, "a.txt").text
    assert "инженерно-геологическими изысканиями" in text
    assert "Исключения приведены" in text
    assert text.count("\n") == 2


TABLES = {
    "boxes": "┌────┬─────┐\n│ №  │ Имя │\n"
    "├────┼─────┤\n│ 1  │ раз │\n│    │ два │\n├────┼─────┤\n│ 2  │ три │\n└────┴─────┘",
    "double": "╔════╤═════╗\n║ №  │ Имя ║\n"
    "╠════╪═════╣\n║ 1  │ раз ║\n║    │ два ║\n║ 2  │ три ║\n╚════╧═════╝",
    "mysql": "+----+---------+\n| №  | Имя     |\n"
    "+----+---------+\n| 1  | раз два |\n| 2  | три     |\n+----+---------+",
    "grid": "+----+-----+\n| №  | Имя |\n"
    "+====+=====+\n| 1  | раз |\n|    | два |\n+----+-----+\n| 2  | три |\n+----+-----+",
    "psql": " № | Имя\n---+-----\n 1 | раз два\n 2 | три",
    "pipes": "| № | Имя |\n|---|-----|\n| 1 | раз два |\n| 2 | три |",
    "rules": "==== =====\n№    Имя\n==== =====\n1    раз\n     два\n2    три\n==== =====",
    "spaces": "№     Имя\n1     раз два\n2     три",
}


@pytest.mark.parametrize("name", TABLES)
def test_drawn_tables(read: Read, name: str) -> None:
    document = read(f"Текст.\n\n{TABLES[name]}\n\nДальше.\n", "a.txt")
    table = document.elements[1]
    assert (table.rows, table.header_rows) == ((("№", "Имя"), ("1", "раз два"), ("2", "три")), 1)


def test_cells_that_reach_down_and_across(read: Read) -> None:
    drawn = "+---+---+---+\n| А | Б     |\n|   +---+---+\n|   | в | г |\n+---+---+---+\n"
    drawn += "| 1 | 2 | 3 |\n+---+---+---+"
    assert read(drawn, "a.txt").elements[0].rows == (("А", "Б", ""), ("А", "в", "г"), ("1", "2", "3"))


def test_layout_that_is_no_clear_table_stays(read: Read) -> None:
    columns = "Имя      Толщина    Цвет\nплита    160\nбалка               серый"
    assert outline(read(f"Так:\n\n{columns}\n", "a.txt"))[1] == ("code", columns)
    code = "  if (x > 0) {\n    return f(x);\n  }"
    assert outline(read(f"Так:\n\n{code}\n", "a.txt"))[1][0] == "code"


def test_e15_pages_lose_their_furniture(read: Read) -> None:
    words = ["Первый", "Второй", "Третий", "Иной", "Ещё"]
    pages = [
        f"СНиП 1-2-3        С. {i}\n\n{w} о деле.\n\nИздание официальное" for i, w in enumerate(words, 1)
    ]
    document = read("\f".join(pages) + "\f", "a.txt")
    assert [
        (text, item.page_from) for (_, text), item in zip(outline(document), document.elements, strict=True)
    ] == [(f"{w} о деле.", i) for i, w in enumerate(words, 1)]
    assert len(read("\f".join(pages[:1]), "a.txt").elements) == 3


def test_printers_tricks_go(read: Read) -> None:
    assert read("N\bNA\bAM\bME\bE _\bf_\bo_\bo \x1b[1mbold\x1b[0m\n", "a.txt").text == "NAME foo bold"


@pytest.mark.parametrize(
    "content", ["(\n" * 20_000, "a,\n" * 20_000, "| " * 50_000, "+-+\n" * 20_000, ("x " * 2000 + "\n") * 50]
)
def test_hostile_lines_cost_little(read: Read, content: str) -> None:
    assert read(content, "a.txt").text


def test_headings_of_a_wiki(read: Read) -> None:
    text = (
        " = Крепость = \n \nВведение тут.\n\n = = История = = \n Построена в 1836 году .\n"
        "=== Планы ===\nТекст x = y = z.\n"
    )
    assert outline(read(text, "a.txt")) == [
        ("heading1", "Крепость"),
        ("paragraph", "Введение тут."),
        ("heading2", "История"),
        ("paragraph", "Построена в 1836 году ."),
        ("heading3", "Планы"),
        ("paragraph", "Текст x = y = z."),
    ]


@pytest.mark.parametrize(
    "line", ["== Одно =", "= =", "= 12 =", "===", "a == b", "==== ... ====", "= a = b ="]
)
def test_signs_of_equality_that_make_no_heading(read: Read, line: str) -> None:
    assert "heading" not in str(outline(read(f"Текст перед.\n\n{line}\n\nТекст.", "a.txt")))


def test_the_first_of_several_articles_gives_no_title(read: Read) -> None:
    article = "= {} =\n\nВведение.\n\n== История ==\n\nТекст.\n\n"
    assert read(article.format("Крепость"), "a.txt").title == "Крепость"
    assert read("".join(map(article.format, ("Крепость", "Мост", "Башня"))), "a.txt").title == "a.txt"


def test_a_section_is_told_by_its_first_clause(read: Read) -> None:
    text = (
        "Содержание\n4 Требования . . . . 3\n4.1 Основные . . . . 3\n\n"
        "конец раздела.\n4 Технические требования\n4.1 Смеси готовят по регламенту.\n"
        "4.2 Марка\n4.2.1 Марку задают.\n5 Определение прочности по кернам,\nвзятым из стен\n5.1 Керны.\n"
        "7 Приёмка\n7.2 Партии.\n6 Это предложение.\n6.1 Пункт.\n"
    )
    found = outline(read(text, "a.txt"))
    assert [item for item in found if "heading" in item[0]] == [
        ("heading1", "4 Технические требования"),
        ("heading2", "4.2 Марка"),
        ("heading1", "5 Определение прочности по кернам, взятым из стен"),
    ]
    assert found[-1] == ("paragraph", "6.1 Пункт.")
