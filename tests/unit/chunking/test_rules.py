from __future__ import annotations

from itertools import accumulate

import pytest

from chunking.rules import CutRules, Severity, structure_rules
from chunking.sentences import split_sentences
from chunking.units import Unit, UnitSplitter
from extraction.builder import DocumentBuilder
from extraction.language import detect_language
from rubrica.model import Document, ElementKind
from tests.support.chunking_parts import FIXED, WordCounter, document

FREE, FORCED, GLUED, TORN, HEADING = (
    Severity.FREE,
    Severity.FORCED,
    Severity.GLUED,
    Severity.TORN,
    Severity.HEADING,
)
P, H, L, C = ElementKind.PARAGRAPH, ElementKind.HEADING, ElementKind.LIST_ITEM, ElementKind.CODE


def built(*parts: tuple[ElementKind, str] | list[list[str]]) -> Document:
    builder = DocumentBuilder()
    for part in parts:
        if isinstance(part, list):
            builder.add_table(part, header_rows=1)
        else:
            builder.add(*part)
    return document(builder)


def rules(doc: Document, room: int) -> tuple[CutRules, list[Unit]]:
    units = UnitSplitter(split_sentences, detect_language).split(doc)
    counter = WordCounter()
    costs = (counter.count(doc.text[unit.start : unit.end]) - FIXED for unit in units)
    return structure_rules(doc, units, list(accumulate(costs, initial=0)), room), units


def severity(doc: Document, room: int) -> list[Severity]:
    return rules(doc, room)[0].severity


def test_plain_paragraphs_are_free() -> None:
    assert severity(built((P, "One thing. Two things."), (P, "Three things.")), 4) == [FREE, FREE]


def test_headings_stay_with_what_follows() -> None:
    doc = built((H, "Chapter"), (H, "Part"), (P, "A sentence. More of it."), (H, "Next"), (P, "End."))
    assert severity(doc, 100) == [HEADING, HEADING, FREE, FREE, HEADING]


def test_a_clause_that_fits_is_whole() -> None:
    doc = built((P, "Before."), (P, "5.1 It holds. It does. "), (P, "So it does."), (P, "5.2 Next. End."))
    assert severity(doc, 100) == [FREE, TORN, TORN, FREE, TORN]


def test_a_clause_that_does_not_fit_starts_a_chunk_with_its_headings() -> None:
    doc = built((P, "Before."), (H, "Loads"), (P, "5.1 It holds well. It does so. Yes."), (P, "5.2 Next."))
    assert severity(doc, 5) == [FORCED, HEADING, FREE, FREE, FREE]


def test_an_unnumbered_heading_before_a_clause_belongs_to_it() -> None:
    doc = built((P, "5.1 First. Rest."), (H, "Loads"), (P, "5.2 Second."), (H, "Notes"), (P, "A note."))
    found, _ = rules(doc, 100)
    assert found.severity == [TORN, FREE, HEADING, FREE, HEADING]
    assert found.clauses == ["5.1", "5.1", None, "5.2", None, None]


def test_the_parts_of_an_article_are_clauses_inserted_ones_too() -> None:
    doc = built((H, "Статья 6. Условия"), (P, "1. Одно."), (P, "1.1. Другое."), (P, "2. Третье."))
    assert rules(doc, 100)[0].clauses == ["Статья 6", "1", "1.1", "2"]


def test_a_clause_ends_where_the_part_of_the_document_ends_that_it_stands_in() -> None:
    builder = DocumentBuilder()
    builder.add(H, "5 Нагрузки", level=1)
    builder.add(H, "5.1 Снег", level=2)
    builder.add(P, "5.1.1 На крыше.")
    builder.add(H, "Примечание", level=3)
    builder.add(P, "И на навесе.")
    builder.add(H, "Пояснения", level=2)
    builder.add(P, "О нагрузках.")
    builder.add(H, "Библиография", level=1)
    builder.add(P, "Книги.")
    clauses = rules(document(builder), 100)[0].clauses
    assert clauses == ["5", "5.1", "5.1.1", "5.1.1", "5.1.1", None, None, None, None]


def test_a_clause_numbered_after_its_article_is_a_clause() -> None:
    doc = built((H, "Статья 6. Условия"), (P, "6.1. Одно."), (H, "7 Прочее"), (P, "7.1 Другое."))
    assert rules(doc, 100)[0].clauses == ["Статья 6", "6.1", "7", "7.1"]


