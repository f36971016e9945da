"""What norms and laws say about themselves on their first pages."""

from __future__ import annotations

import io
import json
import random
import re
import string
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from docx import Document as Docx
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.builder import DocumentBuilder, Place
from extraction.result import Extracted
from extraction.standards import describe_standard, standard_title
from extraction.standards.dates import DATE, to_iso
from extraction.standards.designations import find_designations
from extraction.text import word_set
from rubrica.model import Document, ElementKind
from tests.unit.extraction.pdf.drawing import Sheets

Read = Callable[..., Document]
NORMS = Path(__file__).resolve().parents[4] / "shared/data/retrieval/akumsk_pages"


def described(*pages: Sequence[str], title: str = "", running: Sequence[str] = ()) -> dict[str, Any]:
    """Attributes of a document of these pages, one paragraph a line."""
    builder = DocumentBuilder()
    for number, lines in enumerate(pages, start=1):
        for line in lines:
            builder.add(ElementKind.PARAGRAPH, line, place=Place(number, number))
    return describe_standard(Extracted(builder.text, builder.elements, title, running=tuple(running)))


def named(text: str) -> list[str]:
    return [each.text for each in find_designations(text)]


COVER = ("МЕЖГОСУДАРСТВЕННЫЙ", "СТАНДАРТ", "ГОСТ", "12345—", "2015", "СМЕСИ БЕТОННЫЕ", "Технические условия")
CODE = (
    "СВОД ПРАВИЛ",
    "СП 47.13330.2016",
    "ИНЖЕНЕРНЫЕ ИЗЫСКАНИЯ ДЛЯ СТРОИТЕЛЬСТВА. ОСНОВНЫЕ ПОЛОЖЕНИЯ",
    "Актуализированная редакция СНиП 11-02-96",
    "Издание официальное",
)


# --- Designations --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "normalised"),
    [
        ("СП 47.13330.2016", "СП 47.13330.2016"),
        ("ГОСТ 7.32—2017", "ГОСТ 7.32-2017"),
        ("ГОСТ Р 1.5–2012", "ГОСТ Р 1.5-2012"),
        ("ГОСТР 53195.4- 2010", "ГОСТ Р 53195.4-2010"),
        ("ГОСТ Р ИСО/МЭК 27001—2006", "ГОСТ Р ИСО/МЭК 27001-2006"),
        ("ГОСТ IEC 60335-2-30-2013", "ГОСТ IEC 60335-2-30-2013"),
        ("ГОСТ 12.1.004-91*", "ГОСТ 12.1.004-91"),
        ("СНиП 11-02-96", "СНиП 11-02-96"),
        ("СНиП II-94-80", "СНиП II-94-80"),
        ("СНИП 2.02.01-83*", "СНиП 2.02.01-83"),
        ("СНиП II-Г.8-62", "СНиП II-Г.8-62"),
        ("СанПиН 2.1.3684-21", "СанПиН 2.1.3684-21"),
        ("СанПиН 2.2.1/2.1.1.1200-03", "СанПиН 2.2.1/2.1.1.1200-03"),
        ("РД 34.20.501-95", "РД 34.20.501-95"),
        ("РД-25.160.00-КТН-037-14", "РД 25.160.00-КТН-037-14"),
        ("ВСН 59-88", "ВСН 59-88"),
        ("ТР ТС 004/2011", "ТР ТС 004/2011"),
        ("СТО Газпром 2-2.1-249-2008", "СТО Газпром 2-2.1-249-2008"),
        ("МДС 12-43.2008", "МДС 12-43.2008"),
        ("ISO/IEC 27001:2022(E)", "ISO/IEC 27001:2022"),
        ("BS EN ISO 9001:2015", "BS EN ISO 9001:2015"),
        ("EN 1992-1-1:2004", "EN 1992-1-1:2004"),
        ("ASTM C39/C39M – 18", "ASTM C39/C39M-18"),
        ("IEEE Std 802.3-2018", "IEEE 802.3-2018"),
        ("Request for Comments: 2616", "RFC 2616"),
    ],
)
def test_designations_are_normalised(printed: str, normalised: str) -> None:
    assert named(printed) == [normalised]


