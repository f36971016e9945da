"""OpenDocument texts and presentations to elements."""

from __future__ import annotations

from typing import Any

from extraction.border import reading
from extraction.flow.titles import stated_title
from extraction.flow.writer import write_flow
from extraction.odf.package import open_parts, q
from extraction.odf.slides import slide_blocks
from extraction.odf.story import Story
from extraction.result import Extracted
from rubrica.errors import LimitExceededError
from rubrica.settings import ExtractionSettings


def extract_odf(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read an OpenDocument text or presentation (ODT, OTT, ODP, OTP and the flat FODT, FODP).

    Raises:
        CorruptDocumentError: It is damaged.
        EncryptedDocumentError: It needs a password.
        LimitExceededError: It unpacks to more than the limit, or has more slides than ``max_pages``.
    """
    with reading("OpenDocument"):
        parts = open_parts(content, settings)
        story = Story(parts)
        is_text = parts.body.tag != q("office:presentation")
        if not is_text:
            _check_length(parts.body, settings.max_pages)
        blocks = list(story.blocks(parts.body) if is_text else slide_blocks(parts.body, story))
    return Extracted.from_builder(
        write_flow(blocks),
        title=stated_title(parts.title, path),
        attributes={"damaged_parts": list(parts.damaged)} if parts.damaged else {},
    )


def _check_length(body: Any, limit: int) -> None:
    count = len(body.findall(q("draw:page")))
    if count > limit:
        raise LimitExceededError(
            f"The presentation has {count} slides, more than {limit}.",
            limit="RUBRICA_MAX_PAGES",
            hint="Raise RUBRICA_MAX_PAGES if the file is honest.",
        )
