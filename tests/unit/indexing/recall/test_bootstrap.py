from __future__ import annotations

from indexing.recall.bootstrap import Sample, bootstrap_set, sampled
from indexing.recall.model import Origin
from indexing.recall.resolve import resolve
from indexing.recall.texts import rebuilt
from rubrica.model import Chunk

_TEXT = (
    "Правила станции\n"
    "1.1 Хранение вёсел и багров\nВёсла хранят в сарае за причалом, в сухом месте.\n"
    "1.2 Пуск лодок на воду\nЛодки спускают на воду только при дежурном по причалу."
)


def _sample(text: str, path: str = "a.md", title: str = "Правила станции", headings: bool = True) -> Sample:
    lines = text.split("\n")
    path_now: tuple[str, ...] = ()
    chunks, start = [], 0
    for ordinal, line in enumerate(lines):
        if headings and line[:1].isdigit():
            path_now = (title, line)
        end = start + len(line)
        chunks.append(
            Chunk(f"{path}{ordinal}", path, ordinal, start, end, line, line, 5, start, heading_path=path_now)
        )
        start = end + 1
    return Sample(path, title, "ru", text, chunks)


def test_questions_are_headings_and_answers_first_sentences() -> None:
    golden = bootstrap_set("norms", [_sample(_TEXT)])
    assert (golden.name, golden.source, golden.origin) == ("norms.bootstrap", "norms", Origin.BOOTSTRAP)
    asked = {question.question: question.spans[0].quote for question in golden.questions}
    assert asked == {
        "Правила станции. Хранение вёсел и багров": "Вёсла хранят в сарае за причалом, в сухом месте.",
        "Правила станции. Пуск лодок на воду": "Лодки спускают на воду только при дежурном по причалу.",
    }


def test_every_label_resolves_where_it_was_made() -> None:
    sample = _sample(_TEXT)
    document = rebuilt("d", sample.path, sample.chunks)
    for question in bootstrap_set("norms", [sample]).questions:
        (span,) = question.spans
        assert resolve(span, document).span is not None
        assert document.text[span.start : span.end] == span.quote


def test_a_document_without_headings_gives_its_first_sentence() -> None:
    (question,) = bootstrap_set(
        "norms", [_sample("Дежурный обходит причалы трижды за смену.", headings=False)]
    ).questions
    assert question.question == "Дежурный обходит причалы трижды за смену."
    assert question.spans[0].quote == "Дежурный обходит причалы трижды за смену."


def test_the_same_documents_give_the_same_questions() -> None:
    assert bootstrap_set("norms", [_sample(_TEXT)]) == bootstrap_set("norms", [_sample(_TEXT)])


def test_questions_that_several_documents_answer_are_left_out() -> None:
    twins = [_sample(_TEXT, "a.md"), _sample(_TEXT, "b.md")]
    assert bootstrap_set("norms", twins).questions == ()


def test_a_sample_hardly_changes_with_the_documents() -> None:
    paths = [f"{i}.md" for i in range(200)]
    before, after = set(sampled(paths)), set(sampled([*paths, "new.md"]))
    assert len(before) == 40
    assert len(before - after) <= 1
    assert sampled(reversed(paths)) == sampled(paths)
