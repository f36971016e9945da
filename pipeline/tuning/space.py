"""The settings that are searched, and what values they may take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rubrica.errors import ConfigurationError
from rubrica.settings import ChunkingSettings

TUNED = ("strategy", "mode", "max_tokens", "min_tokens", "overlap", "window_tokens", "context_line")
"""Settings that a trial chooses; all others are as they are."""

STRATEGIES = ("smart", "heading", "recursive")
"""What is tried by default: nothing that embeds every sentence, and nothing that cuts blindly."""

Values = Mapping[str, Any]

_WITHOUT_EFFECT = frozenset(
    {"scorer_device", "scorer_batch_tokens", "scorer_threads", "pair_cache_days", "pair_cache_mb"}
    | {"vector_cache_days", "vector_cache_mb", "agentic_max_calls"}
)
"""What changes time and memory alone."""

_SMART = "smart"
_SIZES = (96, 512, 32)
_LEAST_SHARES = (0.0, 0.125, 0.25, 0.375, 0.5)
_OVERLAPS = (0, 64, 16)
_WINDOWS = (32, 160, 32)
_MODES = ("optimal", "window")  # `full` takes pairs by the square


class Suggester(Protocol):
    """What is asked for a value; a trial of optuna is one."""

    def suggest_categorical(self, name: str, choices: Sequence[Any]) -> Any:
        """One of the choices."""
        ...

    def suggest_int(self, name: str, low: int, high: int, *, step: int = 1) -> int:
        """A number from ``low`` to ``high``."""
        ...


@dataclass(frozen=True, slots=True)
class Space:
    """The values that are tried.

    Attributes:
        strategies: Strategies to choose from.
        most_tokens: Most tokens that the embedder reads.
    """

    strategies: tuple[str, ...] = STRATEGIES
    most_tokens: int = _SIZES[1]

    def suggest(self, trial: Suggester) -> dict[str, Any]:
        """Settings to try, by name.

        ``mode`` and ``window_tokens`` are asked for where the strategy has them, so that no two trials
        differ in what changes nothing.

        Args:
            trial: Gives the values.
        """
        strategy = trial.suggest_categorical("strategy", self.strategies)
        low, _, step = _SIZES
        most = trial.suggest_int("max_tokens", low, self._largest, step=step)
        share = trial.suggest_categorical("min_share", _LEAST_SHARES)
        values = {
            "strategy": strategy,
            "max_tokens": most,
            "min_tokens": int(most * share),
            "overlap": trial.suggest_int("overlap", *_OVERLAPS[:2], step=_OVERLAPS[2]),
            "context_line": trial.suggest_categorical("context_line", (True, False)),
        }
        if strategy == _SMART:
            values["mode"] = trial.suggest_categorical("mode", _MODES)
            values["window_tokens"] = trial.suggest_int("window_tokens", *_WINDOWS[:2], step=_WINDOWS[2])
        return values

    @property
    def _largest(self) -> int:
        low, high, step = _SIZES
        return max(low, low + (min(high, self.most_tokens) - low) // step * step)


def parse_strategies(text: str) -> tuple[str, ...]:
    """Strategies out of a list such as ``smart,recursive``.

    Raises:
        ConfigurationError: One is unknown, asks a service, or none is named.
    """
    known = ("smart", "heading", "recursive", "fixed", "semantic", "cluster", "code")
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    wrong = [name for name in names if name not in known]
    if wrong or not names:
        reason = f"{wrong[0]!r} cannot be tuned." if wrong else "No strategy is named."
        raise ConfigurationError(f"--strategies: {reason}", hint=f"There are {', '.join(known)}.")
    return names


def current_values(settings: ChunkingSettings) -> dict[str, Any]:
    """The tuned settings as they are now, as a trial would name them."""
    values = settings.model_dump(include=set(TUNED))
    return {name: values[name] for name in TUNED if name in _meaningful(settings.strategy)}


def common_values(settings: ChunkingSettings) -> dict[str, Any]:
    """The settings that are not tuned and decide what is cut: trials with others are of another study."""
    return settings.model_dump(mode="json", exclude={*TUNED, *_WITHOUT_EFFECT})


def _meaningful(strategy: str) -> frozenset[str]:
    only_smart = {"mode", "window_tokens"}
    return frozenset(TUNED if strategy == _SMART else set(TUNED) - only_smart)


def described(values: Values) -> str:
    """Settings in a few words: ``smart optimal, 128–512 tokens, window 96, overlap 16, no context line``."""
    return ", ".join(_parts(values))


def _parts(values: Values) -> Iterator[str]:
    yield " ".join(filter(None, (values["strategy"], values.get("mode", ""))))
    yield f"{values['min_tokens']}–{values['max_tokens']} tokens"
    if "window_tokens" in values:
        yield f"window {values['window_tokens']}"
    if values["overlap"]:
        yield f"overlap {values['overlap']}"
    if not values["context_line"]:
        yield "no context line"