@pytest.mark.parametrize(
    ("scanned", "meant"),
    [
        ("СНиП 1 1 -0 2 -9 6", "СНиП 11-02-96"),
        ("Г О С Т 1 0 0 6 0 — 2012", "ГОСТ 10060-2012"),
        ("ГО СТ 12730.5— 2018", "ГОСТ 12730.5-2018"),
        ("ГOCT 2.105-95", "ГОСТ 2.105-95"),  # Latin O, C and T
        ("CП 131.13330.2020", "СП 131.13330.2020"),  # Latin C
        ("BCH 59-88", "ВСН 59-88"),  # Latin throughout
        ("СНиП П-3-79", "СНиП II-3-79"),
        ("СНиП 111-2-75", "СНиП III-2-75"),
    ],
)
def test_scanning_errors_are_read_through(scanned: str, meant: str) -> None:
    assert named(scanned) == [meant]


@pytest.mark.parametrize(
    "text",
    [
        "по ГОСТ 2590",
        "СП 5",
        "ПОСТ 12-2001",
        "со 2-10",
        "пр 12-15",
        "ГОСТ Р 1.0—200",
        "12.05.2020",
        "ISO 9",
        "НАСП 47.13330.2016",
        "в разделе СН",
    ],
)
def test_what_is_no_designation(text: str) -> None:
    assert named(text) == []


def test_a_page_number_behind_a_designation_does_not_join_it() -> None:
    assert named("СП 47.13330.2016 2") == ["СП 47.13330.2016"]
    assert named("ГОСТ 5781-82 С. 3") == ["ГОСТ 5781-82"]


# --- Dates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "iso"),
    [
        ("2018-07-01", "2018-07-01"),
        ("01.07.83", "1983-07-01"),
        ("01.07.03", "2003-07-01"),
        ("16.02.2008", "2008-02-16"),
        ("1 ноября 1996", "1996-11-01"),
        ("3 мая 2012", "2012-05-03"),
        ("8 марта 2012", "2012-03-08"),
        ("« 22 » декабря 2015", "2015-12-22"),
    ],
)
def test_dates(printed: str, iso: str) -> None:
    match = re.search(DATE, printed)
    assert match is not None
    assert to_iso(match.group()) == iso


@pytest.mark.parametrize("text", ["31.02.2020", "00.01.2020", "2020-13-01"])
def test_days_that_the_calendar_does_not_have(text: str) -> None:
    assert to_iso(text) is None


# --- Whose designation ---------------------------------------------------------------------------


def test_a_title_page_over_several_lines() -> None:
    found = described(COVER)
    assert found["standard"] == "ГОСТ 12345-2015"
    assert found["standard_kind"] == "ГОСТ"
    assert found["standard_number"] == "12345-2015"
    assert found["standard_title"] == "СМЕСИ БЕТОННЫЕ. Технические условия"


def test_running_headers_name_a_standard_whose_title_page_cannot_be_read() -> None:
    cover = ("ГО СТ", "H I -", "2014", "СТЕКЛО ЛИСТОВОЕ", "Издание официальное")
    found = described(cover, ["Предисловие"], running=["ГОСТ 111—2014", "ГОСТ 111—2014", "ГОСТ 111-2014"])
    assert found["standard"] == "ГОСТ 111-2014"


def test_one_running_line_is_not_enough() -> None:
    assert described(["Руководство", "Издание официальное"], running=["ГОСТ 111—2014"]) == {}


@pytest.mark.parametrize(
    "foreign",
    [
        ("Взамен", "ГОСТ 54321-2001"),
        ("Актуализированная редакция", "СНиП 3.02.03-84"),
        ("в соответствии с", "СП 1.13130.2009"),
        ("(ГОСТ 54321-2001)",),
        ("На основании", "ГОСТ Р 1.5-2012"),
    ],
)
def test_other_standards_on_the_title_page_are_not_its_own(foreign: Sequence[str]) -> None:
    assert described([*foreign, "Издание официальное", "Дата введения 2015-01-01"]) == {}
    assert described([*COVER, *foreign])["standard"] == "ГОСТ 12345-2015"


