from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from indexing.recall.formats import read_golden
from indexing.recall.model import GoldenSpan
from rubrica.errors import ConfigurationError

_ROOT = Path(__file__).parents[4]


def _write(tmp_path: Path, name: str, content: str) -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def test_the_golden_questions_of_the_example() -> None:
    questions = read_golden(_ROOT / "examples" / "norms" / "golden.yaml")
    gap = next(question for question in questions if question.id == "board-gap")
    assert gap.language == "ru"
    assert gap.document.startswith("нормы/СП 901")
    (span,) = gap.spans
    assert span.page == 3
    assert span.quote.startswith("Зазор между досками")


def test_several_passages_and_documents(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        "golden.yaml",
        "- question: Где вёсла?\n  document: a.md\n  spans:\n"
        "    - в сарае\n    - {quote: у двери, document: b.md, page: 2}\n",
    )
    (question,) = read_golden(path)
    assert question.spans == (GoldenSpan("в сарае"), GoldenSpan("у двери", page=2, document="b.md"))
    assert question.id == read_golden(path)[0].id


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "- question: А?\n  document: a.md\n  quote: б\n- question: Б?\n  quote: в\n",
            "line 4: 'document' is missing",
        ),
        ("- question: А?\n  document: a\n  quoet: б\n", "Did you mean 'quote'"),
        ("- question: А?\n  document: a\n  quote: ''\n", "'quote' is empty"),
        ("- question: А?\n  document: a\n  page: three\n", "'page' must be a whole number from 1"),
        ("- question: А?\n  document: a\n  start: 4\n", "'end' is missing"),
        ("- question: А?\n  document: a\n  start: 4\n  end: 4\n", "must be less than"),
        ("- {question: А, document: a, spans: []}\n", "'spans' must be a list"),
        ("question: А?\n", "must be a list of questions"),
        ("- just text\n", "line 1: an entry must be a mapping"),
        ("- question: [\n", "it is not YAML"),
        ("- question: 2024-13-45\n", "a value that YAML cannot read"),
        ("- question: !!bool x\n", "a value that YAML cannot read"),
        ("- question: !!int ''\n", "a value that YAML cannot read"),
        (f"- question: {'[' * 5000}\n", "a value that YAML cannot read"),
        ("- {id: x, question: А, document: a}\n- {id: x, question: Б, document: a}\n", "the id 'x' twice"),
        ("", "holds no question"),
    ],
)
def test_what_is_wrong_with_a_golden_yaml_is_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_golden(_write(tmp_path, "golden.yaml", content))
    assert message in str(caught.value)
    assert "golden.yaml" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", "[" * 100_000, "nested too deeply"),
        ("a.json", "[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_that_its_reader_gives_up_is_named(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        read_golden(_write(tmp_path, name, content))


def test_a_cell_may_be_long(tmp_path: Path) -> None:
    content = 'question,document,quote\nА,a,"' + "б" * 200_000 + '"\n'
    (question,) = read_golden(_write(tmp_path, "a.csv", content))
    assert question.spans[0].quote == "б" * 200_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("queries.jsonl", b"5\n"),
        ("queries.jsonl", "вопрос".encode("cp1251")),
        ("qrels.tsv", "вопрос\tд\t1\n".encode("cp1251")),
    ],
)
def test_a_damaged_folder_of_beir_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "Где?"}\n', encoding="utf-8")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d", "text": "Тут."}\n', encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text("q\td\t1\n", encoding="utf-8")
    assert read_golden(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigurationError, match=re.escape(name)):
        read_golden(tmp_path)


def test_json_lines_whose_offsets_count_in_a_page(tmp_path: Path) -> None:
    page = "Общие положения. Вёсла лежат в сарае. Далее."
    start = page.index("Вёсла")
    row = {"question": "Где вёсла?", "document": "Нормы", "page": 3, "start": start, "end": start + 20}
    path = _write(tmp_path, "norms.jsonl", json.dumps(row) + "\n\n")
    (question,) = read_golden(
        path, pages=lambda name, number: page if (name, number) == ("Нормы", 3) else None
    )
    (span,) = question.spans
    assert span == GoldenSpan("Вёсла лежат в сарае.", page=3, prefix="Общие положения. ", suffix=" Далее.")


def test_json_lines_need_the_text_that_offsets_count_in(tmp_path: Path) -> None:
    path = _write(
        tmp_path, "n.jsonl", '{"question": "А?", "document": "Н", "page": 3, "start": 1, "end": 9}\n'
    )
    with pytest.raises(ConfigurationError, match=r"line 1.*page 3 of 'Н'.*--pages"):
        read_golden(path)
    with pytest.raises(ConfigurationError, match="page 3 of 'Н' ends at 4"):
        read_golden(path, pages=lambda *_: "абвг")


def test_json_lines_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"n\.jsonl, line 2: it is not JSON"):
        read_golden(_write(tmp_path, "n.jsonl", '{"question": "А", "document": "Б", "quote": "в"}\n{nope\n'))


