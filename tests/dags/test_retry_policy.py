from __future__ import annotations

from pathlib import Path

import pytest

from rubrica import errors

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("error", "action"),
    [
        (errors.ServiceUnavailableError("Milvus does not answer."), "RETRY"),
        (errors.SourceUnavailableError("The server does not answer."), "RETRY"),
        (errors.SourceError("There is no such repository."), "FAIL"),
        (errors.RemovalGuardError("Too much would go."), "FAIL"),
        (errors.ConfigurationError("A setting is wrong."), "FAIL"),
        (errors.CorruptDocumentError("The file is damaged."), "FAIL"),
        (ValueError("a bug"), "DEFAULT"),
    ],
)
def test_retries_follow_the_taxonomy(error: Exception, action: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "plugins"))
    from rubrica_airflow.retry import TAXONOMY_POLICY

    assert TAXONOMY_POLICY.evaluate(error, try_number=1, max_tries=3).action.name == action
