"""Questions for a source that has none yet, made from its headings and first sentences.

They are a stopgap: a heading is easier to find than what people ask. They show that an index answers at all,
and that a change broke it; the set is marked so, and goes when somebody writes real questions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from chunking.sentences import split_sentences
from indexing.recall.entries import question_id, quoted
from indexing.recall.model import GoldenQuestion, GoldenSet, Origin
from rubrica.identity import digest
from rubrica.model import Chunk

MOST_DOCUMENTS = 40
_PER_DOCUMENT = 3
_WORDS = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"^(?:[A-ZА-ЯЁ]?\d+(?:\.\d+)*\.?\)?|[IVXLC]+\.|[-*•#]+)\s+")
_FEWEST_WORDS = 3
_MOST_LETTERS = 200
_SHORTEST_ANSWER = 25
_LOOKED_AT = 2_000


@dataclass(frozen=True, slots=True)
class Sample:
    """A document that questions are made from.

    Attributes:
        path: Its path.
        title: Its title.
        language: ISO 639-1.
        text: Its text.
        chunks: Its chunks, in order; they know the headings.
    """

    path: str
    title: str
    language: str
    text: str
    chunks: Sequence[Chunk]


def bootstrap_name(source: str) -> str:
    """Name of a source's bootstrap set; a source's own name has no dot."""
    return f"{source}.bootstrap"


def sampled(paths: Iterable[str], most: int = MOST_DOCUMENTS) -> list[str]:
    """The documents that questions are made from: always the same, whatever others come and go."""
    return sorted(sorted(paths, key=lambda path: (digest("bootstrap", path), path))[:most])


def bootstrap_set(source: str, samples: Iterable[Sample]) -> GoldenSet:
    """Questions on a source.

    A question is a heading, with the title before it where another section is headed alike; its answer is
    the first sentence below. A document without a heading that will do gives its own first sentence. The
    same documents give the same questions, with the same ids.

    Args:
        source: Name of the source.
        samples: The documents, see ``sampled``.
    """
    made = [question for sample in samples for question in _questions(sample)]
    counts = Counter(question.question for question in made)
    unique = {question.id: question for question in made if counts[question.question] == 1}
    return GoldenSet(bootstrap_name(source), tuple(unique.values()), source, Origin.BOOTSTRAP)


def _questions(sample: Sample) -> Iterator[GoldenQuestion]:
    headings = list(_headings(sample))
    # Spread over the document: first, middle, last.
    step = max(1, (len(headings) - 1) // max(1, _PER_DOCUMENT - 1))
    for heading, start in headings[::step][:_PER_DOCUMENT] or [("", 0)]:
        sentence = _first_sentence(sample, start)
        if sentence is None:
            continue
        asked = f"{sample.title}. {heading}" if heading else _opening(sample.text[slice(*sentence)])
        span = quoted(sample.text, *sentence, hint=sentence[0])
        id_ = question_id("bootstrap", sample.path, heading, span.quote)
        yield GoldenQuestion(id_, asked, sample.path, (span,), sample.language)


def _headings(sample: Sample) -> Iterator[tuple[str, int]]:
    """Headings that say something, in order, and the offsets after them."""
    position = 0
    known: set[str] = set()
    for chunk in sample.chunks:
        for heading in chunk.heading_path:
            if heading in known or heading == sample.title:
                continue
            known.add(heading)
            line = re.compile(rf"^\W*{re.escape(heading)}[^\S\n]*$", re.MULTILINE)
            found = line.search(sample.text, position, chunk.end) or line.search(sample.text, 0, chunk.end)
            if found is None:
                continue
            position = found.end()
            text = _NUMBER.sub("", heading).strip()
            if len(_WORDS.findall(text)) >= _FEWEST_WORDS and len(text) <= _MOST_LETTERS:
                yield text, found.end()


def _first_sentence(sample: Sample, start: int) -> tuple[int, int] | None:
    """The first sentence after an offset that is long enough to be an answer."""
    part = sample.text[start : start + _LOOKED_AT]
    spans = split_sentences(part, sample.language, newline_ends=True)
    long_enough = _first(spans, lambda span: len(_letters(part[span[0] : span[1]])) >= _SHORTEST_ANSWER)
    if long_enough is None:
        return None
    begin, end = long_enough
    text = part[begin:end]
    begin += len(text) - len(text.lstrip())
    return start + begin, start + begin + len(text.strip())


def _first(
    spans: Iterable[tuple[int, int]], fits: Callable[[tuple[int, int]], bool]
) -> tuple[int, int] | None:
    return next(filter(fits, spans), None)


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def _opening(sentence: str) -> str:
    """The first words of a sentence, as somebody who remembers how a text begins would ask."""
    words = sentence.split()
    return " ".join(words[: max(6, len(words) // 2)])
