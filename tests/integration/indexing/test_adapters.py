"""Other programs read the collection as it is; docs/search.md shows the same lines."""

from __future__ import annotations

from typing import Any

import pytest

from indexing.catalog import Catalog
from indexing.store.store import VectorStore
from tests.support.library import Library
from tests.support.vectors import BagEmbedder

pytestmark = pytest.mark.integration

PARAGRAPHS = ["бетон класса В25", "сталь марки С245", "кирпич"]


@pytest.fixture(scope="module")
def library(module_catalog: Catalog, store: VectorStore) -> Library:
    library = Library(module_catalog, store, BagEmbedder())
    library.add("а.md", PARAGRAPHS, attributes={"standard": 'СП "1"'})
    library.add("б.md", PARAGRAPHS, attributes={"standard": "ГОСТ 2"}, language="en")
    library.writer.settle()
    return library


def test_langchain_reads_the_collection(library: Library) -> None:
    vectorstores = pytest.importorskip("langchain_milvus")
    embeddings = pytest.importorskip("langchain_core.embeddings")

    class RubricaEmbeddings(embeddings.Embeddings):  # type: ignore[name-defined,misc]
        def embed_query(self, text: str) -> list[float]:
            vector: list[float] = library.embedder.embed_query(text).tolist()
            return vector

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            vectors: list[list[float]] = library.embedder.embed_passages(texts).tolist()
            return vectors

    chunks: Any = vectorstores.Milvus(
        embedding_function=RubricaEmbeddings(),
        collection_name=library.alias,
        connection_args={"uri": library.store.uri},
        primary_field="chunk_id",
        text_field="text",
        vector_field="dense",
        search_params={"metric_type": "COSINE"},
    )
    [first, *_] = chunks.similarity_search("сталь марки С245", k=4)
    assert first.page_content == "сталь марки С245"
    assert (first.metadata["source"], first.metadata["page_from"]) == ("norms", 1)
    only = 'attributes["standard"] == "СП \\"1\\""'
    found = chunks.as_retriever(search_kwargs={"k": 4, "expr": only}).invoke("кирпич")
    assert found[0].page_content == "кирпич"
    assert {document.metadata["language"] for document in found} == {"ru"}
    assert len(found) == 3
    assert library.store.count(library.generation.collection) == 6


def test_llama_index_reads_the_collection(library: Library) -> None:
    reason = "llama-index-vector-stores-milvus wants pymilvus 2: it lives in an environment of its own"
    vector_stores = pytest.importorskip("llama_index.vector_stores.milvus", reason=reason)
    core = pytest.importorskip("llama_index.core.vector_stores", reason=reason)
    # It does not see aliases, and would make a collection of that name.
    chunks: Any = vector_stores.MilvusVectorStore(
        uri=library.store.uri,
        collection_name=library.store.alias_target(library.alias),
        embedding_field="dense",
        text_key="text",
        doc_id_field="document_id",
        output_fields=["document_id", "source", "page_from", "heading_path", "attributes"],
        similarity_metric="COSINE",
        index_management=vector_stores.IndexManagement.NO_VALIDATION,
    )
    vector = library.embedder.embed_query("кирпич").tolist()
    only = core.MetadataFilters(filters=[core.MetadataFilter(key="language", value="en")])
    query = core.VectorStoreQuery(query_embedding=vector, similarity_top_k=4, filters=only)
    found = chunks.query(query)
    assert found.nodes[0].text == "кирпич"
    assert found.similarities[0] == pytest.approx(1, abs=1e-5)
    assert len(found.nodes) == 3
    assert found.nodes[0].metadata["attributes"] == {"standard": "ГОСТ 2"}
