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
        self._needles = _needles(traces.paths, traces.hashes)
        self._signatures = self._known_signatures()
        self._shared = self._keys_of_others(traces.hashes)
        self._theirs = self._keys_at_its_paths()
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

    def _known_signatures(self) -> set[str]:
        known = self._services.catalog.generations.all(self._services.settings.indexing.alias)
        return {str(item.config.get("extraction") or "") for item in known}

    def _keys_of_others(self, hashes: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Source and path by key of artefact, of documents that have the same content."""
        others = self._services.catalog.erasure.others_with(self._document, hashes)
        return {
            document_key(content_hash, path, signature): (source, path)
            for source, path, content_hash in others
            for signature in self._signatures
        }

    def _keys_at_its_paths(self) -> set[str]:
        """Keys of what other documents that have one of its paths now say now."""
        others = self._services.catalog.erasure.others_at(self._document)
        return {
            document_key(content_hash, path, signature)
            for path, content_hash in others
            for signature in self._signatures
        }

    def _artefacts(self, progress: Progress) -> Iterator[str]:
        """Texts of it; what has a path of it that another document has now may be an earlier version of it.

        Of the other document that deletes earlier versions too, which nobody reads any more.
        """
        needles = _needles(self._document.paths, ()) + self._needles
        for name in self._workspace.names(_DOCUMENTS):
            key = f"{_DOCUMENTS}/{name}"
            progress.advance()
            if key in self._shared or key in self._theirs:
                continue
            if self._speaks_of_it(key, needles):
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
            files = self._files(folder)
            if any(self._document.id in key or self._speaks_of_it(key, self._needles) for key in files):
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

    def _speaks_of_it(self, key: str, needles: Sequence[bytes]) -> bool:
        data = self._workspace.read(key)
        return any(needle in data for needle in needles) or self._document.id.encode() in data


def _needles(paths: Sequence[str], hashes: Sequence[str]) -> list[bytes]:
    """How JSON names the document's paths and contents."""
    named = [{"path": path} for path in paths]
    hashed = [{"content_hash": value} for value in hashes]
    texts = [json.dumps(item, ensure_ascii=False)[1:-1] for item in (*named, *hashed)]
    return [text.encode() for text in texts]
