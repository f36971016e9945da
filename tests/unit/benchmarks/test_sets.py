"""Sets are read through the project's own extraction, and no gold span is lost."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import docx
import pytest

from benchmarks.chunkers.sets import (
    merged,
    read_corpus,
    read_passages,
    read_segmented,
    read_squad,
    retrieval_sets,
)

_DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
_FIRST = "*Звёзды* [1] и 5. числа: a_b <i> `code` # не заглавие\n- не список"
_SECOND = "1. Второй абзац; ответ — «здесь»."


def _squad(path: Path) -> Path:
    def question(context: str, answer: str) -> dict[str, object]:
        found = {"text": answer, "answer_start": context.index(answer)}
        return {"question": f"{answer}?", "answers": [found]}

    paragraphs = [
        {"context": _FIRST, "qas": [question(_FIRST, "a_b <i>"), question(_FIRST, "# не заглавие")]},
        {"context": _SECOND, "qas": [question(_SECOND, "«здесь»")]},
    ]
    path.write_text(json.dumps({"data": [{"title": "My_Title", "paragraphs": paragraphs}]}), encoding="utf-8")
    return path


def test_squad_articles_become_markdown_and_keep_their_answers(tmp_path: Path) -> None:
    read = read_squad(_squad(tmp_path / "x.json"), "x")
    (document,) = read.documents
    assert document.title == "My Title"
    assert document.text.startswith("My Title\n")
    answers = [document.text[slice(*question.spans[0])] for question in read.questions]
    assert answers == ["a_b <i>", "# не заглавие", "«здесь»"]


def test_a_corpus_is_read_as_plain_text_with_all_spans_of_a_question(tmp_path: Path) -> None:
    corpus, questions = tmp_path / "talk.md", tmp_path / "questions.csv"
    corpus.write_text("First words.\n\n = Part =\nSecond words.\n", encoding="utf-8")
    rows = [("talk", [(0, 5), (24, 30)]), ("other", [(0, 1)])]
    with questions.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "references", "corpus_id"])
        for name, spans in rows:
            references = [{"start_index": start, "end_index": end} for start, end in spans]
            writer.writerow(["Which?", json.dumps(references), name])
    read = read_corpus(corpus, questions)
    (question,) = read.questions
    text = read.documents[0].text
    assert [text[slice(*span)] for span in question.spans] == ["First", "Second"]


def test_passages_of_a_word_file_are_found_without_their_headings(tmp_path: Path) -> None:
    word = docx.Document()
    for text in ("Устав", "Первое: одно;", "второе.", "Прочее.", "Итог 5 %."):
        word.add_paragraph(text, style="List Bullet" if text[-1] == ";" else None)
    word.save(str(tmp_path / "реестр.docx"))
    passages = {
        "a": {"full_content": "Раздел: Устав\n\nПервое: одно; - второе."},
        "b": {"full_content": "Итог 5\xa0%."},
    }
    asked = {"questions": [{"question": "Что?", "relevant_docs": ["b", "a"]}]}
    (tmp_path / "doc_id_mapping.json").write_text(json.dumps(passages), encoding="utf-8")
    (tmp_path / "benchmark.json").write_text(json.dumps(asked), encoding="utf-8")
    read = read_passages(tmp_path)
    (question,) = read.questions
    found = [read.documents[0].text[start:end] for start, end in question.spans]
    assert found == ["Первое: одно;", "второе", "Итог 5"]


def test_overlapping_spans_are_joined() -> None:
    assert merged(iter([(5, 9), (0, 3), (8, 12), (12, 14)])) == [(0, 3), (5, 12), (12, 14)]


def test_segments_are_told_gap_by_gap(tmp_path: Path) -> None:
    path = tmp_path / "few.en.jsonl"
    row = {"id": "0", "lang": "en", "sentences": ["A.", "B  b.", "C.", "D."], "boundaries": [1, 3]}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    (text,) = read_segmented(path).texts
    assert text.sentences[1] == "B b."
    assert text.boundaries == (True, False, True)


@pytest.mark.skipif(not _DATA.is_dir(), reason="the data is not on this machine")
def test_every_answer_of_the_real_sets_is_found_in_its_document() -> None:
    for read in retrieval_sets(_DATA).values():
        found = read()
        assert found.questions
        for question in found.questions:
            text = found.documents[question.document].text
            assert all(text[start:end].strip() for start, end in question.spans)
