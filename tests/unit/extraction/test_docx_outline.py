"""Headings, title and levels of Word files, with styles and without."""

from __future__ import annotations

from typing import Any

import docx
import pytest
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import parse_xml

from rubrica.model import ElementKind
from tests.support.outline import outline, texts
from tests.unit.extraction.conftest import Read
from tests.unit.extraction.docx_making import W, numbered, numbering, save

BODY = (
    "Настоящие правила устанавливают требования к проектированию, строительству и эксплуатации объектов. " * 2
)


def add(document: Any, text: str, *, bold: bool = False, centred: bool = False, right: bool = False) -> Any:
    paragraph = document.add_paragraph()
    paragraph.add_run(text).bold = bold
    if centred or right:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER if centred else WD_ALIGN_PARAGRAPH.RIGHT
    return paragraph


def structure(result: Any) -> list[tuple[str, str]]:
    return [(kind, text) for kind, text in outline(result) if kind.startswith(("heading", "title"))]


def test_an_act_without_styles(read: Read) -> None:
    document = docx.Document()
    for text in ("ПРАВИТЕЛЬСТВО РОССИЙСКОЙ ФЕДЕРАЦИИ", "ПОСТАНОВЛЕНИЕ"):
        add(document, text, bold=True, centred=True)
    add(document, "от 16 февраля 2008 г. N 87", centred=True)
    add(document, "О СОСТАВЕ РАЗДЕЛОВ", bold=True, centred=True)
    add(document, BODY)
    add(document, "В. ЗУБКОВ", right=True)
    add(document, "УТВЕРЖДЕНО", right=True)
    add(document, "ПОЛОЖЕНИЕ", bold=True, centred=True)
    add(document, "О СОСТАВЕ РАЗДЕЛОВ", bold=True, centred=True)
    add(document, "I. Общие положения", bold=True, centred=True)
    add(document, "1. " + BODY)
    add(document, "1.1. " + BODY)
    add(document, "Требования к чертежам", bold=True, centred=True)
    add(document, "2. " + BODY)
    add(document, "II. Состав разделов", bold=True, centred=True)
    add(document, "3. " + BODY)
    add(document, "Приложение N 1", right=True)
    add(document, "к Положению", right=True)
    add(document, "ПЕРЕЧЕНЬ РАЗДЕЛОВ", bold=True, centred=True)
    add(document, BODY)
    result = read(save(document), "a.docx")
    assert structure(result) == [
        ("title", "ПРАВИТЕЛЬСТВО РОССИЙСКОЙ ФЕДЕРАЦИИ"),
        ("title", "ПОСТАНОВЛЕНИЕ"),
        ("title", "от 16 февраля 2008 г. N 87"),
        ("title", "О СОСТАВЕ РАЗДЕЛОВ"),
        ("heading1", "ПОЛОЖЕНИЕ О СОСТАВЕ РАЗДЕЛОВ"),
        ("heading2", "I. Общие положения"),
        ("heading3", "Требования к чертежам"),
        ("heading2", "II. Состав разделов"),
        ("heading1", "Приложение N 1"),
        ("heading2", "ПЕРЕЧЕНЬ РАЗДЕЛОВ"),
    ]
    assert result.elements[-1].heading_path == ("Приложение N 1", "ПЕРЕЧЕНЬ РАЗДЕЛОВ")
    assert "1.1" in [item.clause for item in result.elements]


@pytest.mark.parametrize(
    ("texts_", "levels"),
    [
        (("Раздел I. Общая часть", "Глава 1", "Статья 1. Предмет", "Статья 1.1. Цели"), (1, 2, 3, 3)),
        (("Глава первая. Начала", "§ 1. Понятие", "Статья 15. Возмещение убытков"), (1, 2, 3)),
        (("Статья 1. Предмет договора", "Статья 2. Права сторон"), (1, 1)),
        (("Часть вторая", "РАЗДЕЛ VII. Наследственное право", "Глава 61. Общие положения"), (1, 2, 3)),
    ],
)
def test_named_parts_by_their_form_alone(
    texts_: tuple[str, ...], levels: tuple[int, ...], read: Read
) -> None:
    document = docx.Document()
    for text in texts_:
        add(document, text)
        add(document, BODY)
    headings = [item for item in read(save(document), "a.docx").elements if item.kind is ElementKind.HEADING]
    assert [item.level for item in headings] == list(levels)


def test_a_norm_without_styles(read: Read) -> None:
    document = docx.Document()
    for text in ("Предисловие", "Введение"):
        add(document, text, bold=True, centred=True)
        add(document, BODY)
    for text in ("1 Область применения", "5 Бетон", "5.1 Марки бетона"):
        add(document, text, bold=True)
        add(document, BODY)
    add(document, "5.1.1 " + BODY)
    add(document, "Приложение А", bold=True, centred=True)
    add(document, "(обязательное)", centred=True)
    add(document, "Расчёт прочности", bold=True, centred=True)
    add(document, BODY)
    add(document, "Библиография", bold=True, centred=True)
    add(document, "[1] " + BODY)
    result = read(save(document), "a.docx")
    assert structure(result) == [
        ("heading1", "Предисловие"),
        ("heading1", "Введение"),
        ("heading1", "1 Область применения"),
        ("heading1", "5 Бетон"),
        ("heading2", "5.1 Марки бетона"),
        ("heading1", "Приложение А (обязательное) Расчёт прочности"),
        ("heading1", "Библиография"),
    ]
    assert "5.1.1" in [item.clause for item in result.elements]


