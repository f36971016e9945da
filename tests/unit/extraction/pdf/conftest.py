from __future__ import annotations

import pytest

from tests.unit.extraction.pdf.drawing import Sheets


@pytest.fixture
def sheets() -> Sheets:
    return Sheets()
