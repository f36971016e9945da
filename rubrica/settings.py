"""Every setting, read once.

A value comes from, first found wins: an argument, an environment variable ``RUBRICA_<NAME>``, the
file ``settings.env`` in ``RUBRICA_HOME`` (yours to write), the file ``stack.env`` there (written by
``rubrica up``), the default. ``docs/settings.md`` is generated from the sections.
The sections themselves stand in :mod:`rubrica.sections`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import ValidationError
from pydantic_settings import BaseSettings

from rubrica.errors import ConfigurationError
from rubrica.log import get_logger
from rubrica.sections.chunking import ChunkingSettings
from rubrica.sections.indexing import IndexingSettings, ReindexSettings
from rubrica.sections.reading import ExtractionSettings, LlmSettings, SourceSettings
from rubrica.sections.running import CommitSettings, IngestSettings
from rubrica.sections.services import HomeSettings, ServiceSettings
from rubrica.sections.watching import MonitoringSettings, NotifySettings, RecallSettings

__all__ = [
    "SECTIONS",
    "TASK_SECTIONS",
    "ChunkingSettings",
    "CommitSettings",
    "ExtractionSettings",
    "HomeSettings",
    "IndexingSettings",
    "IngestSettings",
    "LlmSettings",
    "MonitoringSettings",
    "NotifySettings",
    "RecallSettings",
    "ReindexSettings",
    "ServiceSettings",
    "Settings",
    "SourceSettings",
    "home_folder",
    "setting_variables",
]

_Section = TypeVar("_Section", bound=BaseSettings)

_MISSPELT = 0.85
"""From this likeness on a variable is taken for a misspelt setting; other programs have variables too."""

_log = get_logger(__name__)


class Settings:
    """All settings, by section."""

    def __init__(self, **overrides: Any) -> None:
        """Read the settings.

        Args:
            **overrides: Values by setting name, stronger than environment and files.

        Raises:
            ConfigurationError: A value is not valid; the message names the setting.
        """
        self._overrides = overrides
        home = _read(HomeSettings, overrides, ()).home.expanduser().resolve()
        files = (home / "stack.env", home / "settings.env")
        for file in files:
            _check_lines(file)
        _check_names(files[1])
        _warn_of_misspelt(frozenset(os.environ))

        def read(section: type[_Section]) -> _Section:
            return _read(section, overrides, files)

        self.home: Path = home
        self.workspace: str = read(HomeSettings).workspace or str(home / "workspace")
        self.services: ServiceSettings = read(ServiceSettings)
        self.sources: SourceSettings = read(SourceSettings)
        self.llm: LlmSettings = read(LlmSettings)
        self.extraction: ExtractionSettings = read(ExtractionSettings).with_llm(self.llm)
        self.chunking: ChunkingSettings = read(ChunkingSettings)
        self.indexing: IndexingSettings = read(IndexingSettings)
        self.ingest: IngestSettings = read(IngestSettings)
        self.commits: CommitSettings = read(CommitSettings)
        self.reindex: ReindexSettings = read(ReindexSettings)
        self.recall: RecallSettings = read(RecallSettings)
        self.monitoring: MonitoringSettings = read(MonitoringSettings)
        self.notify: NotifySettings = read(NotifySettings)
        _check_llm(self.extraction, self.chunking)

    def recipe(self) -> dict[str, Any]:
        """The settings that decide what an index holds, by name, as JSON has them.

        How fast it is made, which limits a document may reach and where services are is left out, and so
        is every secret.
        """
        sections = (self.extraction, self.chunking, self.indexing)
        values = [section.model_dump(mode="json", exclude=set(_OPERATIONAL)) for section in sections]
        return {name: value for part in values for name, value in part.items()}

    def with_recipe(self, recipe: Mapping[str, Any]) -> Settings:
        """The same settings, but for those that a recipe names.

        Raises:
            ConfigurationError: A value is not valid any more.
        """
        return Settings(**self._overrides | dict(recipe))


_OPERATIONAL = frozenset(
    {
        "max_pages",
        "max_unpacked_mb",
        "extract_timeout_s",
        "extract_memory_mb",
        "scorer_device",
        "scorer_batch_tokens",
        "scorer_threads",
        "pair_cache_days",
        "pair_cache_mb",
        "vector_cache_days",
        "vector_cache_mb",
        "alias",
        "embed_batch",
    }
)
"""Settings of those sections that no stored result depends on."""

SECTIONS: tuple[type[BaseSettings], ...] = (
    HomeSettings,
    ServiceSettings,
    SourceSettings,
    ExtractionSettings,
    LlmSettings,
    ChunkingSettings,
    IndexingSettings,
    IngestSettings,
    CommitSettings,
    ReindexSettings,
    RecallSettings,
    NotifySettings,
    MonitoringSettings,
)


TASK_SECTIONS = tuple(section for section in SECTIONS[2:] if section is not MonitoringSettings)
"""Sections that the tasks of a run read, wherever they run."""


def home_folder() -> Path:
    """The home, without reading any other setting: a wrong one must not keep the stack from stopping."""
    return _read(HomeSettings, {}, ()).home.expanduser().resolve()


def setting_variables(sections: Iterable[type[BaseSettings]] = SECTIONS) -> list[str]:
    """Names of the environment variables of some sections."""
    return [f"RUBRICA_{name}".upper() for section in sections for name in section.model_fields]


def _read(section: type[_Section], overrides: dict[str, Any], files: tuple[Path, ...]) -> _Section:
    values = {name: value for name, value in overrides.items() if name in section.model_fields}
    try:
        return section(_env_file=files, **values)
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        setting = f"RUBRICA_{name}: " if name else ""
        message = first["msg"].removeprefix("Value error, ")
        raise ConfigurationError(
            f"{setting}{message}.", hint="See docs/settings.md for every setting."
        ) from error


def _check_llm(extraction: ExtractionSettings, chunking: ChunkingSettings) -> None:
    missing = [name for name in ("llm_url", "llm_model") if not getattr(extraction.llm, name)]
    users = (
        (extraction.sections, "llm", "SECTIONS", "rules"),
        (chunking.strategy, "agentic", "STRATEGY", "smart"),
    )
    for chosen, asking, name, other in users:
        if chosen == asking and missing:
            raise ConfigurationError(
                f"RUBRICA_{name}: `{asking}` needs RUBRICA_{missing[0].upper()}.",
                hint=f"Name an API and a model, or set RUBRICA_{name}={other}.",
            )


def _check_lines(file: Path) -> None:
    """A line that cannot be read would be ignored, with a warning that names no file."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigurationError(
            f"{file}, line {line}: this is not UTF-8.", hint="Save it as UTF-8."
        ) from error
    except OSError as error:
        raise ConfigurationError(
            f"{file} cannot be read: {error.strerror}.",
            hint="Was it made by another user, `sudo rubrica up` say? Make it yours, or set RUBRICA_HOME.",
        ) from error
    wrong = next((found.original for found in parse_stream(StringIO(text)) if found.error), None)
    if wrong is not None:
        # Empty lines before it count as its own.
        before = wrong.string[: len(wrong.string) - len(wrong.string.lstrip())].count("\n")
        raise ConfigurationError(
            f"{file}, line {wrong.line + before}: this is no setting.",
            hint="Write RUBRICA_NAME=value, with a closing quote where one is opened, or # before a remark.",
        )


def _check_names(file: Path) -> None:
    """A misspelt name would be ignored in silence."""
    known = setting_variables()
    for name in dotenv_values(file) if file.exists() else ():
        if name.startswith("RUBRICA_") and name not in known:
            near = get_close_matches(name, known, n=1)
            raise ConfigurationError(
                f"{file} sets {name}, which is not a setting.",
                hint=f"Did you mean {near[0]}?" if near else "See docs/settings.md for every setting.",
            )


@cache
def _warn_of_misspelt(environment: frozenset[str]) -> None:
    """A variable that is nearly a setting would be ignored in silence; said once."""
    known = setting_variables()
    for name in sorted(environment):
        near = get_close_matches(name, known, n=1, cutoff=_MISSPELT)
        if name.startswith("RUBRICA_") and name not in known and near:
            _log.warning("setting_unknown", variable=name, hint=f"Did you mean {near[0]}?")
