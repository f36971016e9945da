"""Evaluations of recall over the services: golden sets in, stored records out."""

from __future__ import annotations

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexing.catalog.catalog import Catalog
from indexing.catalog.generations import Generation
from indexing.catalog.golden import DocumentName
from indexing.recall.evaluate import EvaluationOptions, Search, evaluate
from indexing.recall.metrics import DEPTHS
from indexing.recall.model import EvaluationRecord, GoldenQuestion, GoldenSet
from indexing.recall.texts import IndexedText, rebuilt
from indexing.values import storable
from pipeline.services import Services
from rubrica.errors import ConfigurationError, TransientError
from rubrica.log import get_logger
from rubrica.model import Hit
from rubrica.protocols import Progress

HYBRID = "hybrid"
_KEPT_TEXTS = 200
_TRIES = 3
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """How a golden set is asked.

    Attributes:
        mode: "hybrid", "dense" or "sparse".
        rerank: Whether the cross-encoder orders the candidates anew.
        depths: The k of recall.
        covered: Part of a passage's characters that a chunk must hold to count as a hit.
        trigger: Who asks: "command", "ingest", "reindex", "schedule".
    """

    mode: str = HYBRID
    rerank: bool = False
    depths: tuple[int, ...] = DEPTHS
    covered: float = 0.5
    trigger: str = "command"

    @property
    def search(self) -> dict[str, object]:
        """What is stored with an evaluation: only those of like searches are compared."""
        return {
            "mode": self.mode,
            "rerank": self.rerank,
            "depths": list(self.depths),
            "covered": self.covered,
        }


class GenerationTexts:
    """Documents as a generation holds them, by what labels call them.

    A label may name a document by its path, by the path it was first seen under, by the end of its path,
    its file name with or without suffix, or its title: whichever of these, in this order, only one has.
    """

    def __init__(self, catalog: Catalog, generation_id: int) -> None:
        """List the documents; their texts are read as they are asked for.

        Args:
            catalog: PostgreSQL.
            generation_id: The generation.
        """
        self._catalog = catalog
        self._generation_id = generation_id
        self._by_name: dict[tuple[str, str], list[DocumentName]] = defaultdict(list)
        self._texts: dict[str, IndexedText] = {}
        for item in catalog.golden.document_names(generation_id):
            for kind, name in _names(item):
                self._by_name[kind, name].append(item)

    def find(self, source: str, name: str) -> DocumentName | None:
        """The document that a label means; ``None`` where none or several could be meant."""
        wanted = _normal(name)
        for kind in _KINDS:
            found = [item for item in self._by_name[kind, wanted] if source in {"", item.source}]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def __call__(self, source: str, name: str) -> IndexedText | None:
        """The text of the document that a label means, with its chunks and pages."""
        item = self.find(source, name)
        if item is None:
            return None
        if item.id not in self._texts:
            if len(self._texts) >= _KEPT_TEXTS:
                self._texts.pop(next(iter(self._texts)))
            chunks = self._catalog.chunks.of_document(self._generation_id, item.id)
            self._texts[item.id] = rebuilt(item.id, item.path, chunks)
        return self._texts[item.id]


_KINDS = ("path", "first", "end", "name", "stem", "title")


def _names(item: DocumentName) -> Iterator[tuple[str, str]]:
    path = _normal(item.path)
    name = posixpath.basename(path)
    yield "path", path
    yield "first", _normal(item.first_path)
    parts = path.split("/")
    yield from (("end", "/".join(parts[i:])) for i in range(1, len(parts) - 1))
    yield "name", name
    yield "stem", posixpath.splitext(name)[0]
    yield "title", _normal(item.title)