def test_a_list_of_references_gives_no_designation() -> None:
    text = ["СТАНДАРТ", "1 Область применения", "2 Нормативные ссылки"]
    assert described([*text, "ГОСТ 8732-78", "Трубы стальные", "ГОСТ 8736-2014", "Песок"]) == {}


@pytest.mark.parametrize(
    "lines",
    [
        ("ДОГОВОР № 15", "от 12.03.2020", "Поставка бетона по", "ГОСТ 26633-2015"),
        ("Как оформить отчёт", "ГОСТ 7.32-2017", "Этот стандарт знают все. Дата введения — 1 июля 2018 г."),
        ("Сертификат", "СП 1.13130.2009", "Эвакуационные пути"),
        ("ТЕХНИЧЕСКОЕ ЗАДАНИЕ", "ГОСТ 34.602-89 соблюдён", "УТВЕРЖДАЮ"),
        ("Report", "ISO 9001:2015", "We are certified."),
        ("RFC 2119 explained", "This post tells what MUST means."),
    ],
)
def test_documents_that_only_name_a_standard(lines: Sequence[str]) -> None:
    assert described(lines) == {}


def test_the_stated_title_speaks_for_a_designation_too() -> None:
    found = described(["ГОСТ 99901-2024", "КОЛЬЦА ШВАРТОВНЫЕ", "1 Размеры"], title="ГОСТ 99901-2024 Кольца")
    assert found["standard"] == "ГОСТ 99901-2024"
    assert found["standard_title"] == "КОЛЬЦА ШВАРТОВНЫЕ"


def test_sanitary_rules_have_their_title_above_the_number() -> None:
    found = described(
        [
            "Государственные санитарно-эпидемиологические",
            "правила и нормативы",
            "ПРОЕКТИРОВАНИЕ И СТРОИТЕЛЬСТВО",
            "Санитарно-защитные зоны",
            "предприятий, сооружений и иных объектов",
            "Санитарно-эпидемиологические правила и нормативы",
            "СанПиН 2.2.1/2.1.1.1200-03",
            "Издание официальное",
        ]
    )
    assert found["standard"] == "СанПиН 2.2.1/2.1.1.1200-03"
    assert found["standard_title"] == "Санитарно-защитные зоны предприятий, сооружений и иных объектов"


def test_western_standards() -> None:
    found = described(
        [
            "INTERNATIONAL STANDARD",
            "ISO 9001:2015(E)",
            "Fifth edition 2015-09-15",
            "Quality management systems — Requirements",
            "Reference number ISO 9001:2015(E)",
        ]
    )
    assert found["standard"] == "ISO 9001:2015"
    assert found["standard_title"] == "Quality management systems — Requirements"
    assert found["edition"] == "2015-09-15"
    assert described(["Network Working Group", "Request for Comments: 2616"])["standard"] == "RFC 2616"


# --- Titles --------------------------------------------------------------------------------------


def test_the_title_of_a_code_of_rules() -> None:
    title = "ИНЖЕНЕРНЫЕ ИЗЫСКАНИЯ ДЛЯ СТРОИТЕЛЬСТВА. ОСНОВНЫЕ ПОЛОЖЕНИЯ"
    assert described(CODE)["standard_title"] == title


def test_a_title_set_in_pieces_is_read_where_it_stands_again() -> None:
    broken = ("СВОД ПРАВИЛ", "СП 52-101-2003", "БЕТОННЫЕ И Ж ЕЛЕЗОБЕТОННЫ Е", "КОНСТРУКЦИИ", "Москва")
    again = ("БЕТОННЫЕ И ЖЕЛЕЗОБЕТОННЫЕ КОНСТРУКЦИИ", "Дата введения 2004-03-01")
    found = described(broken, ["СП 52-101-2003"], again)
    assert found["standard_title"] == "БЕТОННЫЕ И ЖЕЛЕЗОБЕТОННЫЕ КОНСТРУКЦИИ"


