from __future__ import annotations

from typing import Any

import pytest

from rubrica.errors import ConfigurationError
from sources.options import checked_options


@pytest.mark.parametrize(
    "options",
    [
        {"auth": ["user", "hunter2"]},
        {"auth": "hunter2"},
        {"http_auth": "hunter2"},
        {"headers": {"Authorization": "Bearer hunter2"}},
        {"headers": {"Proxy-Authorisation": "hunter2"}},
        {"client_kwargs": {"headers": {"Cookie": "hunter2"}}},
        {"cookies": {"session": "hunter2"}},
        {"headers": {"X-Amz-Signature": "hunter2"}},
        {"signature": "hunter2"},
        {"headers": {"X-Api-Key": "hunter2"}},
    ],
)
def test_secrets_under_other_names_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="a secret must not stand") as caught:
        checked_options("storage", options)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"auth": ["env:USER_OF_IT", "env:PASSWORD_OF_IT"]},
        {"headers": {"Authorization": "env:BEARER"}},
        {"config_kwargs": {"signature_version": "s3v4"}},
        {"authority": "login.example.org", "author": "Anna"},
        {"auth": True},
    ],
)
def test_what_is_no_secret_passes(options: dict[str, Any]) -> None:
    assert checked_options("storage", options) == options
