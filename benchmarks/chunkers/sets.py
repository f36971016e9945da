"""The sets that chunkers are measured on: documents with questions, sentences with boundaries.

Every document is written as a file and read by the project's own extraction, so that the whole product is
measured; peers get the text that it read, title line included. Gold spans are carried over to that text
(``align``), none is lost.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.chunkers.align import Span, map_spans
from benchmarks.chunkers.norms import Finder, as_file, names, read_pages, read_questions
from extraction.extract import extract
from rubrica.model import Document
from rubrica.settings import ExtractionSettings


@dataclass(frozen=True, slots=True)
class Question:
    """A question and where its answer stands.

    Attributes:
        text: The question.
        document: Ordinal of its document.
        spans: Offsets of the answer in that document's text, in order, not overlapping.
    """

    text: str
    document: int
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Documents that are searched together, and questions on them."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class SegmentedText:
    """A text as sentences, and where its segments end.

    Attributes:
        language: "ru" or "en".
        sentences: In reading order.
        boundaries: Per gap between neighbours, whether a segment ends there.
    """

    language: str
    sentences: tuple[str, ...]
    boundaries: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class SegmentationSet:
    """Texts whose segments are known."""

    name: str
    texts: tuple[SegmentedText, ...]


# --- Retrieval ---------------------------------------------------------------------------------------


def retrieval_sets(data: Path) -> dict[str, Callable[[], RetrievalSet]]:
    """What reads each retrieval set that ``data`` holds, by name.

    ``normative_docs_qa`` is left out: it marks no passages but words that an answer must contain, which one
    paragraph holds for 31 of its 108 questions, and 18 of them ask about another law than its file.
    """
    folder = data / "retrieval"
    squads = {f"{path.name.split('.first')[0]}": path for path in sorted(folder.glob("xquad.*.json"))}
    readers: dict[str, Callable[[], RetrievalSet]] = {
        name: partial(read_squad, path, name) for name, path in squads.items()
    }
    corpora = folder / "chunking_evaluation"
    questions = corpora / "questions.csv"
    for path in sorted(corpora.glob("*.md")) if questions.exists() else ():
        readers[path.stem] = partial(read_corpus, path, questions)
    norms = folder / "akumsk_pages"
    if norms.is_dir():
        readers["norms"] = partial(read_norms, norms)
    company = folder / "transneft"
    if company.is_dir():
        readers["transneft"] = partial(read_passages, company)
    return readers


def read_norms(folder: Path) -> RetrievalSet:
    """Building norms, with the questions of ``benchmarks/golden/norms.jsonl``."""
    asked = read_questions()
    pages = {name: read_pages(folder / f"{name}.json") for name in names(asked)}
    documents = [read_file(as_file(texts), f"{name}.txt") for name, texts in pages.items()]
    finders = {name: Finder(document) for name, document in zip(pages, documents, strict=True)}
    ordinals = {name: i for i, name in enumerate(pages)}
    questions = []
    for item in asked:
        quote = pages[item.document][item.page][item.start : item.end]
        span = finders[item.document].span(quote, item.page)
        questions.append(Question(item.question, ordinals[item.document], (span,)))
    return RetrievalSet("norms", tuple(documents), tuple(questions))


def read_passages(folder: Path) -> RetrievalSet:
    """One Word file, and questions whose answers are passages of it, each quoted under its heading.

    A passage is as long as a chunk or longer, so each of its paragraphs is a span of the answer.
    """
    (path,) = folder.glob("*.docx")
    document = read_file(path.read_bytes(), path.name)
    finder = Finder(document)
    passages = json.loads((folder / "doc_id_mapping.json").read_text(encoding="utf-8"))
    asked = json.loads((folder / "benchmark.json").read_text(encoding="utf-8"))["questions"]
    quotes = {name: _HEADING.sub("", passage["full_content"]) for name, passage in passages.items()}
    return RetrievalSet(
        folder.name,
        (document,),
        tuple(
            Question(item["question"], 0, tuple(_paragraphs(document.text, found)))
            for item in asked
            for found in [merged(finder.span(quotes[name]) for name in item["relevant_docs"])]
        ),
    )


def _paragraphs(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    for start, end in spans:
        yield from ((start + line.start(), start + line.end()) for line in _LINE.finditer(text[start:end]))


_LINE = re.compile(r"[^\n]+")
_HEADING = re.compile(r"\AРаздел: .*\n")


def read_squad(path: Path, name: str) -> RetrievalSet:
    """Articles in SQuAD format, each a Markdown file with its title and paragraphs."""
    documents: list[Document] = []
    questions: list[Question] = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        title = " ".join(article["title"].replace("_", " ").split())
        text, asked = _article(article, title)
        document = read_file(f"# {_escaped(text)}\n", f"{len(documents):02}.md")
        spans = map_spans(text, document.text, (span for _, span in asked))
        found = zip(asked, spans, strict=True)
        questions += [Question(question, len(documents), (span,)) for (question, _), span in found]
        documents.append(document)
    return RetrievalSet(name, tuple(documents), tuple(questions))


def _article(article: Mapping[str, Any], title: str) -> tuple[str, list[tuple[str, Span]]]:
    """An article's text, title first, and its questions with the first answer's span."""
    text = title
    asked: list[tuple[str, Span]] = []
    for paragraph in article["paragraphs"]:
        text += "\n\n"
        for question in paragraph["qas"]:
            answer = question["answers"][0]
            start = len(text) + answer["answer_start"]
            asked.append((question["question"], (start, start + len(answer["text"]))))
        text += paragraph["context"]
    return text, asked


def _escaped(text: str) -> str:
    """Text in which Markdown sees no markup, so that it is read back as it was."""
    return "".join(f"\\{character}" if character in _MARKUP else character for character in text)


_MARKUP = frozenset("\\`*_{}[]<>#+-.!|~&$=:")


def read_corpus(path: Path, questions: Path) -> RetrievalSet:
    """One corpus of chunking_evaluation, as the plain text that it is."""
    text = path.read_bytes().decode("utf-8")
    document = read_file(text, f"{path.stem}.txt")
    with questions.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["corpus_id"] == path.stem]
    asked = []
    for row in rows:
        spans = merged((part["start_index"], part["end_index"]) for part in json.loads(row["references"]))
        asked.append(Question(row["question"], 0, tuple(map_spans(text, document.text, spans))))
    return RetrievalSet(path.stem, (document,), tuple(asked))


def merged(spans: Iterator[Span]) -> list[Span]:
    """Spans in order, those that overlap joined."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def read_file(content: str | bytes, path: str) -> Document:
    """A document, as the project reads a file of this name and content."""
    raw = content.encode() if isinstance(content, str) else content
    return extract(raw, path, ExtractionSettings(_env_file=None))


# --- Segmentation ------------------------------------------------------------------------------------


def segmentation_sets(data: Path) -> dict[str, Callable[[], SegmentationSet]]:
    """What reads each segmentation set that ``data`` holds, by name."""
    files = sorted((data / "segmentation").glob("*.jsonl"))
    return {path.stem: partial(read_segmented, path) for path in files}


def read_segmented(path: Path) -> SegmentationSet:
    """Texts as lines of JSON: ``sentences``, and ``boundaries``, ordinals of those that open a segment."""
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return SegmentationSet(path.stem, tuple(map(_segmented, rows)))


def _segmented(row: Mapping[str, Any]) -> SegmentedText:
    sentences = tuple(_clean(row["sentences"]))
    opens = set(row["boundaries"])
    ends = tuple(i in opens for i in range(1, len(sentences)))
    return SegmentedText(row["lang"], sentences, ends)


def _clean(sentences: Sequence[str]) -> Iterator[str]:
    """Sentences on one line each, as they are joined by spaces."""
    return (" ".join(sentence.split()) for sentence in sentences)