def test_csv_with_spans(tmp_path: Path) -> None:
    content = 'question,document,start,end,answer\n"Где, вёсла?",a.md,3,10,в сарае\n'
    (question,) = read_golden(_write(tmp_path, "q.csv", content))
    assert (question.question, question.answer) == ("Где, вёсла?", "в сарае")
    assert question.spans == (GoldenSpan(start=3, end=10),)


def test_csv_of_chunking_evaluation(tmp_path: Path) -> None:
    references = json.dumps([{"content": "в сарае", "start_index": 3, "end_index": 10}])
    content = f'question,references,corpus_id\nГде?,"{references.replace(chr(34), chr(34) * 2)}",corpus\n'
    (question,) = read_golden(_write(tmp_path, "q.csv", content))
    assert question.document == "corpus"
    assert question.spans == (GoldenSpan("в сарае", 3, 10),)


def test_csv_errors_name_the_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"q\.csv, line 3: 'question' is missing"):
        read_golden(_write(tmp_path, "q.csv", "question,document,quote\nА?,a,б\n,a,б\n"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_as_spreadsheets_write_it(tmp_path: Path, delimiter: str) -> None:
    content = "\n".join(
        delimiter.join(row) for row in (["question", "document", "quote"], ["А?", "a.md", "б"])
    )
    (question,) = read_golden(_write(tmp_path, "q.csv", content))
    assert (question.document, question.spans) == ("a.md", (GoldenSpan("б"),))


@pytest.mark.parametrize(
    ("row", "said"),
    [("А?,a.md,", "'quote' is empty"), ("А?,a.md,8,5 мм", "more cells than the first line has columns")],
)
def test_a_csv_row_never_means_more_than_it_says(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"q\.csv, line 2: .*{said}"):
        read_golden(_write(tmp_path, "q.csv", f"question,document,quote\n{row}\n"))


def test_csv_without_a_column_for_the_passage_means_whole_documents(tmp_path: Path) -> None:
    (question,) = read_golden(_write(tmp_path, "q.csv", "question,document\nА?,a.md\n"))
    assert question.spans == (GoldenSpan(),)


def _squad(**change: Any) -> str:
    answer = {"text": "1857", "answer_start": 2} | change
    paragraph = {
        "context": "В 1857 году построен мост.",
        "qas": [{"id": "q1", "question": "Когда?", "answers": [answer]}],
    }
    return json.dumps({"data": [{"title": "Мост_через реку", "paragraphs": [paragraph]}]})


def test_squad_keeps_the_words_around_a_short_answer(tmp_path: Path) -> None:
    (question,) = read_golden(_write(tmp_path, "s.json", _squad()))
    assert (question.id, question.document, question.answer) == ("q1", "Мост через реку", "1857")
    assert question.spans == (GoldenSpan("1857", prefix="В ", suffix=" году построен мост."),)


def test_squad_errors_name_the_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="article 1, paragraph 1, question 1: 'answer_start'"):
        read_golden(_write(tmp_path, "s.json", _squad(answer_start=3)))
    with pytest.raises(ConfigurationError, match="'data' is missing"):
        read_golden(_write(tmp_path, "s.json", "{}"))


def test_beir(tmp_path: Path) -> None:
    _write(tmp_path, "b/corpus.jsonl", '{"_id": "d1", "text": "а"}\n{"_id": "d2", "text": "б"}\n')
    _write(tmp_path, "b/queries.jsonl", '{"_id": "q1", "text": "Где?"}\n{"_id": "q2", "text": "Кто?"}\n')
    qrels = "query-id\tcorpus-id\tscore\nq1\td2\t1\nq1\td1\t2\nq2\td1\t0\n"
    _write(tmp_path, "b/qrels/test.tsv", qrels)
    (question,) = read_golden(tmp_path / "b")
    assert (question.id, question.question, question.document) == ("q1", "Где?", "d2")
    assert question.spans == (GoldenSpan(), GoldenSpan(document="d1"))


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("q9\td1\t1\n", "the query 'q9' is not in queries.jsonl"),
        ("q1\td9\t1\n", "the document 'd9' is not in corpus.jsonl"),
        ("q1\td1\n", "line 1: it must have query-id, corpus-id and score"),
        ("q1\td1\t1\nq1\td1\tmuch\n", "line 2: the score 'much'"),
    ],
)
def test_beir_errors(tmp_path: Path, qrels: str, message: str) -> None:
    _write(tmp_path, "b/corpus.jsonl", '{"_id": "d1", "text": "а"}\n')
    _write(tmp_path, "b/queries.jsonl", '{"_id": "q1", "text": "Где?"}\n')
    _write(tmp_path, "b/qrels/test.tsv", qrels)
    with pytest.raises(ConfigurationError) as caught:
        read_golden(tmp_path / "b")
    assert message in str(caught.value)


def test_formats_that_are_not_known(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="in no known format"):
        read_golden(_write(tmp_path, "q.txt", "?"))
    with pytest.raises(ConfigurationError, match="not one of BEIR"):
        read_golden(tmp_path)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_golden(tmp_path / "none.yaml")