@pytest.mark.parametrize(("room", "expected"), [(100, [TORN, TORN]), (6, [TORN, FREE])])
def test_a_table_is_whole_if_it_fits_and_never_loses_its_header(room: int, expected: list[Severity]) -> None:
    table = [["mark", "class"], ["a", "b"], ["c", "d"]]
    assert severity(built(table), room) == expected


def test_captions_and_lead_ins_are_glued() -> None:
    doc = built(
        (P, "It includes:"),
        (L, "- one;"),
        (L, "- two."),
        (ElementKind.CAPTION, "Table 1"),
        [["a", "b"]],
        (P, "A note: read it."),
        (P, "End."),
    )
    assert severity(doc, 100) == [GLUED, GLUED, FREE, GLUED, FREE, FREE]


def test_code_is_best_cut_before_a_definition() -> None:
    code = "def f():\n    a = 1\n\n    b = 2\n\ndef g():\n    return {\n    }\nx = 1"
    found, units = rules(built((C, code)), 3)
    standing = dict(zip([unit.row for unit in units[1:]], found.standing, strict=True))
    assert min(standing, key=lambda row: standing[row] or 0.0) == 5
    assert None not in standing.values()
    assert sorted(standing, key=lambda row: standing[row] or 0.0)[1] == 3
    assert found.severity == [GLUED, FREE, FREE, GLUED, GLUED, FREE]
    assert set(severity(built((C, code)), 100)) == {TORN}


def test_only_cuts_that_the_scorer_decides_have_no_standing() -> None:
    doc = built((P, "One. Two."), [["a", "b"], ["c", "d"]], (P, "Three."))
    assert [fixed is None for fixed in rules(doc, 3)[0].standing] == [True, True, False, True]


# --- What belongs together -----------------------------------------------------------------------

T, F, N = ElementKind.CAPTION, ElementKind.FORMULA, ElementKind.FOOTNOTE
TABLE = [["марка", "класс"], ["А", "Б"]]
Piece = tuple[ElementKind, str] | list[list[str]]


def edges(*parts: Piece, room: int = 1000) -> list[Severity]:
    """Severity of the cuts between elements."""
    found, units = rules(built(*parts), room)
    return [found.severity[i - 1] for i in range(1, len(units)) if units[i].opens]


@pytest.mark.parametrize(
    "caption", ["Таблица 3 — Нагрузки", "Табл. Б.1. Нагрузки", "Table 2. Loads", "Продолжение таблицы 3"]
)
@pytest.mark.parametrize("kind", [T, P])
def test_a_caption_of_a_table_stands_above_it(kind: ElementKind, caption: str) -> None:
    assert edges(TABLE, (kind, caption), TABLE, (P, "Далее.")) == [FREE, GLUED, FREE]


def test_a_caption_of_a_table_stands_below_it_where_no_table_follows() -> None:
    assert edges((P, "Текст."), TABLE, (T, "Таблица 3 — Нагрузки"), (P, "Далее.")) == [FREE, GLUED, FREE]


def test_a_line_of_units_stands_between_caption_and_table() -> None:
    parts: list[Piece] = [TABLE, (T, "Таблица 3"), (P, "В миллиметрах"), TABLE]
    assert edges(*parts) == [FREE, GLUED, GLUED]


def test_a_table_that_extraction_did_not_see_follows_its_caption() -> None:
    assert edges((P, "Текст."), (T, "Таблица 3 — Нагрузки"), (P, "А Б"), (P, "1 2")) == [FREE, GLUED, FREE]


@pytest.mark.parametrize("caption", ["Рисунок 2 — Разрез", "Рис. 2. Разрез", "Черт. 5", "Figure 3: Section"])
def test_a_caption_of_a_figure_stays_with_what_is_above(caption: str) -> None:
    assert edges((P, "Разрез дан ниже."), (T, caption), (P, "Далее.")) == [GLUED, FREE]


def test_prose_that_speaks_of_a_figure_is_no_caption() -> None:
    assert edges((P, "Текст."), (P, "Рисунок 2 показывает разрез стены."), (P, "Далее.")) == [FREE, FREE]


@pytest.mark.parametrize(
    "note", ["Примечание — Без веса.", "Примечания: без веса.", "NOTE 1 Without weight."]
)
def test_notes_stay_with_what_they_speak_of(note: str) -> None:
    assert edges(TABLE, (P, note), (P, "Далее.")) == [GLUED, FREE]
    assert edges((P, "Текст."), (P, note)) == [GLUED]


