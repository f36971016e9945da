"""Which chunks a search may return, by what PostgreSQL knows of them and of their documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from indexing.catalog.database import Database
from indexing.values import storable

DATE_ATTRIBUTES = ("published", "date", "introduced_on", "adopted_on")
"""Where a document's date is looked for, unless an attribute is named; the first that it states counts."""

# A date may be stated as a year, a month or a day: it then stands for its first to its last day.
_DATES = """
    SELECT substring(i.attributes ->> name FROM '^\\d{4}(?:-\\d{2}(?:-\\d{2})?)?') AS stated
    FROM unnest(%(date_attributes)s::text[]) WITH ORDINALITY AS n (name, place)
    WHERE i.attributes ->> name ~ '^\\d{4}' ORDER BY place LIMIT 1
"""
_FIRST_DAY = "stated || substr('-01-01', length(stated) - 3)"
_LAST_DAY = "stated || substr('-12-31', length(stated) - 3)"

_PLAIN = "lower(regexp_replace(translate(i.attributes ->> name, 'ёЁ‐‑–—', 'еЕ----'), '\\s+', ' ', 'g'))"
_STANDARD = f"""EXISTS (
    SELECT FROM unnest(ARRAY['standard', 'standard_number']) AS name WHERE {_PLAIN} ~ %(standard)s
)"""

# A chunk that begins a section holds its heading as a line of its own; the path has only those above it.
# Where the whole section is in one chunk, no path names it: there a first line without a stop must do.
_SECTION = """(
    EXISTS (
        SELECT FROM unnest(c.heading_path) AS heading WHERE strpos(lower(heading), lower(%(section)s)) > 0
    )
    OR EXISTS (
        SELECT FROM headings h WHERE h.document_id = c.document_id
        AND strpos(E'\\n' || c.body || E'\\n', E'\\n' || h.heading || E'\\n') > 0
    )
    OR (
        strpos(lower(split_part(c.body, E'\\n', 1)), lower(%(section)s)) > 0
        AND c.body ~ '^[^\\n]{1,200}[^\\n.;:,]\\n'
    )
)"""
_HEADINGS = """
WITH headings AS MATERIALIZED (
    SELECT DISTINCT document_id, heading FROM chunks, unnest(heading_path) AS heading
    WHERE generation_id = %(generation)s AND strpos(lower(heading), lower(%(section)s)) > 0
)
"""

_CONDITIONS = {
    "documents": "c.document_id = ANY(%(documents)s)",
    "source": "d.source = %(source)s",
    "language": "i.language = %(language)s",
    "standard": _STANDARD,
    "first_day": f"(SELECT {_LAST_DAY} FROM ({_DATES}) AS dates) >= %(first_day)s",  # noqa: S608
    "last_day": f"(SELECT {_FIRST_DAY} FROM ({_DATES}) AS dates) <= %(last_day)s",  # noqa: S608
    "section": _SECTION,
    "clause": "EXISTS (SELECT FROM unnest(c.clauses) AS number WHERE number = %(clause)s"
    " OR (%(subclauses)s AND starts_with(number, %(clause)s || '.')))",
}
_ATTRIBUTE = (
    "(i.attributes ->> %({name})s = ANY(%({values})s)"
    " OR EXISTS (SELECT FROM jsonb_array_elements_text(CASE jsonb_typeof(i.attributes -> %({name})s)"
    " WHEN 'array' THEN i.attributes -> %({name})s ELSE '[]' END) AS item WHERE item = ANY(%({values})s)))"
)
_FROM = """
FROM chunks c
JOIN documents d ON d.id = c.document_id
JOIN indexed_documents i ON i.generation_id = c.generation_id AND i.document_id = c.document_id
WHERE c.generation_id = %(generation)s AND d.path IS NOT NULL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What chunks must meet, all of it; what is ``None`` or empty is not asked for.

    Attributes:
        documents: Ids of documents.
        source: A source.
        language: ISO 639-1.
        attributes: For each attribute the values of which a document has at least one. A number is met by
            its digits, a list by any of its items.
        standard: Designation or number of a standard; a year may be left out, case and kinds of dashes
            do not count.
        first_day: Not older than this ISO date.
        last_day: Not younger than this ISO date.
        date_attributes: Where the date is looked for, best first.
        section: Part of a heading above the chunk or in it, in any case.
        clause: Number of a clause that the chunk holds text of.
        subclauses: Whether "5.2" stands for "5.2.1" too.
    """

    documents: Sequence[str] | None = None
    source: str | None = None
    language: str | None = None
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    standard: str | None = None
    first_day: str | None = None
    last_day: str | None = None
    date_attributes: Sequence[str] = DATE_ATTRIBUTES
    section: str | None = None
    clause: str | None = None
    subclauses: bool = True

    @property
    def beyond_milvus(self) -> bool:
        """Whether they ask for more than the source and the language, which Milvus can check."""
        asked = (self.standard, self.first_day, self.last_day, self.section, self.clause, self.documents)
        return bool(self.attributes) or any(value is not None for value in asked)

    @property
    def of_chunks(self) -> bool:
        """Whether chunks of one document may differ in meeting them."""
        return self.section is not None or self.clause is not None


class Selection:
    """Finds what a search may return."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def document_ids(self, generation_id: int, criteria: Criteria) -> list[str]:
        """Documents of which a generation holds chunks that meet the criteria, ordered."""
        return self._ids("c.document_id", generation_id, criteria)

    def chunk_ids(self, generation_id: int, criteria: Criteria) -> list[str]:
        """Chunks of a generation that meet the criteria, ordered."""
        return self._ids("c.id", generation_id, criteria)

    def _ids(self, column: str, generation_id: int, criteria: Criteria) -> list[str]:
        conditions, values = _where(criteria)
        known = _HEADINGS if criteria.section is not None else ""
        query = f"{known} SELECT DISTINCT {column} {_FROM} {''.join(conditions)} ORDER BY 1"
        with self._database.transaction() as connection:
            rows = connection.execute(query, values | {"generation": generation_id}).fetchall()
        return [row[0] for row in rows]


def _where(criteria: Criteria) -> tuple[list[str], dict[str, Any]]:
    values: dict[str, Any] = {
        "documents": None if criteria.documents is None else list(criteria.documents),
        "source": criteria.source,
        "language": criteria.language,
        "standard": None if criteria.standard is None else _designation(criteria.standard),
        "first_day": criteria.first_day,
        "last_day": criteria.last_day,
        "section": criteria.section,
        "clause": criteria.clause,
    }
    values = {name: _stored(value) for name, value in values.items() if value is not None}
    conditions = [f" AND {_CONDITIONS[name]}" for name in values]
    for place, (name, wanted) in enumerate(criteria.attributes.items()):
        names = {"name": f"attribute_{place}", "values": f"values_{place}"}
        conditions.append(f" AND {_ATTRIBUTE.format(**names)}")
        values |= {names["name"]: _stored(name), names["values"]: [_stored(value) for value in wanted]}
    values |= {"date_attributes": list(criteria.date_attributes), "subclauses": criteria.subclauses}
    return conditions, values


def _stored(value: Any) -> Any:
    return storable(value) if isinstance(value, str) else value


def _designation(text: str) -> str:
    """A pattern of the designations that a user may mean: "СП 63.13330" is "СП 63.13330.2018" too."""
    plain = re.sub("[\u2010\u2011\u2013\u2014]", "-", text).translate(str.maketrans("ёЁ", "еЕ"))
    words = re.escape(" ".join(plain.lower().split())).replace(r"\ ", " ")
    return f"^{words}([-:.][0-9]{{2}}([0-9]{{2}})?)?$"
