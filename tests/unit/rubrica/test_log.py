from __future__ import annotations

import json
import time

import pytest

from rubrica.log import configure_logging, get_logger, hide_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://u:p4ss@h/d", "postgresql://***@h/d"),
        ("cloning https://me:tok3n@host/r.git failed", "cloning https://***@host/r.git failed"),
        ("redis://:p4ss@h:6379/0,redis://:p4ss@i/1", "redis://***@h:6379/0,redis://***@i/1"),
        ("https://glpat-p4ss@gitlab.example/x.git", "https://***@gitlab.example/x.git"),
        ("https://p4ss:x-oauth-basic@github.example/x", "https://***@github.example/x"),
        ("https://u:pa/p4ss@h/x", "https://***@h/x"),
        ("https://u:p?4@ss@h/x", "https://***@h/x"),
        ("https://s.example/map.xml?token=p4ss", "https://s.example/map.xml?token=***"),
        ("at h/x?a=1&X-Amz-Signature=p4ss&b=2, then", "at h/x?a=1&X-Amz-Signature=***&b=2, then"),
        ("h/x?sv=1&sig=p4ss#access_token=p4ss", "h/x?sv=1&sig=***#access_token=***"),
        ("'h?private_token=p4ss' or ?api-key=p4ss", "'h?private_token=***' or ?api-key=***"),
    ],
)
def test_passwords_in_urls_are_hidden(text: str, shown: str) -> None:
    assert hide_secrets(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "http://host:80/a@b",
        "http://[::1]:8080/a@b",
        "git@host.example:norms.git",
        "ssh://git@host.example/norms.git",
        "See https://host.example or write to anna@example.org.",
        '{"url":"https://host.example","mail":"anna@example.org"}',
        "https://host.example?mail=anna@example.org",
        "https://host.example/search?keyword=a&author=b&max_tokens=5",
        "s3://bucket/нормы",
    ],
)
def test_what_is_no_secret_stays_readable(text: str) -> None:
    assert hide_secrets(text) == text


@pytest.mark.parametrize(
    "piece", ["://", "://a:b", "://a:b/", "?token", "?" + "token" * 20, "://" + "a" * 99]
)
def test_hiding_takes_no_longer_than_the_text_is_long(piece: str) -> None:
    started = time.process_time()
    hide_secrets(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 5


def test_secrets_never_reach_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(json_lines=True)
    get_logger("test").info("up", url="redis://:hush@h", airflow_password="hush", max_tokens=256)
    line = json.loads(capsys.readouterr().err)
    assert "hush" not in str(line)
    assert line["max_tokens"] == 256
