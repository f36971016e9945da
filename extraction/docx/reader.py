"""Word documents to elements."""

from __future__ import annotations

from typing import Any

from extraction.border import reading
from extraction.docx.package import Parts, open_parts, w
from extraction.docx.story import Story
from extraction.flow.titles import stated_title
from extraction.flow.writer import write_flow
from extraction.result import Extracted
from rubrica.settings import ExtractionSettings

_DC = "{http://purl.org/dc/elements/1.1/}"


def extract_docx(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read a Word document (DOCX, DOCM, DOTX; transitional or strict).

    Raises:
        CorruptDocumentError: It is damaged.
        LimitExceededError: It unpacks to more than the limit.
    """
    with reading("Word"):
        parts = open_parts(content, settings)
        body = parts.document.find(w("body"))
        blocks = [] if body is None else list(Story(parts).blocks(body))
    return Extracted.from_builder(
        write_flow(blocks), title=stated_title(_title(parts), path), attributes=_attributes(parts)
    )


def _title(parts: Parts) -> str:
    return (parts.core.findtext(f"{_DC}title") or "") if parts.core is not None else ""


def _attributes(parts: Parts) -> dict[str, Any]:
    return {"damaged_parts": list(parts.damaged)} if parts.damaged else {}
