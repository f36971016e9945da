"""Golden sets: from the repositories of the sources, from files, and made where there are none."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from indexing.catalog.catalog import Catalog
from indexing.catalog.golden import DocumentName
from indexing.recall.bootstrap import Sample, bootstrap_name, bootstrap_set, sampled
from indexing.recall.entries import quoted
from indexing.recall.evaluate import Located, Texts, locate
from indexing.recall.formats import read_golden
from indexing.recall.model import GoldenQuestion, GoldenSet, GoldenSpan, Origin
from indexing.recall.texts import rebuilt
from indexing.recall.yaml_entries import read_yaml
from pipeline.recall import GenerationTexts
from pipeline.services import Services
from rubrica.errors import ConfigurationError
from rubrica.identity import digest
from rubrica.log import get_logger
from rubrica.model import SourceFile, SourceSpec
from sources.factory import open_reserved
from sources.protocol import Source

FILE_NAME = "golden.yaml"
"""In any folder of a source; documents are named from that folder."""

_log = get_logger(__name__)


# --- From a source's repository ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Synced:
    """The golden set that a source has now.

    Attributes:
        name: Name of the set; empty where the source has none.
        origin: ``REPOSITORY`` or ``BOOTSTRAP``.
        questions: How many it has.
        changed: Whether it was stored anew.
    """

    name: str
    origin: str
    questions: int
    changed: bool
    read: bool = True


def sync_golden(services: Services, source: str) -> Synced:
    """Bring a source's golden set up to date with its repository.

    The set has the name of the source and holds every ``golden.yaml`` of it. A repository that has moved on
    since it was indexed is left for its next run: its questions may be on documents that are not indexed
    yet. A source without one gets a bootstrap set, unless somebody imported a set for it.

    Args:
        services: Open services.
        source: Name of a source.

    Raises:
        ConfigurationError: There is no such source, or a golden.yaml is not valid; what was stored stays.
        SourceError: The source cannot be read.
        SourceUnavailableError: The source does not answer.
    """
    spec = services.catalog.sources.get(source)
    if spec is None:
        raise ConfigurationError(f"There is no source named {source!r}.", hint="See `rubrica sources`.")
    known = services.catalog.golden.get(source)
    found = _read_source(services, spec)
    if found is None:
        return replace(_synced(known, changed=False), read=False)
    questions, mark = found
    if not questions:
        if known is not None and known.origin == Origin.REPOSITORY:
            services.catalog.golden.delete(source)
        return _bootstrapped(services, source)
    _require_own(known, source)
    services.catalog.golden.delete(bootstrap_name(source))
    if known is not None and known.digest == mark:
        return _synced(known, changed=False)
    golden = GoldenSet(source, questions, source, Origin.REPOSITORY, mark)
    services.catalog.golden.save(golden)
    _log.info("golden questions read", source=source, questions=len(questions))
    return _synced(golden, changed=True)


def _require_own(known: GoldenSet | None, source: str) -> None:
    if known is not None and known.origin in (Origin.IMPORT, Origin.COMMAND):
        raise ConfigurationError(
            f"The source {source!r} has a {FILE_NAME}, and there is a golden set {source!r} of "
            f"{len(known.questions)} questions that was made by hand; neither replaces the other.",
            hint=f"Put those questions into {FILE_NAME} and run `rubrica golden remove {source}`,"
            " or import them under another name.",
        )


def _synced(golden: GoldenSet | None, *, changed: bool) -> Synced:
    if golden is None:
        return Synced("", Origin.REPOSITORY, 0, changed)
    return Synced(golden.name, golden.origin, len(golden.questions), changed)


def _read_source(services: Services, spec: SourceSpec) -> tuple[tuple[GoldenQuestion, ...], str] | None:
    """Questions of a source and a digest of their files; ``None`` where it is ahead of the index."""
    source = open_reserved(spec, services.settings)
    if source is None:
        return (), digest("golden")
    snapshot = source.snapshot()
    live = services.catalog.generations.live(services.settings.indexing.alias)
    indexed = services.catalog.sources.last_revision(live.id, spec.name) if live else ""
    if spec.kind == "git" and indexed != snapshot.revision:
        _log.info("the source has moved on since it was indexed; its questions stay", source=spec.name)
        return None
    files = [file for file in snapshot.files if posixpath.basename(file.path) == FILE_NAME]
    mark = digest("golden", *(part for file in files for part in (file.path, file.mark)))
    questions = [item for file in files for item in _of_file(source, file, snapshot.revision)]
    return tuple(questions), mark


def _of_file(source: Source, file: SourceFile, revision: str) -> Iterable[GoldenQuestion]:
    try:
        content = source.read(file, revision).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{file.path} is not UTF-8: {error.reason}.") from error
    folder = posixpath.dirname(file.path)
    for question in read_yaml(content, file.path):
        yield _below(folder, question) if folder else question


def _below(folder: str, question: GoldenQuestion) -> GoldenQuestion:
    """A question of a nested file: its documents are named from there, its id is unique in the source."""
    spans = tuple(
        replace(span, document=f"{folder}/{span.document}") if span.document else span
        for span in question.spans
    )
    return replace(
        question, id=f"{folder}/{question.id}", document=f"{folder}/{question.document}", spans=spans
    )


# --- Made where there are none -----------------------------------------------------------------------


def _bootstrapped(services: Services, source: str) -> Synced:
    catalog = services.catalog
    name = bootstrap_name(source)
    if any(item.source == source and item.origin != Origin.BOOTSTRAP for item in catalog.golden.summaries()):
        catalog.golden.delete(name)
        return Synced("", Origin.BOOTSTRAP, 0, changed=False)
    live = catalog.generations.live(services.settings.indexing.alias)
    made = bootstrap_set(source, _samples(catalog, live.id, source)) if live else None
    if made is None or not made.questions:
        return Synced("", Origin.BOOTSTRAP, 0, changed=catalog.golden.delete(name))
    known = catalog.golden.get(name)
    changed = known is None or known.questions != made.questions
    if changed:
        catalog.golden.save(made)
    return _synced(made, changed=changed)


def _samples(catalog: Catalog, generation_id: int, source: str) -> Iterable[Sample]:
    named = {
        item.path: item for item in catalog.golden.document_names(generation_id) if item.source == source
    }
    for path in sampled(named):
        yield _sample(catalog, generation_id, named[path])


def _sample(catalog: Catalog, generation_id: int, item: DocumentName) -> Sample:
    chunks = catalog.chunks.of_document(generation_id, item.id)
    text = rebuilt(item.id, item.path, chunks).text
    return Sample(item.path, item.title, item.language, text, chunks)


# --- From files --------------------------------------------------------------------------------------


def import_file(
    services: Services, path: Path, name: str, *, source: str | None = None, pages: Path | None = None
) -> GoldenSet:
    """Store the questions of a file as a set.

    Passages that are given by offsets alone are given their words too, out of the indexed text, so that
    they outlive the next extraction.

    Args:
        services: Open services.
        path: In any format of ``read_golden``.
        name: Name of the set; one that exists is replaced.
        source: The source that it asks about.
        pages: Folder with the pages that offsets count in, see ``page_texts``.

    Raises:
        ConfigurationError: The file or the name is not valid, or the set belongs to a repository.
    """
    known = services.catalog.golden.get(name)
    if known is not None and known.origin in {Origin.REPOSITORY, Origin.BOOTSTRAP}:
        raise ConfigurationError(
            f"The set {name!r} is kept by its source.", hint="Import under another name with --set."
        )
    questions = read_golden(path, pages=page_texts(pages) if pages else None)
    texts = live_texts(services)
    if texts is not None:
        questions = tuple(_with_words(question, texts, source or "") for question in questions)
    golden = GoldenSet(name, questions, source, Origin.IMPORT, _file_digest(path))
    services.catalog.golden.save(golden)
    return golden


def live_texts(services: Services) -> GenerationTexts | None:
    """The documents of the live generation; ``None`` where nothing is indexed yet."""
    live = services.catalog.generations.live(services.settings.indexing.alias)
    return None if live is None else GenerationTexts(services.catalog, live.id)


def _file_digest(path: Path) -> str:
    return digest(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else ""


def _with_words(question: GoldenQuestion, texts: Texts, source: str) -> GoldenQuestion:
    return replace(question, spans=tuple(_worded(span, question, texts, source) for span in question.spans))


def _worded(span: GoldenSpan, question: GoldenQuestion, texts: Texts, source: str) -> GoldenSpan:
    if span.quote or span.start is None or span.end is None:
        return span
    document = texts(question.source or source, span.document or question.document)
    if document is None or span.end > len(document.text):
        return span
    return quoted(
        document.text, span.start, span.end, page=span.page, document=span.document, hint=span.start
    )


def page_texts(folder: Path) -> Callable[[str, int], str | None]:
    """Texts of documents' pages out of a folder.

    Args:
        folder: For a document ``<name>.json`` (``{"pages": [{"page": 1, "page_content": "…"}]}``) or
            ``<name>.txt`` with a form feed between pages.
    """
    known: dict[str, dict[int, str]] = {}

    def pages(name: str) -> dict[int, str]:
        as_json, as_text = folder / f"{name}.json", folder / f"{name}.txt"
        if as_json.is_file():
            return _pages_of(as_json)
        if as_text.is_file():
            return dict(enumerate(as_text.read_text(encoding="utf-8").split("\f"), 1))
        return {}

    def page(name: str, number: int) -> str | None:
        if name not in known:
            known[name] = pages(name)
        return known[name].get(number)

    return page


# --- Checking ----------------------------------------------------------------------------------------


def check_labels(services: Services, golden: GoldenSet) -> Sequence[Located]:
    """Where the passages of a set stand in the live generation.

    Raises:
        ConfigurationError: Nothing is indexed yet.
    """
    texts = live_texts(services)
    if texts is None:
        raise ConfigurationError("The index is empty.", hint="`rubrica ingest` fills it.")
    return [
        locate(replace(question, source=question.source or golden.source or ""), texts)
        for question in golden.questions
    ]


def _pages_of(path: Path) -> dict[int, str]:
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))["pages"]
        return {int(item["page"]): str(item["page_content"]) for item in listed}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigurationError(
            f"{path} does not hold pages.",
            hint='It must be {"pages": [{"page": 1, "page_content": "…"}, …]}.',
        ) from error
