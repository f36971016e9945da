"""Documents whose headings and paragraphs tell which sentences belong together."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from chunking.sentences import split_sentences
from rubrica.errors import ConfigurationError
from rubrica.model import Document, ElementKind

FEWEST_SENTENCES = 12
"""A document with fewer tells too little about what is near and what is far."""

_TEXT = frozenset({ElementKind.PARAGRAPH, ElementKind.LIST_ITEM, ElementKind.FOOTNOTE})
_HEADINGS = frozenset({ElementKind.TITLE, ElementKind.HEADING})
_WORD = re.compile(r"[^\W\d_]{2,}")
_LETTER = re.compile(r"[A-Za-zА-Яа-яЁё]")
_CYRILLIC = re.compile(r"[А-Яа-яЁё]")
_SENTENCE_END = re.compile(r"[.!?…:;][»”\")]*$")
_PROSE_WORDS = 4
_PROSE_LETTERS = 0.65
_READABLE_LETTERS = 0.4
_KEPT_SHARE = 0.3
_HELD_OUT = 25  # one document of so many, by the digest of its name


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and where it stands: texts of the headings above or a section's number, and a paragraph."""

    section: str
    paragraph: int
    text: str


@dataclass(frozen=True, slots=True)
class StructuredDocument:
    """Sentences in reading order.

    Attributes:
        name: Where it comes from, for the data card and for holding it out.
        language: "ru" or "en".
        sentences: All its sentences.
        kind: "prose" where fragments were left out, else "raw".
    """

    name: str
    language: str
    sentences: tuple[Sentence, ...]
    kind: str = "raw"

    @property
    def held_out(self) -> bool:
        """Whether it is kept from training to choose by; the same every time."""
        return zlib.crc32(self.name.encode()) % _HELD_OUT == 0


def read_sections(path: Path) -> Iterator[StructuredDocument]:
    """Documents of a file of gzipped JSON lines.

    Each is ``{"lang", "src", "sents": [[section, paragraph, sentence], …]}``.

    Raises:
        ConfigurationError: There is no such file, or a line of it is something else.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                sentences = tuple(Sentence(*sentence) for sentence in record["sents"])
                yield StructuredDocument(record["src"], record["lang"], sentences)
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error}.", hint="Give the data's folder."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{path} does not hold sections: {error}.") from error


def from_document(document: Document) -> StructuredDocument:
    """Sections and paragraphs of an extracted document; its headings themselves are left out.

    A heading stands in front of the text that it announces, and rules keep it there: a scorer is not
    asked about it. List items of one list are taken for one paragraph's neighbours, each its own.
    """
    sections = count()
    section = next(sections)
    sentences: list[Sentence] = []
    for number, element in enumerate(document.elements):
        if element.kind in _HEADINGS:
            section = next(sections)
        elif element.kind in _TEXT:
            text = document.text[element.start : element.end]
            spans = split_sentences(text, document.language, newline_ends=False)
            sentences += [Sentence(str(section), number, " ".join(text[a:b].split())) for a, b in spans]
    name = f"{document.source}:{document.path}"
    return StructuredDocument(name, _language(sentences), tuple(sentences))


def usable(documents: Iterable[StructuredDocument]) -> Iterator[StructuredDocument]:
    """Each document twice, as prose and as it is, less what teaches nothing.

    Prose is what a boundary is asked for between most often; documentation is half fragments of
    lists. Text in other scripts, documents of one section and short ones are left out.
    """
    for document in documents:
        for kind, keep in (("prose", _is_prose), ("raw", _is_readable)):
            kept = _keep(document, kind, keep)
            if kept is not None:
                yield kept


def _keep(document: StructuredDocument, kind: str, keep: Callable[[str], bool]) -> StructuredDocument | None:
    sentences = tuple(sentence for sentence in document.sentences if keep(sentence.text))
    if len(sentences) < max(FEWEST_SENTENCES, _KEPT_SHARE * len(document.sentences)):
        return None
    if len({sentence.section for sentence in sentences}) < 2:
        return None
    return StructuredDocument(document.name, document.language, sentences, kind)


def _is_prose(text: str) -> bool:
    return (
        len(_WORD.findall(text)) >= _PROSE_WORDS
        and bool(_SENTENCE_END.search(text.rstrip()))
        and _share_of_letters(text) >= _PROSE_LETTERS
    )


def _is_readable(text: str) -> bool:
    return _share_of_letters(text) >= _READABLE_LETTERS


def _share_of_letters(text: str) -> float:
    return len(_LETTER.findall(text)) / max(1, len(text))


def _language(sentences: Sequence[Sentence]) -> str:
    text = "".join(sentence.text for sentence in sentences)
    return "ru" if 2 * len(_CYRILLIC.findall(text)) > len(_LETTER.findall(text)) else "en"
