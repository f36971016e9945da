"""Reads SQuAD and what is written like it: XQuAD, SberQuAD, MLQA."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from indexing.recall.entries import question_id, quoted, wrong
from indexing.recall.model import GoldenQuestion


def read_squad(content: str, name: str) -> Iterator[GoldenQuestion]:
    """Questions of a SQuAD file; the documents are its articles, called by their titles.

    The first answer counts; it keeps the words around it, since answers are short. Questions without an
    answer (SQuAD 2) are left out: there is no passage to find.

    Args:
        content: The file.
        name: Its name, for messages.

    Raises:
        ConfigurationError: It is not JSON, or a field is missing.
    """
    try:
        data = json.loads(content)
    except json.JSONDecodeError as error:
        raise wrong(f"{name}, line {error.lineno}", f"it is not JSON ({error.msg})") from error
    except RecursionError as error:
        raise wrong(name, "it is nested too deeply") from error
    for number, article in enumerate(_list(data, "data", name), 1):
        where = f"{name}, article {number}"
        title = " ".join(str(_field(article, "title", where)).replace("_", " ").split())
        for place, paragraph in enumerate(_list(article, "paragraphs", where), 1):
            yield from _paragraph(paragraph, title, f"{where}, paragraph {place}")


def _paragraph(paragraph: Any, title: str, where: str) -> Iterator[GoldenQuestion]:
    context = str(_field(paragraph, "context", where))
    for number, asked in enumerate(_list(paragraph, "qas", where), 1):
        here = f"{where}, question {number}"
        answers = _list(asked, "answers", here)
        if not answers:
            continue
        question = str(_field(asked, "question", here)).strip()
        text, start = str(_field(answers[0], "text", here)), _field(answers[0], "answer_start", here)
        if not question or not isinstance(start, int) or context[start : start + len(text)] != text:
            raise wrong(here, "'answer_start' is not where 'text' stands in 'context', or it asks nothing")
        span = quoted(context, start, start + len(text))
        id_ = str(asked.get("id") or question_id(question, title, context, str(start)))
        yield GoldenQuestion(id_, question, title, (span,), answer=text)


def _field(values: Any, name: str, where: str) -> Any:
    if not isinstance(values, Mapping) or name not in values:
        raise wrong(where, f"{name!r} is missing", hint="SQuAD has data, paragraphs, qas, answers.")
    return values[name]


def _list(values: Any, name: str, where: str) -> list[Any]:
    found = _field(values, name, where)
    if not isinstance(found, list):
        raise wrong(where, f"{name!r} must be a list")
    return found
