from __future__ import annotations

import json

import pytest

from rubrica.log import configure_logging, get_logger, hide_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://u:p4ss@h/d", "postgresql://u:***@h/d"),
        ("cloning https://me:tok3n@host/r.git failed", "cloning https://me:***@host/r.git failed"),
        ("redis://:p4ss@h:6379/0", "redis://:***@h:6379/0"),
        ("http://host:80/a@b", "http://host:80/a@b"),
    ],
)
def test_passwords_in_urls_are_hidden(text: str, shown: str) -> None:
    assert hide_secrets(text) == shown


def test_secrets_never_reach_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(json_lines=True)
    get_logger("test").info("up", url="redis://:hush@h", airflow_password="hush", max_tokens=256)
    line = json.loads(capsys.readouterr().err)
    assert "hush" not in str(line)
    assert line["max_tokens"] == 256