def test_a_title_ends_at_its_translation_and_codes() -> None:
    lines = (
        "СП 50.13330.2012",
        "СВОД ПРАВИЛ",
        "ТЕПЛОВАЯ ЗАЩИТА ЗДАНИЙ",
        "THERMAL PERFORMANCE",
        "ОКС 91.120.10",
    )
    assert described(lines)["standard_title"] == "ТЕПЛОВАЯ ЗАЩИТА ЗДАНИЙ"


def extracted(lines: Sequence[str], stated: str, **attributes: Any) -> Extracted:
    builder = DocumentBuilder()
    for line in lines:
        builder.add(ElementKind.PARAGRAPH, line)
    return Extracted(builder.text, builder.elements, stated, attributes)


@pytest.mark.parametrize(
    ("stated", "kept"),
    [
        ("СП 47.13330.2016", False),
        ("Документ2", False),
        ("СП 47.13330.2016 Инженерные изыскания для строительства. Основные положения", True),
    ],
)
def test_a_stated_title_stays_where_it_says_more(stated: str, kept: bool) -> None:
    norm = extracted(CODE, stated)
    printed = "ИНЖЕНЕРНЫЕ ИЗЫСКАНИЯ ДЛЯ СТРОИТЕЛЬСТВА. ОСНОВНЫЕ ПОЛОЖЕНИЯ"
    assert standard_title(norm, describe_standard(norm)) == ("" if kept else printed)


def test_a_title_in_front_matter_stays() -> None:
    norm = extracted(CODE, "Изыскания", title="Изыскания")
    assert standard_title(norm, describe_standard(norm)) == ""


def test_other_documents_keep_their_titles() -> None:
    other = extracted(["Письмо", "Добрый день."], "Письмо")
    assert standard_title(other, describe_standard(other)) == ""


@pytest.mark.parametrize(
    "lines",
    [
        ("СВОД ПРАВИЛ КРОВЛИ", "СП 17.13330.2017", "Издание официальное"),
        ("СВОД ПРАВИЛ СП 17.13330.2017 КРОВЛИ", "Издание официальное"),
        ("Система нормативных документов СВОД ПРАВИЛ КРОВЛИ", "СП 17.13330.2017"),
        ("СП 17.13330.2017 Кровли (с Изменением N 1)", "Издание официальное"),
    ],
)
def test_lines_of_a_title_page_that_extraction_has_joined(lines: Sequence[str]) -> None:
    found = described(lines)
    assert found["standard"] == "СП 17.13330.2017"
    assert found["standard_title"].casefold() == "кровли"


# --- Dates, predecessors, amendments -------------------------------------------------------------


def test_facts_of_a_code_of_rules() -> None:
    preface = [
        "Предисловие",
        "3 ПОДГОТОВЛЕН к утверждению Департаментом градостроительной деятельности",
        "4 УТВЕРЖДЕН приказом Минстроя от 30 декабря 2016 г. № 1033/пр и введен в действие с 1 июля 2017 г.",
        "5 ЗАРЕГИСТРИРОВАН Росстандартом. Пересмотр СП 47.13330.2012 «СНиП 11-02-96»",
        "6 ВНЕСЕНО Изменение № 1, утвержденное приказом от 1 февраля 2019 г. № 70/пр",
    ]
    found = described(CODE, preface)
    assert found["introduced_on"] == "2017-07-01"
    assert found["adopted_on"] == "2016-12-30"
    assert found["revision_of"] == ["СНиП 11-02-96", "СП 47.13330.2012"]
    assert found["amendments"] == ["Изменение № 1"]
    assert "replaces" not in found


def test_facts_of_an_interstate_standard() -> None:
    preface = [
        "Предисловие",
        "Цели установлены в ГОСТ 1.0—2015 «Основные положения» и ГОСТ 1.2—2015",
        "1 РАЗРАБОТАН институтом «НИИЖБ»",
        "3 ПРИНЯТ Межгосударственным советом по стандартизации (протокол от 14 ноября 2014 г. № 72-П)",
        "4 Приказом от 30 декабря 2014 г. № 2121-ст межгосударственный стандарт введен в действие",
        "в качестве национального стандарта Российской Федерации с 1 июля 2015 г.",
        "6 ВЗАМЕН ГОСТ 12345.0—95, ГОСТ 12345.1—95",
        "7 Приказом от 16 апреля 2015 г. № 264-ст ГОСТ Р 54170—2010 отменен с 1 апреля 2016 г.",
        "8 ИЗДАНИЕ (июнь 2018 г.) с Изменениями № 1, 2",
    ]
    found = described(COVER, preface)
    assert found["introduced_on"] == "2015-07-01"
    assert found["adopted_on"] == "2014-11-14"
    assert found["replaces"] == ["ГОСТ 12345.0-95", "ГОСТ 12345.1-95"]
    assert found["amendments"] == ["Изменение № 1", "Изменение № 2"]


