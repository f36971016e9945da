"""Fetching and reading files."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, PrivateAttr, SecretStr
from pydantic_settings import BaseSettings

from rubrica.sections.base import CONFIG


class SourceSettings(BaseSettings):
    """Fetching."""

    model_config = CONFIG

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

    model_config = CONFIG

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

    model_config = CONFIG

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
