"""What a Milvus server can do, by its version.

The index is the same on every server; where an old one lacks a feature, Rubrica does without it: no search
by words before 2.5, whole rows instead of changed fields before 2.6.2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rubrica.errors import ConfigurationError

_NUMBER = re.compile(r"\d+(?:\.\d+)+")
_OLDEST = (2, 3)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a server can do.

    Attributes:
        server: How it names itself.
        single_writer: Two writers at once can lose rows: Milvus Lite numbers and logs writes without a
            lock of its own.
        words: It scores words by BM25 (Milvus 2.5).
        null: A field may be null (Milvus 2.5).
        partial_update: It changes some fields of a row and keeps the others (Milvus 2.6.2).
        partition_key: A row that is written again stays in the partition of its key. Milvus 2.3 puts it
            into one by its primary key, where no filter on the partition key finds it.
        inverted_index: It has inverted indexes of scalar fields (Milvus 2.4).
    """

    server: str
    single_writer: bool
    words: bool
    null: bool
    partial_update: bool
    partition_key: bool
    inverted_index: bool

    @classmethod
    def of(cls, server: str) -> Capabilities:
        """What a server of that version can do; an unknown one can do everything.

        Args:
            server: What it answers when it is asked for its version: ``2.6.4``, ``v2.3.5-lite``,
                ``milvus_lite-3.2.2``.

        Raises:
            ConfigurationError: It is older than Milvus 2.3, which has neither upsert nor JSON fields.
        """
        # The old server out of a wheel calls itself v2.3.5-lite, and yet it is a whole Milvus.
        lite = server.startswith("milvus_lite")
        found = _NUMBER.search(server)
        known = found is not None and not lite
        version = tuple(int(part) for part in found.group().split(".")) if found and known else (99,)
        if version < _OLDEST:
            raise ConfigurationError(
                f"This Milvus is of version {server}; Rubrica needs 2.3 or newer, 2.5 to search by words.",
                hint="Let RUBRICA_MILVUS_URI name a newer one, or run `rubrica up`.",
            )
        return cls(
            server=server,
            single_writer=lite,
            words=version >= (2, 5),
            null=version >= (2, 5),
            partial_update=version >= (2, 6, 2),
            partition_key=version >= (2, 4),
            inverted_index=version >= (2, 4),
        )

    @property
    def missing(self) -> list[str]:
        """Names of the features that this server lacks."""
        names = ("words", "null", "partial_update", "partition_key", "inverted_index")
        return [name for name in names if not getattr(self, name)]