@pytest.mark.parametrize(
    ("line", "iso"),
    [
        ("Дата введения — 2018—07—01", "2018-07-01"),
        ("Дата введения 01.07.83", "1983-07-01"),
        ("Срок введения в действие 1 января 1987 г.", "1987-01-01"),
        ("Введен в действие с 1 июля 2017 г.", "2017-07-01"),
        ("Применяется с 01.12.2017", "2017-12-01"),
    ],
)
def test_dates_of_introduction(line: str, iso: str) -> None:
    assert described([*COVER, line])["introduced_on"] == iso


def test_a_date_of_introduction_stands_as_late_as_above_the_first_clause() -> None:
    found = described(
        COVER,
        ["Содержание", "1 Область применения . . . . 1"],
        ["Введение", "Настоящий стандарт устанавливает многое."],
        ["Дата введения", "2016—09—01", "1 Область применения"],
    )
    assert found["introduced_on"] == "2016-09-01"


def test_an_approval_without_a_date_takes_none_from_elsewhere() -> None:
    preface = ["4 УТВЕРЖДЕН приказом Минрегиона от № и введен в действие с 1 января 2013 г."]
    found = described(CODE, preface)
    assert found["introduced_on"] == "2013-01-01"
    assert "adopted_on" not in found


def test_an_amendment_on_its_own() -> None:
    found = described(["Изменение № 2 к СП 47.13330.2016 «Изыскания»", "Дата введения 2021-07-01"])
    assert found == {
        "standard_kind": "Изменение",
        "standard_number": "2",
        "standard": "Изменение № 2 к СП 47.13330.2016",
        "amends": ["СП 47.13330.2016"],
        "introduced_on": "2021-07-01",
    }


# --- Laws and other acts -------------------------------------------------------------------------


def test_a_cited_act() -> None:
    found = described(
        [
            'Постановление Правительства РФ от 16.02.2008 N 87\n(ред. от 09.04.2021)\n"О составе разделов"',
            "Документ предоставлен КонсультантПлюс",
            "(в ред. Постановлений Правительства РФ от 18.05.2009 N 427, от 09.04.2021 N 565)",
        ]
    )
    assert found["standard_kind"] == "Постановление Правительства РФ"
    assert found["standard_number"] == "87"
    assert found["standard"] == "Постановление Правительства РФ от 16.02.2008 № 87"
    assert found["standard_title"] == "О составе разделов"
    assert found["adopted_on"] == "2008-02-16"
    assert found["edition"] == "2021-04-09"
    assert found["amendments"] == ["от 18.05.2009 № 427", "от 09.04.2021 № 565"]


def test_a_law_by_its_printed_head() -> None:
    found = described(
        [
            "22 июля 2008 года",
            "N 123-ФЗ",
            "РОССИЙСКАЯ ФЕДЕРАЦИЯ",
            "ФЕДЕРАЛЬНЫЙ ЗАКОН",
            "ТЕХНИЧЕСКИЙ РЕГЛАМЕНТ",
            "О ТРЕБОВАНИЯХ ПОЖАРНОЙ БЕЗОПАСНОСТИ",
            "Принят",
            "Государственной Думой",
            "4 июля 2008 года",
            "Статья 1. Цели",
        ]
    )
    assert found["standard"] == "Федеральный закон от 22.07.2008 № 123-ФЗ"
    assert found["standard_title"] == "ТЕХНИЧЕСКИЙ РЕГЛАМЕНТ О ТРЕБОВАНИЯХ ПОЖАРНОЙ БЕЗОПАСНОСТИ"


