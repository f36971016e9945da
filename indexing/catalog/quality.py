"""How good chunks are: per document version, per run and of all that a generation holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from chunking.quality import Quality
from indexing.catalog.database import Database

_SAVE = """
INSERT INTO chunk_quality (run_id, document_id, mark, config_sig, counts) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (run_id, document_id) DO UPDATE SET
    mark = excluded.mark, config_sig = excluded.config_sig, counts = excluded.counts, measured_at = now()
"""

_SAVE_REBUILT = """
INSERT INTO chunk_quality (document_id, mark, config_sig, counts) VALUES (%s, %s, %s, %s)
ON CONFLICT (document_id, mark, config_sig) WHERE run_id IS NULL
DO UPDATE SET counts = excluded.counts, measured_at = now()
"""

_OF_RUN = """
SELECT key, sum(value::bigint) FROM chunk_quality, jsonb_each_text(counts) WHERE run_id = %s GROUP BY key
"""

# What a generation holds of a document was measured by the run that made it, or by a later one that made
# the same again.
_OF_GENERATION = """
WITH latest AS (
    SELECT DISTINCT ON (i.document_id) q.counts
    FROM indexed_documents i
    JOIN documents d ON d.id = i.document_id
    JOIN chunk_quality q ON q.document_id = i.document_id AND q.mark = i.mark AND q.config_sig = i.config_sig
    WHERE i.generation_id = %(generation)s AND i.state = 'indexed' AND i.chunk_count > 0
        AND (%(source)s::text IS NULL OR d.source = %(source)s)
        AND (%(document)s::text IS NULL OR d.id = %(document)s)
    ORDER BY i.document_id, q.measured_at DESC
)
SELECT key, sum(value::bigint) FROM latest, jsonb_each_text(counts) GROUP BY key
"""

_REPEATED = """
SELECT count(*) FROM chunks c
WHERE c.generation_id = %(generation)s
    AND (%(run)s::text IS NULL
        OR c.document_id IN (SELECT document_id FROM chunk_quality WHERE run_id = %(run)s))
    AND EXISTS (
        SELECT FROM chunks o
        WHERE o.generation_id = c.generation_id AND md5(o.text) = md5(c.text)
            AND o.document_id <> c.document_id
    )
"""


@dataclass(frozen=True, slots=True)
class MeasuredDocument:
    """The quality of one version of one document.

    Attributes:
        document_id: The document.
        mark: Change mark of its content.
        quality: How good its chunks are.
    """

    document_id: str
    mark: str
    quality: Quality


class ChunkQualities:
    """The table of chunk quality."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, run_id: str, measured: Sequence[MeasuredDocument], *, config_sig: str) -> None:
        """Store what a run measured, replacing what an earlier try of it stored for these documents.

        Args:
            run_id: A run that was started.
            measured: Documents with their quality.
            config_sig: Signature of the settings that made the chunks.
        """
        rows = [
            (run_id, item.document_id, item.mark, config_sig, Jsonb(item.quality.counts()))
            for item in measured
        ]
        with self._database.transaction() as connection, connection.cursor() as cursor:
            cursor.executemany(_SAVE, rows)

    def save_rebuilt(self, measured: MeasuredDocument, *, config_sig: str) -> None:
        """Store what was measured of a document outside of any run of its source.

        Args:
            measured: The document with its quality.
            config_sig: Signature of the settings that made the chunks.
        """
        values = (measured.document_id, measured.mark, config_sig, Jsonb(measured.quality.counts()))
        with self._database.transaction() as connection:
            connection.execute(_SAVE_REBUILT, values)

    def of_run(self, run_id: str) -> Quality:
        """All that a run measured, added up."""
        return self._sum(_OF_RUN, (run_id,))

    def of_generation(
        self, generation_id: int, *, source: str | None = None, document_id: str | None = None
    ) -> Quality:
        """What a generation holds now, of one source or document or of all.

        Documents that were indexed before quality was measured are not in it.
        """
        values = {"generation": generation_id, "source": source, "document": document_id}
        return self._sum(_OF_GENERATION, values)

    def repeated(self, generation_id: int, *, run_id: str | None = None) -> int:
        """Chunks whose text stands in another document of the generation too.

        Args:
            generation_id: Where to look.
            run_id: Count only chunks of documents that this run measured.
        """
        with self._database.transaction() as connection:
            row = connection.execute(_REPEATED, {"generation": generation_id, "run": run_id}).fetchone()
        return int(row[0]) if row else 0

    def _sum(self, query: str, values: Any) -> Quality:
        with self._database.transaction() as connection:
            return Quality.from_counts({key: int(total) for key, total in connection.execute(query, values)})
