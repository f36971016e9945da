from __future__ import annotations

import re
import stat
from dataclasses import fields
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from pipeline.stack.credentials import Secrets
from rubrica.errors import ConfigurationError


def test_secrets_are_made_once_and_kept_private(tmp_path: Path) -> None:
    path = tmp_path / "secrets.json"
    made = Secrets.load_or_create(path)
    assert Secrets.load_or_create(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_secrets_differ_never_show_and_need_no_quoting() -> None:
    one, other = Secrets(), Secrets()
    for field in fields(Secrets):
        value = getattr(one, field.name)
        assert value != getattr(other, field.name)
        if field.name != "home_id":
            assert value not in repr(one)
        assert re.fullmatch(r"[A-Za-z0-9_=-]+", value)
    assert len(one.jwt) >= 64
    Fernet(one.fernet.encode())


@pytest.mark.parametrize("content", ["", "[]", "{", '{"unknown": "x"}'])
def test_a_damaged_file_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "secrets.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"secrets\.json is damaged"):
        Secrets.load_or_create(path)