@pytest.mark.parametrize(
    "code",
    [
        '"Жилищный кодекс Российской Федерации" от 29.12.2004 N 188-ФЗ (ред. от 03.02.2025)',
        '"Кодекс Российской Федерации об административных правонарушениях" от 29.12.2004 N 188-ФЗ',
    ],
)
def test_codes_are_laws(code: str) -> None:
    found = described([code])
    assert found["standard"] == "Федеральный закон от 29.12.2004 № 188-ФЗ"
    assert "одекс Российской Федерации" in found["standard_title"]


@pytest.mark.parametrize(
    ("lines", "number", "issued"),
    [
        (("П Р И К А З", "от 08.12.2020 № 270", "г. Краснодар", "О ВНЕСЕНИИ ИЗМЕНЕНИЯ"), "270", "2020-12-08"),
        (("ПРИКАЗ", "11 февраля 2013 г. Москва № 17", "Об утверждении"), "17", "2013-02-11"),
        (("Приказ", "31 декабря 2014 года № 380", "Об утверждении правил"), "380", "2014-12-31"),
        (("ПОСТАНОВЛЕНИЕ", "от 16.02.2016 года", "пгт Повенец № -10", "О планах"), "10", "2016-02-16"),
        (("ПРИКАЗ", "от 28 января 2019 г. N 44/пр", "ОБ УТВЕРЖДЕНИИ"), "44/пр", "2019-01-28"),
        (("ПИСЬМО", "от 17 ноября 2017 г. N 50534-ОГ/04"), "50534-ОГ/04", "2017-11-17"),
        (("РЕШЕНИЕ", "04.02.2021 Г. №2", "С.КРАСНОПОЛЬЕ", "О ПЕРЕДАЧЕ"), "2", "2021-02-04"),
    ],
)
def test_heads_of_acts(lines: Sequence[str], number: str, issued: str) -> None:
    found = described(["МИНИСТЕРСТВО НАУКИ", "РОССИЙСКОЙ ФЕДЕРАЦИИ", *lines, "В соответствии с законом:"])
    assert (found["standard_number"], found["adopted_on"]) == (number, issued)
    assert found["issuer"] == "МИНИСТЕРСТВО НАУКИ РОССИЙСКОЙ ФЕДЕРАЦИИ"
    title = next((line for line in lines if line.upper().startswith(("О ", "ОБ "))), None)
    assert found.get("standard_title") == title


def test_a_decree_of_the_government_is_named_alike_cited_and_printed() -> None:
    head = ["ПРАВИТЕЛЬСТВО РОССИЙСКОЙ ФЕДЕРАЦИИ", "ПОСТАНОВЛЕНИЕ", "от 16 февраля 2008 г. N 87", "О СОСТАВЕ"]
    cited = ['Постановление Правительства РФ от 16.02.2008 N 87 "О составе"']
    assert described(head)["standard"] == described(cited)["standard"]


def test_an_act_with_a_date_or_number_that_cannot_be_read_is_left_alone() -> None:
    assert described(["ПРИКАЗ", "от” ^  201 £г. № УУо/мэ", "Об утверждении"]) == {}
    assert described(["ФЕДЕРАЛЬНЫЙ ЗАКОН", "О ПЕРСОНАЛЬНЫХ ДАННЫХ", "Статья 1"]) == {}


def test_a_law_that_is_only_cited_is_not_the_document() -> None:
    text = "В соответствии с Федеральным законом от 27.07.2006 N 152-ФЗ «О персональных данных» прошу"
    assert described(["Заявление", text]) == {}


# --- Through the whole extraction ----------------------------------------------------------------


def test_a_pdf_whose_running_header_is_cut_off(read: Read) -> None:
    sheets = Sheets()
    sheets.centered("СВОД ПРАВИЛ", size=14, bold=True)
    sheets.centered("МАЛЫЕ ПРИЧАЛЫ", size=16, bold=True)
    sheets.centered("Издание официальное")
    for number in range(1, 7):
        sheets.page()
        sheets.line("СП 901.1325800.2024", y=40)
        sheets.paragraph(
            f"{number}.1 Причал рассчитывают на нагрузки, которые задание называет для места {number}."
        )
        sheets.paragraph("Ширина прохода не менее одного метра, а уклон трапа не круче принятого в задании.")
    document = read(sheets.pdf(), "norm.pdf")
    assert "901.1325800" not in document.text
    assert document.attributes["standard"] == "СП 901.1325800.2024"
    assert document.attributes["pages"] == 7
    assert document.title == "МАЛЫЕ ПРИЧАЛЫ"


