from __future__ import annotations

from collections.abc import Callable

import pytest

from extraction.extract import extract
from rubrica.model import Document
from rubrica.settings import ExtractionSettings
from tests.support.invariants import check_document

Read = Callable[..., Document]


@pytest.fixture
def settings() -> ExtractionSettings:
    return ExtractionSettings()


@pytest.fixture
def read(settings: ExtractionSettings) -> Read:
    """Extract a file and check the document's invariants."""

    def extract_checked(content: bytes | str, path: str) -> Document:
        raw = content.encode() if isinstance(content, str) else content
        document = extract(raw, path, settings)
        check_document(document)
        return document

    return extract_checked
