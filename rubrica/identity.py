"""Digests that name things: documents, chunks, content and configurations."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

_DIGEST_BYTES = 16


def digest(*parts: str) -> str:
    """Digest strings so that no two different lists of parts share a digest.

    Returns:
        32 hexadecimal digits (BLAKE2b, 128 bits); each part is prefixed with its length.
    """
    state = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        state.update(len(encoded).to_bytes(8, "big"))
        state.update(encoded)
    return state.hexdigest()


def content_hash(content: bytes) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def document_id(source: str, first_path: str, birth: int) -> str:
    """Identity of a document, fixed when it is first seen.

    Args:
        source: Name of the source.
        first_path: Path under which it was first seen.
        birth: How many documents were born under that path before it.
    """
    return digest("document", source, first_path, str(birth))


def chunk_ids(document: str, texts: Iterable[str]) -> list[str]:
    """Ids of a document's chunks, in order.

    An id depends on the text and on how often the same text came before in this document, not on
    the position: an edit at the top leaves the ids of all other chunks alone.
    """
    seen: Counter[str] = Counter()
    ids = []
    for text in texts:
        text_digest = digest(text)
        ids.append(digest("chunk", document, text_digest, str(seen[text_digest])))
        seen[text_digest] += 1
    return ids


def config_sig(config: Mapping[str, Any]) -> str:
    """Signature of everything that can change a stage's output.

    Args:
        config: Settings and model revisions; JSON-serialisable values.
    """
    return digest("config", json.dumps(config, sort_keys=True, ensure_ascii=False))