def test_a_word_file(read: Read) -> None:
    word = Docx()
    for line in CODE:
        word.add_paragraph(line)
    word.add_paragraph("1 Область применения")
    file = io.BytesIO()
    word.save(file)
    document = read(file.getvalue(), "norm.docx")
    assert document.attributes["standard"] == "СП 47.13330.2016"
    assert document.title == "ИНЖЕНЕРНЫЕ ИЗЫСКАНИЯ ДЛЯ СТРОИТЕЛЬСТВА. ОСНОВНЫЕ ПОЛОЖЕНИЯ"


def test_html_and_text(read: Read) -> None:
    page = "<html><body>" + "".join(f"<p>{line}</p>" for line in CODE) + "</body></html>"
    assert read(page, "norm.html").attributes["standard"] == "СП 47.13330.2016"
    text = read("\n".join(CODE) + "\n\n1 Область применения\n", "norm.txt")
    assert text.attributes["revision_of"] == ["СНиП 11-02-96"]


def test_front_matter_wins(read: Read) -> None:
    front = "---\ntitle: Изыскания\nstandard: СП 47\n---\n\n"
    document = read(front + "\n\n".join(CODE), "norm.md")
    assert document.attributes["standard"] == "СП 47"
    assert document.attributes["standard_number"] == "47.13330.2016"
    assert document.title == "Изыскания"


def test_source_code_is_no_norm(read: Read) -> None:
    document = read("# СВОД ПРАВИЛ\n# СП 47.13330.2016\n# Издание официальное\nx = 1\n", "norm.py")
    assert "standard" not in document.attributes


# --- Hostile input -------------------------------------------------------------------------------

WORDS = st.sampled_from(
    sorted(
        word_set(
            "ГОСТ СП СНиП Р № от 1 2016 - 12.05.2020 ПРИКАЗ СТАНДАРТ Дата введения (в ред. ВЗАМЕН « \\"
            " Изменение ISO 9001:2015 СВОД ПРАВИЛ И 3-ФЗ кодекс"
        )
    )
)


@given(st.lists(WORDS, max_size=60))
@settings(max_examples=200, deadline=None)
def test_attributes_are_flat_json_of_any_text(words: list[str]) -> None:
    found = described([" ".join(words)], title=" ".join(words[:10]))
    assert json.loads(json.dumps(found)) == found
    for value in found.values():
        assert isinstance(value, str | list)
        assert all(isinstance(item, str) for item in value)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece",
    ["НОРМ", "1.", "1-", "ГОСТ ", "И ", "СТАНДАРТ ", "(", "ред. ", "от 1.1.2020 N ", "- ", "ЗАКОН ", "А Б "],
)
def test_long_lines_take_no_long_time(piece: str) -> None:
    described(*[[piece * 5000] * 10] * 4, title=piece * 100)


def test_random_letters_are_no_norm() -> None:
    dice = random.Random(5)
    letters = string.ascii_letters + string.digits + "АБВГДИОПРСТабвгдикмнопрст .-—/№\n"
    for _ in range(50):
        assert described(["".join(dice.choices(letters, k=400))]) == {}


# --- Real norms ----------------------------------------------------------------------------------


@pytest.mark.skipif(not NORMS.is_dir(), reason="the real norms are not here")
def test_real_norms_by_their_first_pages() -> None:
    wrong = []
    for path in sorted(NORMS.glob("*.json")):
        norm: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
        found = described(*[page["page_content"].split("\n") for page in norm["pages"][:9]])
        number = norm["number"].removesuffix("-")  # the list cuts «123-ФЗ» off
        if not str(found.get("standard_number", "")).startswith(number) or "standard_title" not in found:
            wrong.append((path.name, found.get("standard")))
    assert wrong == []
