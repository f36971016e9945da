"""Filters as conditions that Milvus can check.

Milvus holds source, language, pages and attributes of a row; PostgreSQL holds all of it and paths, clauses
and whole headings besides. Paths are kept out of Milvus so that a rename touches no row. Clauses, sections,
dates and attributes are filtered in PostgreSQL too, and Milvus is handed the ids that remain, because

- Milvus compares only whole items of an array: "a heading contains" and "5.2 with its sub-clauses" would
  need fields of their own, filled with every ancestor of every clause, and a new index for every such idea;
- Milvus 2.3, Milvus 2.6 and Milvus Lite differ in what they compare inside JSON, PostgreSQL does not; and
  rows leave out attributes that are too large for them;
- PostgreSQL is the truth, so a filter never sees a half-written row.

The price is a list of ids in the request. It is handed over in portions, whose best hits are merged: scores
of cosine and BM25 do not depend on the filter, so the merged ranking is that of one request, and no list
is too long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from indexing.catalog.catalog import Catalog
from indexing.catalog.selection import Criteria
from indexing.search.model import Filters
from indexing.store.batches import batched
from indexing.store.filters import all_of, equals, one_of
from rubrica.errors import ConfigurationError
from rubrica.model import Stage
from sources.filters import PathFilter

_PORTION = 5_000  # ids in one expression, about 200 KB of it
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


@dataclass(frozen=True, slots=True)
class Condition:
    """What Milvus is asked to check.

    Attributes:
        fields: Expression on fields of a row; empty for none.
        field: Field that ids are of.
        ids: The only ones that may be found; ``None`` for all.
    """

    fields: str = ""
    field: str = "document_id"
    ids: tuple[str, ...] | None = None

    def expressions(self) -> Iterator[str]:
        """Expressions which together let through what the condition does; none where nothing can pass."""
        if self.ids is None:
            yield self.fields
            return
        for portion in batched(self.ids, _PORTION):
            yield all_of(self.fields, one_of(self.field, portion))


def condition_of(filters: Filters, catalog: Catalog, generation_id: int) -> Condition:
    """The condition that filters make.

    Args:
        filters: What hits must meet.
        catalog: PostgreSQL.
        generation_id: The generation that is searched.

    Raises:
        ConfigurationError: A date is not one, or the dates are the wrong way round.
    """
    conditions = [filters.expression]
    if filters.source:
        conditions.append(equals("source", filters.source))
    if filters.language:
        conditions.append(equals("language", filters.language))
    condition = Condition(all_of(*conditions))
    criteria = _criteria(filters)
    if filters.path:
        criteria = replace(criteria, documents=_on_path(filters.path, filters.source, catalog))
    if not criteria.beyond_milvus:
        return condition
    if criteria.of_chunks:
        ids = catalog.selection.chunk_ids(generation_id, criteria)
        return replace(condition, field="chunk_id", ids=tuple(ids))
    return replace(condition, ids=tuple(catalog.selection.document_ids(generation_id, criteria)))


def _criteria(filters: Filters) -> Criteria:
    first_day, last_day = _day(filters.since, "-01-01"), _day(filters.until, "-12-31")
    if first_day and last_day and first_day > last_day:
        raise ConfigurationError(
            f"Nothing is dated from {filters.since} to {filters.until}.",
            stage=Stage.SEARCH,
            hint="Give the earlier date to --from, the later one to --to.",
        )
    return Criteria(
        source=filters.source or None,
        language=filters.language or None,
        attributes=filters.attributes,
        standard=_given(filters.standard),
        first_day=first_day,
        last_day=last_day,
        date_attributes=filters.date_attributes,
        section=_given(filters.section),
        clause=_given(filters.clause, " ."),
        subclauses=filters.subclauses,
    )


def _on_path(glob: str, source: str | None, catalog: Catalog) -> tuple[str, ...]:
    selected = PathFilter(include=[glob])
    paths = catalog.documents.paths(source)
    return tuple(sorted(id_ for id_, path in paths.items() if selected.selects(path)))


def _given(text: str | None, around: str = " ") -> str | None:
    return (text or "").strip().strip(around) or None


def _day(text: str | None, rest_of_year: str) -> str | None:
    """The day that a date, a month or a year begins or ends with."""
    if not text:
        return None
    if not _is_date(text):
        raise ConfigurationError(
            f"{text!r} is not a date.", stage=Stage.SEARCH, hint="Write 2020, 2020-05 or 2020-05-17."
        )
    # The 31st of every month will do: days are compared as text.
    return text + rest_of_year[len(text) - 4 :]


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text + "-01-01"[len(text) - 4 :])
    except ValueError:
        return False
    return _DATE.fullmatch(text) is not None
