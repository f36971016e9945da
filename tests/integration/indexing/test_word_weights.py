"""A word weighs the same however many commits wrote the collection."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import pytest

from indexing.catalog import Catalog
from indexing.generations import ensure_live
from indexing.store.store import VectorStore
from indexing.store.terms import search_terms
from indexing.writer import IndexWriter
from tests.support.indexing import DigestEmbedder, make_chunks, make_document

pytestmark = pytest.mark.integration

COMMITS = (
    [["Стены кладут из кирпича.", "Полы настилают из досок."], ["Крышу кроют железом.", "Окна моют летом."]],
    [["Причал испытывают нагрузкой.", "Ступень нагрузки держат 25 минут.", "Нагрузку на причал снимают."]],
)


def _word_scores(
    catalog: Catalog, store: VectorStore, commits: Sequence[Sequence[Sequence[str]]], query: str
) -> list[tuple[str, float]]:
    alias = f"w_{uuid.uuid4().hex}"
    embedder = DigestEmbedder()
    generation = ensure_live(alias, catalog, store, embedder)
    writer = IndexWriter(catalog, store, embedder, generation)
    for number, commit in enumerate(commits):
        for place, paragraphs in enumerate(commit):
            path = f"{alias}/{number}-{place}.md"
            [id_] = catalog.documents.register("norms", [path]).values()
            document = make_document(id_, paragraphs, path=path)
            writer.write_document(document, make_chunks(document), mark="m", config_sig="s")
        writer.settle()
    [hits] = store._client.search(
        alias, data=[search_terms(query)], anns_field="sparse", limit=10, output_fields=["text"]
    )
    return [(hit["entity"]["text"], hit["distance"]) for hit in hits]


def test_a_later_commit_is_ranked_as_if_it_had_always_been_there(
    catalog: Catalog, store: VectorStore
) -> None:
    query = "Сколько минут держат ступень нагрузки на причал?"
    together = [document for commit in COMMITS for document in commit]
    one_by_one = _word_scores(catalog, store, COMMITS, query)
    at_once = _word_scores(catalog, store, [together], query)
    assert one_by_one[0][0] == "Ступень нагрузки держат 25 минут."
    assert [text for text, _ in one_by_one] == [text for text, _ in at_once]
    assert [score for _, score in one_by_one] == pytest.approx([score for _, score in at_once])
