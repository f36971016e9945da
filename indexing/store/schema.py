"""Fields and indexes of a generation's collection."""

from __future__ import annotations

from typing import Any

from pymilvus import (  # type: ignore[import-untyped]  # noqa: TID253 — a leaf, loaded lazily
    DataType,
    Function,
    FunctionType,
    MilvusClient,
)

from indexing.store.capabilities import Capabilities
from indexing.store.limits import (
    MAX_HEADING_BYTES,
    MAX_HEADINGS,
    MAX_ID_BYTES,
    MAX_LANGUAGE_BYTES,
    MAX_SOURCE_BYTES,
    MAX_TEXT_BYTES,
)

# Words come prepared (see `terms`): what is left to do is to split them at spaces.
_ANALYZER = {"tokenizer": "standard"}

SCALAR_FIELDS = (
    "document_id",
    "source",
    "ordinal",
    "char_start",
    "char_end",
    "page_from",
    "page_to",
    "heading_path",
    "language",
    "attributes",
)


def collection_schema(dimension: int, server: Capabilities) -> Any:
    """The schema of a collection.

    Args:
        dimension: Length of the dense vectors.
        server: What its server can do; without BM25 there are no fields for words.
    """
    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("chunk_id", DataType.VARCHAR, max_length=MAX_ID_BYTES, is_primary=True)
    schema.add_field("document_id", DataType.VARCHAR, max_length=MAX_ID_BYTES)
    schema.add_field(
        "source", DataType.VARCHAR, max_length=MAX_SOURCE_BYTES, is_partition_key=server.partition_key
    )
    schema.add_field("ordinal", DataType.INT64)
    schema.add_field("char_start", DataType.INT64)
    schema.add_field("char_end", DataType.INT64)
    schema.add_field("page_from", DataType.INT64, nullable=server.null)
    schema.add_field("page_to", DataType.INT64, nullable=server.null)
    schema.add_field(
        "heading_path",
        DataType.ARRAY,
        element_type=DataType.VARCHAR,
        max_capacity=MAX_HEADINGS,
        max_length=MAX_HEADING_BYTES,
    )
    schema.add_field("language", DataType.VARCHAR, max_length=MAX_LANGUAGE_BYTES)
    schema.add_field("attributes", DataType.JSON)
    schema.add_field("dense", DataType.FLOAT_VECTOR, dim=dimension)
    if server.words:
        _add_words(schema)
    else:
        schema.add_field("text", DataType.VARCHAR, max_length=MAX_TEXT_BYTES)
    return schema


def _add_words(schema: Any) -> None:
    for name in ("text", "terms"):
        schema.add_field(
            name,
            DataType.VARCHAR,
            max_length=MAX_TEXT_BYTES,
            enable_analyzer=True,
            analyzer_params=_ANALYZER,
        )
    schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
    schema.add_function(Function("bm25", FunctionType.BM25, ["terms"], ["sparse"]))


def collection_indexes(server: Capabilities) -> Any:
    """The indexes of a collection.

    Args:
        server: What its server can do.
    """
    indexes = MilvusClient.prepare_index_params()
    indexes.add_index("dense", index_type="AUTOINDEX", metric_type="COSINE")
    if server.words:
        indexes.add_index("sparse", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
    indexes.add_index("document_id", index_type="INVERTED" if server.inverted_index else "Trie")
    return indexes
