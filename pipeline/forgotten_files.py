"""What the workspace holds of a document, found and deleted.

An artefact is named by a digest, so it is found by what it says: the document's content hash, or one of its
paths, which also finds earlier versions of its text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import unquote

from indexing.catalog.erasure import ErasedDocument, Traces
from pipeline.artefacts import document_key, read_document, write_document
from pipeline.services import Services
from pipeline.steps.verdict_step import skipped_key
from rubrica.protocols import Progress

_DOCUMENTS = "documents"
_RUNS = "runs"
_GENERATIONS = "generations"


class ForgottenFiles:
    """The files of one document in the workspace."""

    def __init__(self, services: Services, document: ErasedDocument, traces: Traces) -> None:
        """Prepare; nothing is read yet.

        Args:
            services: Open services.
            document: The document.
            traces: What leads to its texts; read before the catalog forgets it.
        """
        self._services = services
        self._workspace = services.workspace
        self._document = document
        self._paths = traces.paths
        self._needles = _needles(traces)
        self._shared = self._keys_of_others(traces.hashes)
        self.notes: list[str] = []
        """What is kept, and why."""

    def find(self, progress: Progress) -> dict[str, list[str]]:
        """Keys of what there is of the document, by place; what another document uses is left out."""
        return {
            "workspace, documents": list(self._artefacts(progress)),
            "workspace, runs": list(self._runs()),
            "workspace, reasons of failures": list(self._reasons()),
            "workspace, skipped files": list(self._skipped()),
        }

    def delete(self, found: dict[str, list[str]]) -> None:
        """Delete what was found, and take the document's name out of what is kept."""
        skipped = found.get("workspace, skipped files", [])
        for key in {key for keys in found.values() for key in keys}.difference(skipped):
            self._workspace.delete(key)
        for key in skipped:
            left = [item for item in self._workspace.read_json(key) if item.get("path") not in self._paths]
            self._workspace.write_json(key, left)

    def rename_shared(self) -> None:
        """Let an artefact that another document uses carry that document's path; notes that it is kept."""
        for key, (source, path) in self._shared.items():
            if self._workspace.exists(key):
                stored = read_document(self._workspace, key)
                if stored.path in self._document.paths:
                    write_document(self._workspace, key, replace(stored, id=path, path=path))
                self.notes.append(
                    f"The text in the workspace is kept: {path!r} of the source {source!r} is the same file."
                )

    def _keys_of_others(self, hashes: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Source and path by key of artefact, of documents that have the same content."""
        services = self._services
        known = services.catalog.generations.all(services.settings.indexing.alias)
        signatures = {str(item.config.get("extraction") or "") for item in known}
        return {
            document_key(content_hash, path, signature): (source, path)
            for source, path, content_hash in services.catalog.erasure.others_with(self._document, hashes)
            for signature in signatures
        }

    def _artefacts(self, progress: Progress) -> Iterator[str]:
        for name in self._workspace.names(_DOCUMENTS):
            key = f"{_DOCUMENTS}/{name}"
            progress.advance()
            if key not in self._shared and self._speaks_of_it(key):
                yield key

    def _runs(self) -> Iterator[str]:
        """Folders of runs of its source that ended badly; those of good ones are gone already.

        That of a rebuild under way is kept: its batches hold ids only, and it could not go on without them.
        """
        services = self._services
        rebuild = services.catalog.reindex_locks.owner(services.settings.indexing.alias)
        for name in self._workspace.names(_RUNS):
            if unquote(name) == rebuild:
                continue
            run = services.catalog.runs.get(unquote(name))
            if run is not None and run.source != self._document.source:
                continue
            folder = f"{_RUNS}/{name}"
            if any(self._document.id in key or self._speaks_of_it(key) for key in self._files(folder)):
                yield folder

    def _reasons(self) -> Iterator[str]:
        for collection in self._workspace.names(_GENERATIONS):
            key = f"{_GENERATIONS}/{collection}/failed/{self._document.id}.json"
            if self._workspace.exists(key):
                yield key

    def _skipped(self) -> Iterator[str]:
        key = skipped_key(self._document.source)
        if self._workspace.exists(key):
            paths = {item.get("path") for item in self._workspace.read_json(key)}
            if paths.intersection(self._paths):
                yield key

    def _files(self, key: str) -> Iterator[str]:
        """All files below a folder."""
        for name in self._workspace.names(key):
            below = f"{key}/{name}"
            # A file is listed as the one name below itself.
            if self._workspace.names(below) == [name]:
                yield below
            else:
                yield from self._files(below)

    def _speaks_of_it(self, key: str) -> bool:
        data = self._workspace.read(key)
        return any(needle in data for needle in self._needles) or self._document.id.encode() in data


def _needles(traces: Traces) -> list[bytes]:
    """How JSON names the document's paths and contents."""
    named = [{"path": path} for path in traces.paths]
    hashed = [{"content_hash": value} for value in traces.hashes]
    texts = [json.dumps(item, ensure_ascii=False)[1:-1] for item in (*named, *hashed)]
    return [text.encode() for text in texts]
