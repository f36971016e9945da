"""Tables that no grid shows, and everything that only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.result import Extracted
from rubrica.model import Element, ElementKind
from tests.unit.extraction.pdf.drawing import LEFT, Sheets, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER

GOODS = [
    ["Материал", "Плотность, кг/м³", "Прочность, МПа"],
    ["Бетон тяжёлый", "2400", "25,0"],
    ["Кирпич полнотелый", "1800", "10,0"],
    ["Древесина", "520", "4,5"],
    ["Газобетон", "600", "2,5"],
]
PLACES = [LEFT, 260.0, 400.0]


def tables(document: Extracted) -> list[Element]:
    return [e for e in document.elements if e.kind is ElementKind.TABLE]


def draw_columns(sheets: Sheets, rows: list[list[str]], places: list[float], *, pitch: float = 14) -> None:
    """Draw rows whose cells begin at the given places."""
    for row in rows:
        for text, x in zip(row, places, strict=True):
            if text:
                sheets.line(text, x=x, y=sheets.y, size=9)
        sheets.y += pitch


def rule(sheets: Sheets, x0: float = LEFT, x1: float = 500.0) -> None:
    sheets._rule(x0, sheets.y - 10, x1, sheets.y - 10)
    sheets.y += 4


def test_columns_of_values_without_any_rule_are_a_table(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.skip()
    sheets.line("Таблица 1 — Свойства")
    sheets.skip(4)
    draw_columns(sheets, GOODS, PLACES)
    sheets.skip()
    sheets.paragraph(OTHER)
    document = sheets.read()
    assert [e.kind for e in document.elements] == [
        ElementKind.PARAGRAPH,
        ElementKind.CAPTION,
        ElementKind.TABLE,
        ElementKind.PARAGRAPH,
    ]
    (table,) = tables(document)
    assert [list(row) for row in table.rows] == GOODS
    assert table.header_rows == 1
    assert document.text.count("Кирпич") == 1
    assert texts(document, ElementKind.PARAGRAPH) == [LONG, OTHER]


def test_years_over_columns_are_their_header(sheets: Sheets) -> None:
    rows = [
        ["Показатель", "2021", "2022", "2023"],
        ["Объём", "12", "15", "17"],
        ["Доля", "0,4", "0,5", "0,7"],
    ]
    rule(sheets)
    draw_columns(sheets, [*rows, ["Цена", "9", "8", "9"]], [LEFT, 220.0, 300.0, 380.0])
    rule(sheets)
    (table,) = tables(sheets.read())
    assert table.rows[0] == ("Показатель", "2021", "2022", "2023")
    assert table.header_rows == 1
    assert len(table.rows) == 4


def test_a_label_on_two_lines_is_one_row(sheets: Sheets) -> None:
    rows = [
        ["Показатель", "Значение", "Допуск"],
        ["Отклонение от вертикали стен и", "12", "0,5"],
        ["простенков", "", ""],
        ["Отклонение осей", "10", "0,4"],
        ["Толщина швов", "8", "0,2"],
    ]
    rule(sheets)
    draw_columns(sheets, rows, PLACES, pitch=11)
    rule(sheets)
    (table,) = tables(sheets.read())
    assert [row[0] for row in table.rows] == [
        "Показатель",
        "Отклонение от вертикали стен и простенков",
        "Отклонение осей",
        "Толщина швов",
    ]


def test_values_beside_the_middle_of_a_label_belong_to_its_row(sheets: Sheets) -> None:
    for label, value in (("первого этажа", "12"), ("второго этажа", "14"), ("третьего этажа", "9")):
        sheets.line("Нагрузка на перекрытие", x=LEFT, y=sheets.y, size=9)
        sheets.line(value, x=260, y=sheets.y + 5.5, size=9)
        sheets.line(f"{value},5", x=400, y=sheets.y + 5.5, size=9)
        sheets.line(label, x=LEFT, y=sheets.y + 11, size=9)
        sheets.y += 30
    rows = [list(row) for row in tables(sheets.read())[0].rows]
    assert rows[0] == ["Нагрузка на перекрытие первого этажа", "12", "12,5"]
    assert len(rows) == 3


def test_a_name_over_several_columns_counts_for_each(sheets: Sheets) -> None:
    rule(sheets)
    sheets.line("Предел прочности", x=290, y=sheets.y, size=9)
    sheets._rule(250, sheets.height and sheets.y + 4, 430, sheets.y + 4)
    sheets.y += 14
    draw_columns(sheets, [["Марка", "сжатие", "изгиб"]], [LEFT, 260.0, 390.0])
    rule(sheets)
    draw_columns(
        sheets,
        [["М100", "10,1", "2,2"], ["М150", "15,2", "3,1"], ["М200", "20,4", "4,0"]],
        [LEFT, 262.0, 392.0],
    )
    rule(sheets)
    (table,) = tables(sheets.read())
    assert table.header_rows == 2
    assert table.rows[0] == ("Марка", "Предел прочности", "Предел прочности")
    assert table.rows[1] == ("Марка", "сжатие", "изгиб")
    assert table.rows[2] == ("М100", "10,1", "2,2")


def test_words_between_rules_are_a_table(sheets: Sheets) -> None:
    sheets.line("Table 2. Terms")
    sheets.skip(14)
    rule(sheets)
    draw_columns(sheets, [["Term", "Definition"]], [LEFT, 220.0])
    rule(sheets)
    for term, lines in (
        (
            "Pile",
            [
                "A slender structural member that is driven into",
                "the ground and carries loads to deeper soil",
            ],
        ),
        ("Footing", ["The part of a foundation that spreads the load"]),
        ("Raft", ["A slab under the whole building, often used on", "soft ground where settlements matter"]),
    ):
        sheets.line(term, x=LEFT, y=sheets.y, size=9)
        for line in lines:
            sheets.line(line, x=220, y=sheets.y, size=9)
            sheets.y += 11
        sheets.y += 8
    rule(sheets)
    document = sheets.read()
    (table,) = tables(document)
    assert [row[0] for row in table.rows] == ["Term", "Pile", "Footing", "Raft"]
    assert table.rows[3][1] == (
        "A slab under the whole building, often used on soft ground where settlements matter"
    )
    assert texts(document, ElementKind.CAPTION) == ["Table 2. Terms"]


def test_words_in_columns_below_a_caption_are_a_table(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.line("Таблица 7 — Состав работ")
    sheets.skip(6)
    draw_columns(sheets, [["Этап", "Исполнитель", "Итог"]], PLACES)
    for row in (
        ["Изыскания", "Институт", "Отчёт"],
        ["Проект", "Бюро", "Чертежи"],
        ["Стройка", "Подрядчик", "Дом"],
    ):
        draw_columns(sheets, [row], PLACES, pitch=16)
    sheets.skip()
    sheets.paragraph(OTHER)
    document = sheets.read()
    (table,) = tables(document)
    assert [row[0] for row in table.rows] == ["Этап", "Изыскания", "Проект", "Стройка"]
    assert table.header_rows == 1
    assert texts(document, ElementKind.PARAGRAPH) == [LONG, OTHER]


def test_a_list_below_a_caption_is_no_table(sheets: Sheets) -> None:
    sheets.line("Таблица 7 — Состав работ")
    draw_columns(sheets, [[f"{i})", f"работа {'абвг'[i]}"] for i in range(4)], [LEFT, 110.0])
    assert tables(sheets.read()) == []


def test_a_table_in_one_column_of_a_page_leaves_the_other_column_alone(sheets: Sheets) -> None:
    words = OTHER.split() * 3
    prose = [" ".join(words[i : i + 5]) for i in range(0, 60, 5)]
    for i, line in enumerate(prose):
        sheets.line(line, x=310, y=100 + 14 * i, size=8)
    sheets.y = 100
    draw_columns(sheets, [["Год", "Скважин", "Проб"]], [LEFT, 150.0, 220.0])
    draw_columns(
        sheets, [[str(2011 + 3 * i * i), f"{17 + i}", f"{40 - i},5"] for i in range(6)], [LEFT, 152.0, 222.0]
    )
    document = sheets.read()
    (table,) = tables(document)
    assert len(table.rows) == 7
    assert {len(row) for row in table.rows} == {3}
    rest = " ".join(texts(document, ElementKind.PARAGRAPH))
    assert all(line in rest.replace("- ", "-") or line[:12] in rest for line in prose)


def test_leaders_between_label_and_values_are_dropped(sheets: Sheets) -> None:
    rows = [
        [f"Всего {name} . . . . . . . .", a, b]
        for name, a, b in (("зданий", "12", "14"), ("дорог", "8", "9"))
    ]
    draw_columns(
        sheets, [["Объекты", "2020", "2021"], *rows, ["Мосты . . . . . . . . . .", "3", "1"]], PLACES
    )
    (table,) = tables(sheets.read())
    assert [row[0] for row in table.rows[1:]] == ["Всего зданий", "Всего дорог", "Мосты"]


CONTENTS = [
    ["Введение", "3"],
    ["Общие положения", "5"],
    ["Требования к материалам", "9"],
    ["Приложение", "14"],
]
ITEMS = [[mark, text] for mark, text in zip("абвг", ("песок", "щебень", "гравий", "цемент"), strict=True)]
SIGNED = [
    ["Директор", "И. И. Петров"],
    ["Главный инженер", "С. П. Сидоров"],
    ["Нормоконтроль", "О. А. Белова"],
]
FORMULAS = [["F = m a + k x", "(1)"], ["E = m c", "(2)"], ["S = v t", "(3)"], ["P = U I", "(4)"]]
LINES = [
    [str(n), text] for n, text in enumerate(("THE COURT", "Mr. Smith", "Good morning", "Proceed"), start=1)
]
REFERENCES = [[f"[{n}]", f"Автор {n}. Название книги, 20{n}0."] for n in range(1, 5)]
SECTIONS = [["1", "Введение", "3"], ["2", "Материалы", "7"], ["3", "Методы", "12"], ["4", "Выводы", "19"]]


@pytest.mark.parametrize(
    ("rows", "places"),
    [
        (CONTENTS, [LEFT, 480.0]),
        (SECTIONS, [LEFT, 100.0, 480.0]),
        ([[f"{mark})", text] for mark, text in ITEMS], [LEFT, 110.0]),
        ([["•", text] for _, text in ITEMS], [LEFT, 100.0]),
        (SIGNED, [LEFT, 380.0]),
        (FORMULAS, [220.0, 490.0]),
        (LINES, [LEFT, 120.0]),
        (REFERENCES, [LEFT, 110.0]),
    ],
    ids=[
        "contents",
        "numbered contents",
        "letters",
        "bullets",
        "signatures",
        "formulas",
        "line numbers",
        "references",
    ],
)
def test_what_is_no_table(sheets: Sheets, rows: list[list[str]], places: list[float]) -> None:
    draw_columns(sheets, rows, places)
    assert tables(sheets.read()) == []


def test_running_text_in_two_columns_is_no_table_even_between_rules(sheets: Sheets) -> None:
    words = (LONG + " " + OTHER).split() * 4
    for x in (LEFT, 310.0):
        for i in range(24):
            sheets.line(" ".join(words[i * 4 : i * 4 + 5]), x=x, y=110 + 12 * i, size=8)
    for y in (90.0, 240.0, 420.0):
        sheets.y = y
        rule(sheets, LEFT, 530.0)
    assert tables(sheets.read()) == []


def test_labels_of_axes_are_no_table(sheets: Sheets) -> None:
    for i in range(6):
        sheets.line(str(50 - 10 * i), x=100, y=100 + 30 * i, size=8)
        sheets.line(f"{100 - 20 * i}", x=400, y=100 + 30 * i, size=8)
    sheets._rule(115, 90, 115, 260)
    sheets._rule(115, 260, 390, 260)
    assert tables(sheets.read()) == []


def test_values_on_the_bars_of_a_chart_are_no_table(sheets: Sheets) -> None:
    for i, (first, second) in enumerate(((30, 49), (29, 48), (45, 25), (47, 27), (26, 32))):
        y = 100.0 + 24 * i
        sheets.line(str(2000 + 7 * i * i), x=80, y=y, size=8)
        for x0, x1, value in ((110.0, 110.0 + 3 * first, first), (110.0 + 3 * first, 400.0, second)):
            sheets.canvas.setFillGray(0.7)
            sheets.canvas.rect(x0, sheets.height - y - 4, x1 - x0, 14, fill=1)
            sheets.canvas.setFillGray(0)
            sheets.line(f"{value}.5", x=(x0 + x1) / 2, y=y, size=8)
    assert tables(sheets.read()) == []


def test_code_with_comments_in_a_column_is_no_table(sheets: Sheets) -> None:
    code = [["x = read()", "# first"], ["y = x * 2", "# then"], ["print(y)", "# last"], ["exit()", "# done"]]
    draw_columns(sheets, code, [LEFT, 240.0])
    assert tables(sheets.read()) == []


WORDS = st.sampled_from(["бетон", "кирпич", "плита", "основание", "песок", "щебень", "дорога", "мост"])
NUMBERS = st.integers(0, 99_999).map(str)
KINDS = st.lists(st.booleans(), min_size=1, max_size=3)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), kinds=KINDS, ruled=st.booleans(), count=st.integers(2, 9))
def test_no_letter_of_a_table_is_lost_or_read_twice(
    data: st.DataObject, kinds: list[bool], ruled: bool, count: int
) -> None:
    sheets = Sheets()
    sheets.paragraph(LONG)
    sheets.skip(20)
    row = st.tuples(WORDS, *(WORDS if words else NUMBERS for words in kinds))
    rows = [list(each) for each in data.draw(st.lists(row, min_size=count, max_size=count))]
    if ruled:
        rule(sheets)
    draw_columns(sheets, rows, [LEFT, 220.0, 320.0, 420.0][: len(kinds) + 1])
    if ruled:
        rule(sheets)
    document = sheets.read()
    drawn = sorted(c for text in (LONG, *(cell for row in rows for cell in row)) for c in text if c.isalnum())
    assert sorted(c for c in document.text if c.isalnum()) == drawn
    for table in tables(document):
        assert document.text[table.start : table.end] == "\n".join(" | ".join(row) for row in table.rows)
