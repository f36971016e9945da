from __future__ import annotations

import pickle

import pytest

from rubrica import errors


def _all_errors() -> list[type[errors.RubricaError]]:
    found, waiting = [], [errors.RubricaError]
    while waiting:
        kind = waiting.pop()
        found.append(kind)
        waiting.extend(kind.__subclasses__())
    return found


@pytest.mark.parametrize("kind", _all_errors())
def test_every_error_survives_pickling(kind: type[errors.RubricaError]) -> None:
    error = kind("Не читается.", document="а б.pdf", stage="extract", hint="Открыть и сохранить.")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert copy.__dict__ == error.__dict__
    assert str(copy) == str(error) == "extract: а б.pdf: Не читается. Открыть и сохранить."


def test_limit_name_survives_pickling() -> None:
    error = errors.LimitExceededError("Over 5 pages.", limit="RUBRICA_MAX_PAGES", document="a.pdf")
    assert pickle.loads(pickle.dumps(error)).limit == "RUBRICA_MAX_PAGES"


def test_at_keeps_what_is_known() -> None:
    error = errors.CorruptDocumentError("Broken.", document="inner.pdf").at(document="outer", stage="extract")
    assert (error.document, error.stage) == ("inner.pdf", "extract")


def test_exit_codes_follow_the_taxonomy() -> None:
    assert errors.ConfigurationError("x").exit_code == 2
    assert errors.CorruptDocumentError("x").exit_code == 1
    assert errors.ServiceUnavailableError("x").exit_code == 3
