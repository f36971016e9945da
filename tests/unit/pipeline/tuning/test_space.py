from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.tuning.space import Space, common_values, current_values, described, parse_strategies
from rubrica.errors import ConfigurationError
from rubrica.settings import ChunkingSettings


class Dice:
    """Chooses at random, and remembers what it was asked."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.asked: list[str] = []

    def suggest_categorical(self, name: str, choices: Sequence[Any]) -> Any:
        self.asked.append(name)
        return self._random.choice(choices)

    def suggest_int(self, name: str, low: int, high: int, *, step: int = 1) -> int:
        self.asked.append(name)
        return self._random.randrange(low, high + 1, step)


@given(st.integers(0, 10_000), st.sampled_from([64, 128, 300, 512, 8192]))
def test_whatever_is_suggested_is_valid(seed: int, most: int) -> None:
    values = Space(("smart", "recursive"), most).suggest(Dice(seed))
    settings = ChunkingSettings(**values)
    assert settings.max_tokens <= max(96, most)
    assert current_values(settings) == values


def test_what_changes_nothing_is_not_asked_for() -> None:
    dice = Dice(1)
    values = Space(("heading",)).suggest(dice)
    assert not {"mode", "window_tokens"} & {*values, *dice.asked}


def test_other_settings_that_decide_what_is_cut_make_another_study() -> None:
    common = common_values(ChunkingSettings())
    for same in (ChunkingSettings(max_tokens=96), ChunkingSettings(scorer_threads=2)):
        assert common_values(same) == common
    for other in (ChunkingSettings(structure_rules=False), ChunkingSettings(semantic_percentile=80)):
        assert common_values(other) != common


def test_settings_in_a_few_words() -> None:
    values = current_values(ChunkingSettings(overlap=16, context_line=False))
    assert described(values) == "smart optimal, 128–512 tokens, window 96, overlap 16, no context line"


def test_strategies_are_named() -> None:
    assert parse_strategies("smart, recursive,smart") == ("smart", "recursive")


@pytest.mark.parametrize("text", ["", "agentic", "nosuch,smart"])
def test_what_cannot_be_tuned_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--strategies"):
        parse_strategies(text)
