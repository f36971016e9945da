"""What the tasks of one run hand to each other through the workspace.

Messages between tasks are keys; the values lie here:

    runs/<run>/delta.json               what detect found
    runs/<run>/plan.json                documents to index, documents to remove
    runs/<run>/batches/<n>.json         a batch of planned documents
    runs/<run>/extracted/<n>.json       the same batch, with the keys of its documents
    runs/<run>/chunks/<n>/<id>.jsonl    the chunks of one document
    documents/<digest>.json             a document, named by content, file name and extraction settings

A run's folder is deleted after a good verdict; documents stay, so that nothing is read twice.
"""

from __future__ import annotations

import posixpath
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import quote

from rubrica.codec import chunks_from_jsonl, chunks_to_jsonl, document_from_json, document_to_json
from rubrica.identity import digest
from rubrica.model import Chunk, Document, SourceFile
from rubrica.workspace import Workspace


@dataclass(frozen=True, slots=True)
class PlannedDocument:
    """A file that has to be indexed.

    Attributes:
        id: The document's id.
        path: Its path.
        mark: Change mark of the content to index.
        size: Bytes.
    """

    id: str
    path: str
    mark: str
    size: int

    @property
    def file(self) -> SourceFile:
        """The file as its source lists it."""
        return SourceFile(self.path, self.mark, self.size)


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """A planned document whose text is in the workspace.

    Attributes:
        id: The document's id.
        path: Its path.
        mark: Change mark of its content.
        key: Where its text lies; empty for a document without text, whose old chunks must go.
    """

    id: str
    path: str
    mark: str
    key: str


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run has to do.

    Attributes:
        source: Name of the source.
        revision: Revision that the index will have reached.
        generation: Id of the generation that it was made for; it must still be the live one when it is done.
        config_sig: Signature of the settings that the plan was made with.
        documents: To index.
        removed: Ids of documents to remove.
    """

    source: str
    revision: str
    generation: int
    config_sig: str
    documents: tuple[PlannedDocument, ...]
    removed: tuple[str, ...]

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.documents or self.removed)


class RunFolder:
    """The artefacts of one run."""

    def __init__(self, workspace: Workspace, run_id: str) -> None:
        self._workspace = workspace
        self._root = f"runs/{quote(run_id, safe='')}"

    def key(self, name: str) -> str:
        """Workspace key of a name in this folder."""
        return f"{self._root}/{name}"

    def write(self, name: str, value: Any) -> str:
        """Store a JSON value; returns its key."""
        return self._workspace.write_json(self.key(name), value)

    def read(self, name: str) -> Any:
        """The JSON value under a name."""
        return self._workspace.read_json(self.key(name))

    def has(self, name: str) -> bool:
        """Whether a name is taken."""
        return self._workspace.exists(self.key(name))

    def write_plan(self, plan: Plan) -> str:
        """Store the plan."""
        return self.write("plan.json", asdict(plan))

    def read_plan(self) -> Plan:
        """The plan."""
        values = self.read("plan.json")
        documents = tuple(PlannedDocument(**item) for item in values.pop("documents"))
        return Plan(**values | {"documents": documents, "removed": tuple(values["removed"])})

    def names(self, below: str) -> list[str]:
        """Names directly below one, sorted."""
        return [f"{below}/{name}" for name in self._workspace.names(self.key(below))]

    def delete(self, name: str = "") -> None:
        """Remove a name, or the whole folder."""
        self._workspace.delete(self.key(name))


def write_batch(folder: RunFolder, stage: str, number: str, documents: list[Any]) -> str:
    """Store a batch of planned or extracted documents; returns its key."""
    return folder.write(f"{stage}/{number}.json", [asdict(document) for document in documents])


def batch_number(key: str) -> str:
    """Name of a batch inside its stage, from its key."""
    return key.rsplit("/", 1)[1].removesuffix(".json")


def document_key(content_hash: str, path: str, signature: str) -> str:
    """Where a document lies that was extracted.

    Args:
        content_hash: Hash of the file's bytes.
        path: Its path; its name can decide its format and its title, its folder cannot.
        signature: Signature of extraction.
    """
    return f"documents/{digest(content_hash, posixpath.basename(path), signature)}.json"


def write_document(workspace: Workspace, key: str, document: Document) -> None:
    """Store a document."""
    workspace.write(key, document_to_json(document))


def read_document(workspace: Workspace, key: str) -> Document:
    """A stored document."""
    return document_from_json(workspace.read(key))


def write_chunks(workspace: Workspace, key: str, chunks: tuple[Chunk, ...]) -> None:
    """Store a document's chunks."""
    workspace.write(key, chunks_to_jsonl(chunks))


def read_chunks(workspace: Workspace, key: str) -> list[Chunk]:
    """A document's stored chunks."""
    return chunks_from_jsonl(workspace.read(key))
