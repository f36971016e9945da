"""Sizes of the fields of a collection, in UTF-8 bytes, as Milvus counts them."""

MAX_TEXT_BYTES = 65_535
"""The hard top of a VARCHAR in Milvus."""

MAX_SOURCE_BYTES = 255
MAX_ID_BYTES = 64
MAX_LANGUAGE_BYTES = 16
MAX_HEADING_BYTES = 1_024
MAX_HEADINGS = 32

MAX_ATTRIBUTES_BYTES = 60_000
"""A little under the 65,536 bytes that Milvus takes in a JSON field."""

SCHEMA_REVISION = 1
"""Raised when fields, indexes or limits change: an index of another schema is not written to."""