def _normal(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().removeprefix("./")


# --- Evaluation --------------------------------------------------------------------------------------


def chosen_sets(services: Services, names: Sequence[str] = ()) -> list[GoldenSet]:
    """The golden sets of some names, or all.

    Raises:
        ConfigurationError: There is no set of a name, or there is none at all.
    """
    sets = services.catalog.golden.all()
    unknown = [name for name in names if name not in {golden.name for golden in sets}]
    if unknown:
        raise ConfigurationError(
            f"There is no golden set {unknown[0]!r}.", hint="`rubrica golden list` shows those that are."
        )
    chosen = [golden for golden in sets if not names or golden.name in names]
    if not chosen:
        raise ConfigurationError(
            "There are no golden questions yet.",
            hint="Put a golden.yaml into the source and run `rubrica golden sync`, or import a file with"
            " `rubrica golden import`.",
        )
    return chosen


def searched_generation(services: Services, number: int | None = None) -> Generation:
    """The generation that is to be evaluated: the live one, or that of a number.

    Raises:
        ConfigurationError: Nothing is indexed yet, or there is no such generation to search.
    """
    alias = services.settings.indexing.alias
    if number is None:
        live = services.catalog.generations.live(alias)
        if live is None:
            raise ConfigurationError("The index is empty.", hint="`rubrica ingest` fills it.")
        return live
    for generation in services.catalog.generations.all(alias):
        if generation.number == number and services.store.has(generation.collection):
            return generation
    raise ConfigurationError(
        f"There is no generation {number} to search.", hint="`rubrica generations` lists those that are."
    )


def evaluate_set(
    services: Services,
    golden: GoldenSet,
    request: RecallRequest | None = None,
    *,
    generation: Generation | None = None,
    save: bool = True,
    progress: Progress | None = None,
) -> EvaluationRecord:
    """Ask a golden set and store how it was answered.

    Args:
        services: Open services.
        golden: The set; it is in the catalog, unless nothing is saved.
        request: How it is asked.
        generation: What is searched, with its own settings; the live one by default.
        save: Whether the evaluation is stored.
        progress: Hears of every question.

    Returns:
        The record with its answers; its ``id`` is 0 where it was not saved.

    Raises:
        ConfigurationError: Nothing is indexed yet.
    """
    request = request or RecallRequest()
    generation = generation or searched_generation(services)
    bound = services.at(generation)
    options = EvaluationOptions(request.depths, request.covered)
    texts = GenerationTexts(bound.catalog, generation.id)
    questions = _of_source(golden)
    result = evaluate(questions, search_of(bound, request), texts, options, progress=progress)
    record = EvaluationRecord(
        golden.name,
        generation.id,
        generation.config_sig,
        request.search,
        request.trigger,
        result.metrics,
        result.answers,
        _revisions(bound.catalog, generation.id),
        seconds=result.seconds,
    )
    _log.info("evaluated", set=golden.name, generation=generation.number, **result.metrics)
    return replace(record, id=bound.catalog.evaluations.save(record)) if save else record


def evaluate_undisturbed(
    services: Services, golden: GoldenSet, request: RecallRequest, *, progress: Progress | None = None
) -> EvaluationRecord:
    """Ask a golden set of the live generation, again where a run changed the index meanwhile, and store it.

    Labels are looked up before the search is asked: a document that goes in between would count as a miss.

    Raises:
        ConfigurationError: Nothing is indexed yet.
        TransientError: The index changes all the time.
    """
    indexed = services.catalog.indexed
    for _ in range(_TRIES):
        generation = searched_generation(services)
        before = indexed.stamp(generation.id)
        record = evaluate_set(services, golden, request, generation=generation, save=False, progress=progress)
        if indexed.stamp(generation.id) == before:
            return replace(record, id=services.catalog.evaluations.save(record))
        _log.info("the index changed while it was asked", set=golden.name)
    raise TransientError(
        f"The index changed each of {_TRIES} times that {golden.name!r} was asked.",
        hint="`rubrica recall-check` asks again when the ingestion is over.",
    )


def _of_source(golden: GoldenSet) -> list[GoldenQuestion]:
    return [replace(item, source=item.source or golden.source or "") for item in golden.questions]


def search_of(services: Services, request: RecallRequest) -> Search:
    """The search of a generation, as a request wants it.

    Args:
        services: Bound to the generation.
        request: Mode and reranking.
    """
    searcher = services.searcher
    reranker = services.reranker if request.rerank else None

    def search(question: str, k: int) -> Sequence[Hit]:
        return searcher.search(storable(question), k, mode=request.mode, reranker=reranker)

    return search


def _revisions(catalog: Catalog, generation_id: int) -> dict[str, str]:
    return {item.spec.name: item.last_revision for item in catalog.sources.all(generation_id)}