@pytest.mark.parametrize(
    "text",
    [
        "Содержание:",
        "Статья 15 настоящего Кодекса применяется к отношениям сторон.",
        "Приложение к договору подписывают обе стороны.",
        "12.05.2020",
        "от 16 февраля 2008 г. N 87",
        "(в ред. Постановления Правительства РФ от 27.05.2022 N 963)",
        "_____________ (подпись)",
        "г. Москва",
        "Рисунок 1 — Схема",
        "3 РАЗРАБОТАН Институтом бетона",
        "Глава 2. Общие положения ........ 15",
        "тел. (812) 335-75-85",
    ],
)
def test_what_is_no_heading_even_in_bold(text: str, read: Read) -> None:
    document = docx.Document()
    add(document, BODY)
    add(document, text, bold=True, centred=True)
    add(document, BODY)
    assert texts(read(save(document), "a.docx"), ElementKind.HEADING) == []


def test_bold_tells_nothing_where_all_is_bold(read: Read) -> None:
    document = docx.Document()
    for text in (BODY, "1 Всё полужирное.", "Требования к бетону", BODY, "2 И это тоже", BODY):
        add(document, text, bold=True)
    assert structure(read(save(document), "a.docx")) == []


def test_bold_lead_ins_stay_paragraphs(read: Read) -> None:
    document = docx.Document()
    document.add_heading("Глава", 1)
    for text in ("Важно", "Примечание", "Внимание!"):
        add(document, text, bold=True)
        add(document, BODY)
    assert structure(read(save(document), "a.docx")) == [("heading1", "Глава")]


def test_automatic_numbers_in_bold_are_headings(read: Read) -> None:
    document = docx.Document()
    numbering(document, [("decimal", "%1."), ("decimal", "%1.%2.")])
    for text, level, bold in (("Предмет", 0, True), (BODY, 1, False), ("Цена", 0, True), (BODY, 1, False)):
        numbered(document, "", level)
        document.paragraphs[-1].add_run(text).bold = bold
    result = read(save(document), "a.docx")
    assert structure(result) == [("heading1", "1. Предмет"), ("heading1", "2. Цена")]
    assert [item.clause for item in result.elements] == ["1", "1.1", "2", "2.1"]


def test_outline_levels_with_titles_on_several_lines(read: Read) -> None:
    """The acts of the legal systems: an outline level on the first line of a title only."""
    document = docx.Document()
    style = document.styles.add_style("ConsPlusTitle", 1)
    style.font.bold = True

    def line(text: str, level: int | None = None, name: str | None = "ConsPlusTitle") -> None:
        paragraph = document.add_paragraph(text, name)
        if level is not None:
            paragraph._p.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {W} w:val="{level}"/>'))

    line("ПРАВИТЕЛЬСТВО РОССИЙСКОЙ ФЕДЕРАЦИИ", 0)
    line("ПОСТАНОВЛЕНИЕ")
    line(BODY, name=None)
    line("Утверждены", 0, name=None)
    line("постановлением Правительства", name=None)
    line("ПРАВИЛА")
    line("СОДЕРЖАНИЯ ДОМОВ")
    line("I. Порядок ведения", 1)
    line("и утверждения перечня")
    line(BODY, name=None)
    line("Приложение N 1", 1, name=None)
    line("к Правилам", name=None)
    line("ТИПОВОЙ ДОГОВОР")
    line("I. Предмет договора", 2)
    line(BODY, name=None)
    assert structure(read(save(document), "a.docx")) == [
        ("title", "ПРАВИТЕЛЬСТВО РОССИЙСКОЙ ФЕДЕРАЦИИ"),
        ("title", "ПОСТАНОВЛЕНИЕ"),
        ("heading1", "ПРАВИЛА СОДЕРЖАНИЯ ДОМОВ"),
        ("heading2", "I. Порядок ведения и утверждения перечня"),
        ("heading2", "Приложение N 1"),
        ("heading3", "ТИПОВОЙ ДОГОВОР"),
        ("heading4", "I. Предмет договора"),
    ]


def test_headings_by_style_in_other_languages_and_passages_in_such_styles(read: Read) -> None:
    document = docx.Document()
    for name in ("Заголовок 2", "Überschrift 3"):
        document.styles.add_style(name, 1)
    document.add_paragraph("Русский", "Заголовок 2")
    document.add_paragraph("Deutsch", "Überschrift 3")
    document.add_heading(BODY * 3, 1)
    document.add_heading("", 1)
    assert [kind for kind, _ in outline(read(save(document), "a.docx"))] == [
        "heading2",
        "heading3",
        "paragraph",
    ]


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("Свод правил", "Свод правил"),
        ("Microsoft Word - Документ1", "Глава"),
        ("Документ 3", "Глава"),
        ("law.docx", "Глава"),
        ("  ", "Глава"),
    ],
)
def test_stated_titles_that_say_nothing_are_passed_over(stated: str, title: str, read: Read) -> None:
    document = docx.Document()
    document.core_properties.title = stated
    document.add_heading("Глава", 1)
    document.add_paragraph("Текст.")
    assert read(save(document), "law.docx").title == title
