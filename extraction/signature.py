"""What decides how a file becomes a document."""

from __future__ import annotations

from typing import Any

from rubrica.identity import config_sig
from rubrica.settings import ExtractionSettings

EXTRACTION_VERSION = 7
"""Raised whenever the same file may give another document than before."""


def extraction_signature(settings: ExtractionSettings) -> str:
    """Signature of extraction; limits are left out, for they decide whether and not how.

    Args:
        settings: What is not used, such as the model while rules find the headings, does not count.
    """
    config: dict[str, Any] = {
        "extraction": EXTRACTION_VERSION,
        "ocr": settings.ocr,
        "sections": settings.sections,
    }
    if settings.ocr != "off":
        config["ocr_languages"] = settings.ocr_languages
    if settings.sections == "llm":
        config |= {"llm_url": settings.llm.llm_url, "llm_model": settings.llm.llm_model}
    return config_sig(config)
