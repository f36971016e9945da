"""Chunk quality in PostgreSQL: per document version, per run, per generation."""

from __future__ import annotations

import pytest

from chunking.quality import Quality, figures
from indexing.catalog import Catalog, Generation, MeasuredDocument
from rubrica.model import Document
from tests.support.indexing import make_chunks, make_document

pytestmark = pytest.mark.integration


def quality(*sizes: int, torn: int = 0) -> Quality:
    tokens = {size: sizes.count(size) for size in sizes}
    return Quality(
        documents=1, chunks=len(sizes), clauses_torn=torn, tokens=tokens, scores={3: 2}, made_sum=-5
    )


@pytest.fixture
def documents(catalog: Catalog) -> dict[str, Document]:
    ids = catalog.documents.register("norms", ["a.md", "b.md"])
    for run in ("first", "second"):
        catalog.runs.start(run, "norms", trigger="test")
    texts = {"a.md": ["Одно", "Общее"], "b.md": ["Общее", "Другое", "Другое"]}
    return {path: make_document(id_, texts[path], path=path) for path, id_ in ids.items()}


def index(catalog: Catalog, generation: Generation, document: Document, mark: str, sig: str = "sig") -> None:
    catalog.indexed.save(generation.id, document, make_chunks(document), mark=mark, config_sig=sig)


def save(catalog: Catalog, run: str, document: Document, mark: str, found: Quality, sig: str = "sig") -> None:
    catalog.quality.save(run, [MeasuredDocument(document.id, mark, found)], config_sig=sig)


def test_a_run_is_the_exact_sum_of_its_documents(catalog: Catalog, documents: dict[str, Document]) -> None:
    one, two = quality(10, 20, 20), quality(20, 300, torn=1)
    save(catalog, "first", documents["a.md"], "m1", one)
    save(catalog, "first", documents["b.md"], "m1", two)
    assert catalog.quality.of_run("first") == one + two
    assert figures(catalog.quality.of_run("first"))["tokens_median"] == 20
    assert catalog.quality.of_run("second") == Quality()


def test_a_retry_replaces_and_a_run_started_again_begins_anew(
    catalog: Catalog, documents: dict[str, Document]
) -> None:
    """O03: a task that died after half of its work, and one that finished twice."""
    save(catalog, "first", documents["a.md"], "m1", quality(10))
    for _ in range(2):
        save(catalog, "first", documents["a.md"], "m1", quality(10, 20))
    assert catalog.quality.of_run("first") == quality(10, 20)
    catalog.runs.start("first", "norms", trigger="test")
    assert catalog.quality.of_run("first") == Quality()


def test_a_generation_has_what_is_indexed_now(
    catalog: Catalog, generation: Generation, documents: dict[str, Document]
) -> None:
    a, b = documents["a.md"], documents["b.md"]
    save(catalog, "first", a, "m1", quality(10))
    save(catalog, "first", b, "m1", quality(20))
    assert catalog.quality.of_generation(generation.id) == Quality()
    index(catalog, generation, a, "m1")
    index(catalog, generation, b, "m1")
    assert catalog.quality.of_generation(generation.id) == quality(10) + quality(20)
    # A new version was measured, but the index still holds the old one.
    save(catalog, "second", a, "m2", quality(30))
    assert catalog.quality.of_generation(generation.id, document_id=a.id) == quality(10)
    index(catalog, generation, a, "m2")
    assert catalog.quality.of_generation(generation.id, document_id=a.id) == quality(30)
    assert catalog.quality.of_generation(generation.id, source="norms") == quality(30) + quality(20)
    assert catalog.quality.of_generation(generation.id, source="other") == Quality()


def test_the_same_version_under_other_settings_is_another(
    catalog: Catalog, generation: Generation, documents: dict[str, Document]
) -> None:
    a = documents["a.md"]
    save(catalog, "first", a, "m1", quality(10), sig="old")
    save(catalog, "second", a, "m1", quality(20), sig="new")
    index(catalog, generation, a, "m1", sig="new")
    assert catalog.quality.of_generation(generation.id) == quality(20)


def test_a_rebuild_measures_a_version_without_a_run(
    catalog: Catalog, generation: Generation, documents: dict[str, Document]
) -> None:
    a = documents["a.md"]
    index(catalog, generation, a, "m1", sig="new")
    for tokens in (10, 20):  # it was killed after the first
        catalog.quality.save_rebuilt(MeasuredDocument(a.id, "m1", quality(tokens)), config_sig="new")
    assert catalog.quality.of_generation(generation.id) == quality(20)


def test_a_version_that_was_measured_twice_counts_once(
    catalog: Catalog, generation: Generation, documents: dict[str, Document]
) -> None:
    a = documents["a.md"]
    save(catalog, "first", a, "m1", quality(10))
    save(catalog, "second", a, "m1", quality(10))
    index(catalog, generation, a, "m1")
    assert catalog.quality.of_generation(generation.id) == quality(10)


def test_removed_and_emptied_documents_are_out(
    catalog: Catalog, generation: Generation, documents: dict[str, Document]
) -> None:
    for document in documents.values():
        save(catalog, "first", document, "m1", quality(10))
        index(catalog, generation, document, "m1")
    catalog.indexed.remove(generation.id, [documents["a.md"].id])
    assert catalog.quality.of_generation(generation.id) == quality(10)
    catalog.indexed.clear(generation.id, documents["b.md"].id)
    assert catalog.quality.of_generation(generation.id) == Quality()


def test_texts_that_stand_in_several_documents(
    catalog: Catalog, generation: Generation, documents: dict[str, Document]
) -> None:
    for document in documents.values():
        index(catalog, generation, document, "m1")
    save(catalog, "first", documents["b.md"], "m1", quality(10))
    assert catalog.quality.repeated(generation.id) == 2
    assert catalog.quality.repeated(generation.id, run_id="first") == 1
    assert catalog.quality.repeated(generation.id, run_id="second") == 0
