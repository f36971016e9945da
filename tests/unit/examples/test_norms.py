"""The example repository holds together: documents, golden questions, scripted changes."""

from __future__ import annotations

import runpy
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from extraction.extract import extract
from rubrica.model import Document, ElementKind
from rubrica.settings import ExtractionSettings

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NORMS = EXAMPLES / "norms"
DOCUMENTS = sorted(
    path.relative_to(NORMS).as_posix()
    for path in NORMS.rglob("*.*")
    if path.is_file() and path.name != "golden.yaml"
)
GOLDEN: list[dict[str, Any]] = yaml.safe_load((NORMS / "golden.yaml").read_text(encoding="utf-8"))
CHANGES: dict[str, dict[str, Any]] = yaml.safe_load(
    (EXAMPLES / "norms-changes.yaml").read_text(encoding="utf-8")
)
SP_901 = "нормы/СП 901.1325800.2024 Малые лодочные станции.pdf"
SP_902 = "нормы/СП 902.1325800.2024 Плавучие причалы.docx"


@cache
def read(path: str) -> Document:
    return extract((NORMS / path).read_bytes(), path, ExtractionSettings())


def fold(text: str) -> str:
    return " ".join(text.split())


def test_every_format_and_both_languages_are_there() -> None:
    formats = {Path(path).suffix for path in DOCUMENTS}

    assert formats == {".md", ".html", ".docx", ".pdf", ".csv", ".xlsx", ".txt", ".py"}
    assert len(DOCUMENTS) >= 13
    assert {read(path).language for path in DOCUMENTS} == {"ru", "en"}
    assert sum(" " in path and not path.isascii() for path in DOCUMENTS) >= 2


def test_there_are_enough_questions_with_ids_of_their_own() -> None:
    languages = Counter(entry["language"] for entry in GOLDEN)

    assert len(GOLDEN) >= 48
    assert set(languages) == {"ru", "en"}
    assert min(languages.values()) >= 15
    assert len({entry["id"] for entry in GOLDEN}) == len(GOLDEN)
    assert len({entry["question"] for entry in GOLDEN}) == len(GOLDEN)


def test_every_document_is_asked_about() -> None:
    assert {entry["document"] for entry in GOLDEN} == set(DOCUMENTS)


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: entry["id"])
def test_quote_stands_exactly_once_in_its_document(entry: dict[str, Any]) -> None:
    assert set(entry) <= {"id", "question", "language", "document", "quote", "demo", "clause", "page"}
    assert fold(read(entry["document"]).text).count(fold(entry["quote"])) == 1


@pytest.mark.parametrize("entry", [e for e in GOLDEN if "clause" in e], ids=lambda entry: entry["id"])
def test_clause_and_page_of_a_question_are_those_of_its_quote(entry: dict[str, Any]) -> None:
    document = read(entry["document"])
    holders = [e for e in document.elements if fold(entry["quote"]) in fold(document.text[e.start : e.end])]

    assert len(holders) == 1
    inside = [heading.split()[0].rstrip(".") for heading in holders[0].heading_path]
    assert entry["clause"] in [holders[0].clause, *inside]
    assert entry.get("page", holders[0].page_from) == holders[0].page_from


def test_demo_asks_for_a_clause_a_table_row_and_in_english() -> None:
    demo = {entry["id"]: entry for entry in GOLDEN if entry.get("demo")}

    assert len(demo) == 3
    assert any(e["document"] == SP_901 and "clause" in e and "page" in e for e in demo.values())
    assert any(" | " in e["quote"] for e in demo.values())
    assert {e["language"] for e in demo.values()} == {"ru", "en"}


def test_table_over_a_page_break_is_one_table() -> None:
    document = read(SP_901)
    (table,) = [
        e
        for e in document.elements
        if e.kind is ElementKind.TABLE and "Понтон хозяйственный" in document.text[e.start : e.end]
    ]

    assert len(table.rows) == 31
    assert table.page_from is not None
    assert table.page_to is not None
    assert table.page_to == table.page_from + 1


def test_running_header_and_footer_are_not_text() -> None:
    text = read(SP_901).text

    assert "Учебный документ" not in text
    assert "Страница 3" not in text


def test_automatic_numbers_of_a_word_processor_are_clauses() -> None:
    document = read(SP_902)
    quote = "Журнал хранят пять лет."
    (holder,) = [e for e in document.elements if quote in document.text[e.start : e.end]]

    assert holder.clause == "2.1.3"


def test_edit_changes_one_sentence() -> None:
    edit = CHANGES["edit"]
    text = (NORMS / edit["path"]).read_text(encoding="utf-8")
    changed = extract(
        text.replace(edit["find"], edit["replace"]).encode(), edit["path"], ExtractionSettings()
    )

    assert text.count(edit["find"]) == 1
    assert edit["before"] in fold(read(edit["path"]).text)
    assert edit["after"] in fold(changed.text)
    assert edit["before"] not in fold(changed.text)


def test_renamed_and_removed_files_exist_and_answer_their_questions() -> None:
    rename, remove = CHANGES["rename"], CHANGES["remove"]

    assert rename["to"] not in DOCUMENTS
    assert fold(rename["before"]) in fold(read(rename["from"]).text)
    assert fold(remove["before"]) in fold(read(remove["path"]).text)
    assert not any(
        fold(remove["before"]) in fold(read(path).text) for path in DOCUMENTS if path != remove["path"]
    )


def test_code_agrees_with_the_code_of_practice() -> None:
    code = runpy.run_path(str(NORMS / "tools" / "pier_load.py"))
    table = next(e for e in read(SP_901).elements if len(e.rows) == 31)

    for row in table.rows[1:]:
        length, force = (float(cell.replace(",", ".")) for cell in (row[1], row[4]))
        assert code["mooring_force"](length) == pytest.approx(force, abs=0.051)
    assert code["anchors_needed"](12, 3.9) == 5  # as in the handbook's third example
    assert not code["is_safe"](code["Section"](12.0, 2.4, 14.4, 0.52), 2.5)  # and in its first
    assert code["is_safe"](code["Section"](12.0, 2.4, 19.2, 0.69), 2.5)
