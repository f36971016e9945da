from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.clauses import find_clause, find_misprinted, find_name
from extraction.numbering import Passage, number_clauses


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("5.2.1 Бетон класса В25", "5.2.1"),
        ("5.1.10 Настил кладут вдоль", "5.1.10"),
        ("4.12.15 Ограждение", "4.12.15"),
        ("А.3 Нагрузки", "А.3"),
        ("Приложение А (обязательное)", "Приложение А"),
        ("ПРИЛОЖЕНИЕ Б", "ПРИЛОЖЕНИЕ Б"),
        ("Приложение N 1 к постановлению", "Приложение N 1"),
        ("Приложение № 2", "Приложение № 2"),
        ("Статья 15. Права", "Статья 15"),
        ("Section 4.3 applies", "Section 4.3"),
        ("Статья 123.20-1. Вклад", "Статья 123.20-1"),
        ("Статья 5-я", "Статья 5"),
        ("Раздел IV", "Раздел IV"),
        ("Раздел XV(1). Отходы", "Раздел XV(1)"),
        ("§ 3.1 Общее", "3.1"),
        ("12.05.2020 вступил в силу", None),
        ("12.05.20 вступил в силу", None),
        ("01.7.20 вступил в силу", None),
        ("2.5 м от оси", None),
        ("5.2 мм", None),
        ("5 Общие положения", None),
        ("Приложение к договору", None),
        ("Приложение Авторы", None),
        ("Статья в журнале", None),
        ("section 871(a), you will be taxed", None),
        ("I. Общие положения", None),
        ("", None),
    ],
)
def test_the_number_that_a_paragraph_opens_with(text: str, clause: str | None) -> None:
    assert find_clause(text) == clause


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("5 Общие положения", "5"),
        ("I. Общие положения", "I"),
        ("XV(1). Отходы", "XV(1)"),
        ("2.5 м от оси", None),
        ("Введение", None),
    ],
)
def test_the_number_of_a_heading(text: str, clause: str | None) -> None:
    assert find_clause(text, heading=True) == clause


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("1 .2. В состав работ входят", "1.2"),
        ("2 .1 0 . Точность построения", "2.10"),
        ("4 .1 4 Программа изысканий", "4.14"),
        ("1 1 . 6 В ссылках приводят", "11.6"),
        ("1-3. Геодезические работы", "1.3"),
        ("1,1.1 Промыть пару", "1.1.1"),
        ("З.1 Общие положения", "3.1"),
        ("б.1 Общие положения", "6.1"),
        ("Б.З Способ уплотнения", "Б.3"),
        ("6.2.4А В области выходных данных", "6.2.4.4"),
        ("4.1.12В конце документа", "4.1.12"),
    ],
)
def test_what_a_misprinted_number_may_have_been(text: str, clause: str) -> None:
    assert clause in [opening.clause for opening in find_misprinted(text)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("П РИ Л О Ж ЕН И Е Б", "ПРИЛОЖЕНИЕ Б"),
        ("ПРИЛОЖЕНИЕ A", "ПРИЛОЖЕНИЕ А"),
        ("Приложение N 1(1)", "Приложение N 1(1)"),
        ("§ 1. Общие положения", "§ 1"),
    ],
)
def test_names_of_parts_however_they_are_printed(text: str, name: str) -> None:
    opening = find_name(text)
    assert opening is not None
    assert opening.clause == name


def numbers(*texts: str | Passage) -> list[str]:
    """The clauses of a document, in order; a text in capitals stands out."""
    passages = [t if isinstance(t, Passage) else Passage(t, heading=t.isupper()) for t in texts]
    found = number_clauses(passages)
    return [found[i] for i in sorted(found)]


def test_plainly_numbered_paragraphs_are_clauses_where_their_numbering_goes_on() -> None:
    """As in old standards: «2. Объектами измерений …» beside «5. Выбор …» and «5.1»."""
    texts: list[str | Passage] = [
        "1. Настоящий стандарт распространяется на здания.",
        "2. Объектами измерений являются:",
        "строительные элементы;",
        "3. Измерениям подлежат геометрические параметры.",
        "4. Выбор методов измерений",
        "4.1. Методы измерений принимают по таблице.",
        "4.2. Расчетную погрешность определяют.",
        "5. Выполнение измерений",
        "5.1. Должен быть обеспечен доступ.",
    ]
    assert numbers(*texts) == ["1", "2", "3", "4", "4.1", "4.2", "5", "5.1"]


def test_points_of_a_decree_and_of_what_it_approves() -> None:
    texts: list[str | Passage] = [
        "Правительство Российской Федерации постановляет:",
        "1. Утвердить прилагаемые Правила.",
        "2. Настоящее постановление действует до 31 декабря.",
        "Утверждены",
        Passage("I. Общие положения", heading=True),
        "1. Настоящие Правила регулируют отношения сторон.",
        "2. Понятия означают следующее:",
        "2(1). Уведомления направляют по почте.",
        Passage("II. Порядок расчёта", heading=True),
        "3. Расчёт ведут по показаниям.",
    ]
    assert numbers(*texts) == ["1", "2", "I", "1", "2", "2(1)", "II", "3"]


def test_parts_of_articles_are_clauses_and_points_are_not() -> None:
    texts: list[str | Passage] = [
        "Статья 5. Принципы обработки",
        "(в ред. Федерального закона от 25.07.2011 N 261-ФЗ)",
        "1. Обработка ведётся на законной основе.",
        "1.1. Положения применяются к операторам.",
        "2. Не допускается:",
        "1) объединение баз данных;",
        "1.1) передача их третьим лицам.",
        "Статья 6. Условия обработки",
        "1. Обработка ведётся с согласия.",
        "2. Согласие может быть отозвано.",
    ]
    assert numbers(*texts) == ["Статья 5", "1", "1.1", "2", "Статья 6", "1", "2"]


