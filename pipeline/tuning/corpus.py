"""What settings are tried on: documents, and questions whose passages were found in them once and for all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.recall.evaluate import locate
from indexing.recall.model import GoldenQuestion, GoldenSet, GoldenSpan
from indexing.recall.texts import IndexedText
from pipeline.reading import read_documents
from pipeline.recall import GenerationTexts, searched_generation
from rubrica.errors import ConfigurationError
from rubrica.identity import digest
from rubrica.log import get_logger
from rubrica.model import Document, Failure
from rubrica.settings import Settings

if TYPE_CHECKING:
    from indexing.catalog.generations import Generation
    from pipeline.services import Services

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents and the questions on them.

    Attributes:
        documents: In order of their ids.
        questions: Those with a passage that stands in the documents; spans are offsets, and documents
            are named by their ids.
        stale: How many questions have none.
    """

    documents: tuple[Document, ...]
    questions: tuple[GoldenQuestion, ...]
    stale: int = 0

    @property
    def digest(self) -> str:
        """Identity of texts and questions: results on one corpus say nothing about another."""
        texts = (part for document in self.documents for part in (document.id, document.text))
        asked = (repr((item.id, item.question, item.spans)) for item in self.questions)
        return digest("tuning", digest(*texts), digest(*asked))


def corpus_of_index(services: Services, golden: GoldenSet, *, everything: bool = False) -> Corpus:
    """The indexed documents that a golden set asks about, from stored extraction where it is there.

    Args:
        services: Open services, not bound to a generation.
        golden: The questions.
        everything: Whether all documents of the index are taken: the search then has to tell those that
            answer from all others.

    Raises:
        ConfigurationError: Nothing is indexed, or no question has a passage that is found.
    """
    generation = searched_generation(services)
    texts = GenerationTexts(services.catalog, generation.id)
    questions = [replace(item, source=item.source or golden.source or "") for item in golden.questions]
    ids: dict[tuple[str, str], str] = {}
    for question in questions:
        for name in _document_names(question):
            found = texts.find(question.source, name)
            if found is not None:
                ids[question.source, name] = found.id
    wanted = set(ids.values())
    if everything:
        wanted = {item.id for item in services.catalog.golden.document_names(generation.id)}
    return build_corpus(_reread(services, generation, sorted(wanted)), questions, ids)


def _reread(services: Services, generation: Generation, ids: Sequence[str]) -> Iterator[Document]:
    from extraction.signature import extraction_signature
    from pipeline.rereading import Rereader

    differences = services.catalog.differences
    found = (differences.get(generation.id, generation.id, id_) for id_ in ids)
    live = sorted((item for item in found if item is not None), key=lambda item: item.source)
    signature = extraction_signature(services.at(generation).settings.extraction)
    for known, document in Rereader(services, signature).read(live):
        if isinstance(document, Document):
            yield document
        else:
            _log.warning("document_left_out", document=known.path, reason=str(document or "it is gone"))


def corpus_of_folder(
    folder: Path, questions: Sequence[GoldenQuestion], settings: Settings, *, everything: bool = False
) -> Corpus:
    """Files of a folder that questions ask about; these name them by their paths below it.

    Args:
        folder: Holds the documents.
        questions: The questions.
        settings: How files are read.
        everything: Whether all files of the folder are taken.

    Raises:
        ConfigurationError: There is no such folder, or no question has a passage that is found.
    """
    if not folder.is_dir():
        raise ConfigurationError(f"There is no folder {str(folder)!r}.", hint="Check --documents.")
    files = {path.relative_to(folder).as_posix(): path for path in sorted(_files(folder))}
    ids = {}
    for question in questions:
        for name in _document_names(question):
            found = [path for path in files if path == name or path.endswith(f"/{name}")]
            if len(found) == 1:
                ids[question.source, name] = found[0]
    wanted = sorted(files) if everything else sorted(set(ids.values()))
    return build_corpus(_read(folder, [files[path] for path in wanted], settings), questions, ids)


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path


def _read(folder: Path, files: Sequence[Path], settings: Settings) -> Iterator[Document]:
    for result in read_documents(files, settings):
        if isinstance(result, Failure):
            _log.warning("document_left_out", document=result.path, reason=result.reason)
            continue
        path = Path(result.path).relative_to(folder).as_posix()
        yield replace(result, id=path, path=path)


def build_corpus(
    documents: Iterable[Document], questions: Iterable[GoldenQuestion], ids: Mapping[tuple[str, str], str]
) -> Corpus:
    """A corpus of documents and the questions whose passages stand in them.

    Args:
        documents: The documents.
        questions: The questions.
        ids: Id of the document that a label means, by source and name.

    Raises:
        ConfigurationError: No question has a passage that is found.
    """
    ordered = tuple(sorted(documents, key=lambda document: document.id))
    texts = {document.id: _by_elements(document) for document in ordered}

    def text_of(source: str, name: str) -> IndexedText | None:
        return texts.get(ids.get((source, name), ""))

    found: list[GoldenQuestion] = []
    stale = 0
    for question in questions:
        places = locate(question, text_of).places
        if not places:
            stale += 1
            continue
        spans = tuple(
            GoldenSpan(start=place.span[0], end=place.span[1], document=place.document.document_id)
            for place in places
        )
        found.append(replace(question, source="", document=spans[0].document, spans=spans))
    if not found:
        raise ConfigurationError(
            "None of the questions has a passage that stands in the documents.",
            hint="`rubrica golden check` tells why; with --documents, questions name paths below the folder.",
        )
    return Corpus(ordered, tuple(found), stale)


def _document_names(question: GoldenQuestion) -> set[str]:
    return {span.document or question.document for span in question.spans}


def _by_elements(document: Document) -> IndexedText:
    """The document with its elements in place of chunks: they too know the pages they stand on."""
    spans = tuple((element.start, element.end) for element in document.elements)
    pages = tuple((item.page_from or 0, item.page_to or item.page_from or 0) for item in document.elements)
    return IndexedText(document.id, document.path, document.text, spans, ("",) * len(spans), pages)
