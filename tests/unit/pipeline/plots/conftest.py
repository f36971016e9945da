"""A browser for all tests of pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.browser import CHROMIUM, Browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("There is no Chromium to look at pages with.")
    with Browser(tmp_path_factory.mktemp("profile")) as running:
        yield running
