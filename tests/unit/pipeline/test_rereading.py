from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from indexing.catalog.differences import LiveDocument
from pipeline import rereading
from rubrica.errors import (
    LimitExceededError,
    PoisonDocumentError,
    RubricaError,
    SourceError,
    SourceUnavailableError,
)
from rubrica.model import Snapshot

_DOCUMENT = LiveDocument("d", "s", "a.md", "m", "indexed", "r", "h", 1, "", 0)


class Refusing:
    def __init__(self, error: RubricaError) -> None:
        self._error = error

    def snapshot(self) -> Snapshot:
        return Snapshot("r", ())

    def read(self, *_: object) -> bytes:
        raise self._error


def _origin(error: RubricaError, monkeypatch: pytest.MonkeyPatch) -> rereading._Origin:
    monkeypatch.setattr(rereading, "open_source", lambda *_: Refusing(error))
    catalog = SimpleNamespace(sources=SimpleNamespace(get=lambda _: object()))
    services: Any = SimpleNamespace(catalog=catalog, settings=None)
    return rereading._Origin(services, "s")


@pytest.mark.parametrize("error", [SourceError, SourceUnavailableError, PoisonDocumentError])
def test_what_a_source_no_longer_hands_out_is_taken_from_what_is_stored(
    error: type[RubricaError], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _origin(error("refused"), monkeypatch).read(_DOCUMENT) is None


def test_what_is_over_a_limit_now_is_kept_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LimitExceededError):
        _origin(LimitExceededError("too large"), monkeypatch).read(_DOCUMENT)
