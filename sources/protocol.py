"""What the pipeline asks of a place where documents come from."""

from __future__ import annotations

from typing import Protocol

from rubrica.model import Snapshot, SourceFile


class Source(Protocol):
    """Lists documents at one revision and hands out their bytes.

    A source holds no state that matters: one task may list, and another task on another machine
    may read what was listed.
    """

    def snapshot(self) -> Snapshot:
        """List every document at the newest revision.

        The listing is complete or an error: a source that cannot be listed never looks empty.

        Raises:
            SourceError: The source does not exist, access is refused, or it has no revision yet.
            SourceUnavailableError: The source does not answer right now.
        """
        ...

    def read(self, file: SourceFile, revision: str) -> bytes:
        """Read a file as it was listed.

        Args:
            file: A file of the snapshot.
            revision: Revision of that snapshot.

        Raises:
            LimitExceededError: The file is larger than ``RUBRICA_MAX_FILE_MB``.
            PoisonDocumentError: This file alone is refused or damaged; others may be read.
            SourceError: The source no longer has that revision.
            SourceUnavailableError: The source does not answer, or the file changed meanwhile.
        """
        ...
