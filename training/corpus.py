"""What a scorer is trained on: the project's sections, or a source of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chunking.cores import available_cores
from chunking.scorers.base import PairScorer
from extraction.worker import ExtractionJob, extract_isolated
from rubrica.errors import ConfigurationError, PoisonDocumentError
from rubrica.model import Failure, SourceFile, Stage
from rubrica.protocols import NoProgress, Progress
from rubrica.settings import Settings
from sources.factory import open_source, spec_from_location
from sources.protocol import Source
from training.documents import StructuredDocument, from_document, usable
from training.pairs import EncodedDocument, encode

_FEWEST_DOCUMENTS = 6
_FEWEST_HELD_OUT = 2


EncodedPair = tuple[StructuredDocument, EncodedDocument]
"""A document and the tokens of its sentences."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents to learn from, and others to choose by."""

    training: tuple[EncodedPair, ...]
    held_out: tuple[EncodedPair, ...]


def build_corpus(
    documents: Iterable[StructuredDocument], scorer: PairScorer, progress: Progress | None = None
) -> Corpus:
    """Choose the documents that teach something and tokenize them.

    Args:
        documents: Any documents.
        scorer: Gives the tokenizer.
        progress: Hears of every document.

    Raises:
        ConfigurationError: Too few documents have sections and paragraphs.
    """
    found: dict[str, list[EncodedPair]] = {}
    for document in usable(_counted(documents, progress or NoProgress())):
        encoded = encode(document, scorer)
        if len(encoded.openings) > 1:
            found.setdefault(document.name, []).append((document, encoded))
    if len(found) < _FEWEST_DOCUMENTS:
        raise ConfigurationError(
            f"There are too few documents with sections to learn from: {len(found)}.",
            hint=f"Give a source with at least {_FEWEST_DOCUMENTS} documents of several sections each.",
        )
    held_out = _held_out(found)
    return Corpus(
        training=tuple(pair for name, pairs in found.items() if name not in held_out for pair in pairs),
        held_out=tuple(pair for name, pairs in found.items() if name in held_out for pair in pairs),
    )


def _held_out(found: Mapping[str, Sequence[EncodedPair]]) -> set[str]:
    """Names that the digest chose, and the last ones of a source so small that it chose too few."""
    chosen = {name for name, pairs in found.items() if pairs[0][0].held_out}
    missing = max(0, _FEWEST_HELD_OUT - len(chosen))
    others = [name for name in sorted(found) if name not in chosen]
    # Of a source whose documents were all chosen, most are learned from all the same.
    return set(sorted(chosen)[: len(found) // 2]) | set(others[len(others) - missing :])


def _counted(documents: Iterable[StructuredDocument], progress: Progress) -> Iterator[StructuredDocument]:
    for document in documents:
        progress.advance()
        yield document


def read_source(location: str, settings: Settings) -> Iterator[StructuredDocument | Failure]:
    """Headings and paragraphs of all documents of a folder or git repository.

    Args:
        location: Path or URL.
        settings: Limits of sources and extraction; the home folder, which keeps copies of repositories.

    Yields:
        For each document its sentences, or why it failed; a bad one harms no other.

    Raises:
        ConfigurationError: There is nothing at that place.
        SourceError: It cannot be read.
    """
    source = open_source(spec_from_location(location), settings)
    snapshot = source.snapshot()
    refused: dict[int, PoisonDocumentError] = {}
    jobs = _jobs(source, snapshot.files, snapshot.revision, refused)
    outcomes = extract_isolated(jobs, settings.extraction, workers=available_cores())
    for number, outcome in enumerate(outcomes):
        error = refused.get(number, outcome.error)
        if error is not None:
            yield Failure("", outcome.path, Stage.EXTRACT, type(error).__name__, error.reason, error.hint)
        elif outcome.document is not None:
            yield from_document(outcome.document)


def _jobs(
    source: Source, files: Sequence[SourceFile], revision: str, refused: dict[int, PoisonDocumentError]
) -> Iterator[ExtractionJob]:
    """A job per file, without content for those that ``refused`` then names."""
    for number, file in enumerate(files):
        content = b""
        try:
            content = source.read(file, revision)
        except PoisonDocumentError as error:
            refused[number] = error
        yield ExtractionJob(file.path, content)
