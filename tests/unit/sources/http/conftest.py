from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rubrica.settings import Settings
from sources.factory import open_source
from sources.http.source import HttpSource
from sources.spec import checked_spec
from tests.support.web_site import WebSite, web_site

Open = Callable[..., HttpSource]


@pytest.fixture
def site() -> Iterator[WebSite]:
    with web_site() as site:
        yield site


@pytest.fixture
def open_site(tmp_path: Path) -> Open:
    def open_site(location: str, *, home: str = "home", **given: Any) -> HttpSource:
        limits = {
            name: given.pop(name) for name in list(given) if name.startswith(("http_", "max_", "source_"))
        }
        spec = checked_spec("http", location, **given)
        source = open_source(spec, Settings(home=tmp_path / home, **{"http_retries": 1} | limits))
        assert isinstance(source, HttpSource)
        return source

    return open_site


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sources.http.client._FIRST_PAUSE_S", 0.01)