def test_a_list_in_a_text_is_no_row_of_clauses() -> None:
    texts: list[str | Passage] = [
        "5.1 Работы ведут в таком порядке:",
        "1. Подготовка поверхности.",
        "2. Нанесение грунта.",
        "3. Укладка ковра.",
        "5.2 Приёмку ведут по акту.",
        "5.3 Акт подписывают стороны.",
    ]
    assert numbers(*texts) == ["5.1", "5.2", "5.3"]


def test_sample_clauses_inside_a_clause_are_none() -> None:
    """E11: what a norm on norms quotes as an example of numbering."""
    texts: list[str | Passage] = [
        "6.4.5 Пункты могут быть разбиты на подпункты.",
        "6.4.6 Внутри пунктов приводят перечисления.",
        "8.2.3 Камеральные исследования включали:",
        "7.6.4 Разрабатываемое устройство можно применять:",
        "3 Принципы и методы",
        "3.1 Рубрикатор",
        "6.4.7 Заголовки должны быть краткими.",
        "6.4.8 Каждая книга имеет титульный лист.",
    ]
    assert numbers(*texts) == ["6.4.5", "6.4.6", "6.4.7", "6.4.8"]


def test_the_sample_document_of_an_appendix_is_not_numbered() -> None:
    texts: list[str | Passage] = [
        "7.1 Документы выполняют на листах.",
        "7.2 Листы сшивают.",
        Passage("Приложение А", heading=True),
        "(справочное)",
        "Пример выполнения документа",
        "1 Осмотр и ремонт",
        "1.1 Распылитель",
        "1.1.1 Промыть пару.",
        Passage("Приложение Б", heading=True),
        "Б.1 Форма бланка установлена.",
    ]
    assert numbers(*texts) == ["7.1", "7.2", "Приложение А", "Приложение Б", "Б.1"]


def test_foreword_notes_and_bibliography_are_not_numbered() -> None:
    texts: list[str | Passage] = [
        Passage("Предисловие", heading=True),
        "1 РАЗРАБОТАН Институтом стандартов",
        "2 Настоящий стандарт разработан с учётом опыта.",
        Passage("1 Область применения", heading=True),
        Passage("2 Порядок", heading=True),
        "2.1 Порядок устанавливает заказчик.",
        "Примечания",
        "1 Порядок уточняют при необходимости.",
        "2 Уточнения вносят в договор.",
        "2.2 Порядок пересматривают.",
        Passage("Библиография", heading=True),
        "1. Иванов И. И. Кровли. М., 2006.",
        "2. Петров П. П. Стены. М., 2008.",
    ]
    assert numbers(*texts) == ["1", "2", "2.1", "2.2"]


def test_misprints_are_read_through_where_the_numbering_bears_them_out() -> None:
    texts: list[str | Passage] = [
        "3.1 Разбивочные работы должны обеспечивать точность.",
        "3 .2 . Точность работ следует принимать по таблице.",
        "З.3 Работы для монтажа выполняют по схеме.",
        "3-4. Перед выполнением работ проверяют знаки.",
        "2,5 Раза больше допускаемого отклонения.",
        "3.5 Оси наносят на сооружения.",
    ]
    assert numbers(*texts) == ["3.1", "3.2", "3.3", "3.4", "3.5"]


def test_an_appendix_letter_numbers_its_clauses() -> None:
    texts: list[str | Passage] = [
        "8 Требования безопасности",
        "8.1 Работы ведут в касках.",
        "Приложение В (обязательное)",
        "В.1 Расчётное давление определяют.",
        "В.2 Нагрузку принимают по таблице.",
    ]
    assert numbers(*texts) == ["8", "8.1", "Приложение В", "В.1", "В.2"]


def test_a_reference_to_a_part_opens_none() -> None:
    texts: list[str | Passage] = [
        "Приложение А оформляют на отдельных листах.",
        "Раздел 6, пункт 6.9 изложить в новой редакции.",
        "Статья 33 Федерального закона применяется.",
        "Статья 33 (п. 1) закона применяется.",
    ]
    assert numbers(*texts) == []


def test_numbers_that_the_format_states_are_kept() -> None:
    texts = [Passage("7.3 Итоги", heading=True, known="7.3"), Passage("1. Шаг", listed=True)]
    assert numbers(*texts) == ["7.3"]


@given(
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=8),
    strays=st.lists(
        st.tuples(st.integers(0, 40), st.sampled_from(["12.05.2020 Акт", "5,2 мм", "Итого"])), max_size=6
    ),
)
def test_a_gapless_numbering_is_found_whole(shape: list[int], strays: list[tuple[int, str]]) -> None:
    expected: list[str] = []
    texts: list[str] = []
    for section, clauses in enumerate(shape, start=1):
        expected.append(str(section))
        texts.append(f"{section} Раздел о разном")
        for clause in range(1, clauses + 1):
            expected.append(f"{section}.{clause}")
            texts.append(f"{section}.{clause} Требования выполняют.")
    for place, stray in strays:
        texts.insert(min(place, len(texts)), stray)
    assert numbers(*texts) == expected


@given(texts=st.lists(st.text(alphabet="1234567890.,-() АБЗОIабв", max_size=20), max_size=30))
def test_any_texts_have_some_numbering(texts: list[str]) -> None:
    found = number_clauses([Passage(text) for text in texts])
    assert all(0 <= i < len(texts) and clause for i, clause in found.items())
