from __future__ import annotations

import pytest

from pipeline.cli.options import named_as_options, option_of
from rubrica.errors import ConfigurationError
from rubrica.settings import Settings


@pytest.mark.parametrize(
    ("given", "said", "unsaid"),
    [
        ({"max_tokens": 8}, "--max-tokens: Input", "RUBRICA"),
        (
            {"max_tokens": 16, "min_tokens": 32},
            "--min-tokens must not be larger than --max-tokens",
            "RUBRICA",
        ),
        ({"min_tokens": 1024}, "--min-tokens must not be larger than RUBRICA_MAX_TOKENS", "--max"),
        ({"strategy": "agentic"}, "or set --strategy smart", "RUBRICA_STRATEGY"),
    ],
)
def test_an_error_names_what_the_user_wrote(given: dict[str, object], said: str, unsaid: str) -> None:
    options = {name: option_of(name) for name in given}
    with pytest.raises(ConfigurationError) as raised, named_as_options(options):
        Settings(**given)
    assert said in str(raised.value)
    assert unsaid not in str(raised.value)


def test_the_minimum_is_a_quarter_of_the_maximum_wherever_that_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Settings(max_tokens=32).chunking.min_tokens == 8
    monkeypatch.setenv("RUBRICA_MAX_TOKENS", "512")
    assert Settings().chunking.min_tokens == 128
    assert Settings(min_tokens=5).chunking.min_tokens == 5