def test_numbered_notes_stay_with_their_head() -> None:
    parts: list[Piece] = [TABLE, (P, "Примечания"), (P, "1 Без веса."), (P, "2 В мм."), (P, "Далее.")]
    assert edges(*parts) == [GLUED, GLUED, GLUED, FREE]


@pytest.mark.parametrize("bullet", ["- ", "а) ", "1) ", "• "])
def test_a_list_of_paragraphs_is_a_list(bullet: str) -> None:
    parts = [
        (P, "Соблюдают следующие требования:"),
        (P, f"{bullet}одно;"),
        (P, f"{bullet}другое."),
        (P, "Далее."),
    ]
    assert edges(*parts) == [GLUED, GLUED, FREE]


def test_a_list_that_does_not_fit_keeps_its_first_item_with_the_lead_in() -> None:
    parts = [(P, "Соблюдают:"), (L, "- одно требование;"), (L, "- другое требование."), (P, "Далее.")]
    assert edges(*parts, room=8) == [GLUED, FREE, FREE]


def test_a_list_inside_a_list_is_whole_when_only_it_fits() -> None:
    builder = DocumentBuilder()
    builder.add(P, "Соблюдают следующие требования проекта:")
    builder.add(L, "- первое, в том числе:", level=1)
    builder.add(L, "- одно;", level=2)
    builder.add(L, "- другое;", level=2)
    builder.add(L, "- второе требование проекта.", level=1)
    assert severity(document(builder), 12) == [GLUED, GLUED, GLUED, FREE]


def test_only_the_last_sentence_of_a_paragraph_leads_in() -> None:
    doc = built((P, "Требования даны ниже. Их соблюдают:"), (L, "- одно;"), (L, "- другое."))
    assert severity(doc, 100) == [FREE, GLUED, GLUED]


def test_a_formula_stays_with_its_lead_in_and_its_explanation() -> None:
    parts: list[Piece] = [
        (P, "Усилие определяют по формуле"),
        (F, "N = q L"),
        (P, "где q — нагрузка, кН/м;"),
        (P, "L — длина, м."),
        (P, "Далее считают момент."),
    ]
    assert edges(*parts) == [GLUED, GLUED, GLUED, FREE]


def test_a_footnote_stays_with_the_text_that_cites_it() -> None:
    assert edges((P, "Стена <1> и пол <2>."), (N, "<1> Из бетона."), (N, "<2> Из дерева.")) == [GLUED, GLUED]
    assert edges((P, "Текст без ссылок."), (N, "<1> Из бетона."), (N, "<2> Из дерева.")) == [FREE, FREE]


def test_a_sentence_goes_on_over_a_break() -> None:
    assert edges((P, "Стены выполняют из"), (P, "кирпича."), (P, "Далее.")) == [GLUED, FREE]


def test_what_a_chunk_goes_on_with_is_told() -> None:
    doc = built(
        (H, "5 Нагрузки"),
        (P, "5.1 Учитывают. Считают:"),
        (L, "- снег;"),
        (T, "Таблица 3 — Снег"),
        TABLE,
        (P, "Далее."),
    )
    found, units = rules(doc, 1000)
    assert found.continued == [None, None, "5.1", "5.1", "5.1", "5.1", "5.1", "5.1"]
    said = [None, None, None, "Считают:", None, "Таблица 3 — Снег", "Таблица 3 — Снег", None]
    assert found.announced == said
    assert len(units) == 8


def test_a_comment_stays_with_the_definition_below_it() -> None:
    comment = "int a;\n/* Context of a connection. */"
    doc = built((C, comment), (C, "struct context { int b; };"), (C, "int c;"))
    assert severity(doc, 3)[1:] == [GLUED, FREE]


def test_a_caption_of_several_sentences_or_lines_is_whole() -> None:
    doc = built((P, "Before."), (T, "Таблица 3. Нагрузки на настил. Значения в кПа."), TABLE, (P, "After."))
    found = severity(doc, 100)
    assert found[1:3] == [GLUED] * 2
    assert (found[0], found[-1]) == (FREE, FREE)


def test_a_title_stays_with_the_list_below_it() -> None:
    assert edges((P, "Before."), (T, "Совет"), (L, "раз"), (L, "два"), (P, "After."))[1] is GLUED
