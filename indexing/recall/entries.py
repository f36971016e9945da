"""One golden question out of the fields that a file gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from indexing.recall.model import GoldenQuestion, GoldenSpan
from rubrica.errors import ConfigurationError
from rubrica.identity import digest

_ID_DIGITS = 12
_CONTEXT = 80
_ALIASES = {
    "corpus_id": "document",
    "start_index": "start",
    "end_index": "end",
    "content": "quote",
    "references": "spans",
    "quotes": "spans",
}
_SPAN_FIELDS = frozenset({"quote", "start", "end", "page", "document", "prefix", "suffix"})
_FIELDS = _SPAN_FIELDS | {"id", "question", "language", "source", "answer", "spans"}
_FOR_PEOPLE = frozenset({"demo", "clause", "note", "tags"})
"""Fields that golden.yaml may have and that recall does not use."""


def wrong(where: str, what: str, *, hint: str = "") -> ConfigurationError:
    """The error of an entry that cannot be read."""
    return ConfigurationError(f"{where}: {what}.", hint=hint)


def question_id(*parts: str) -> str:
    """An id for a question whose format has none."""
    return digest(*parts)[:_ID_DIGITS]


@dataclass(frozen=True, slots=True)
class Entry:
    """Fields as a file gives them, and where they stand.

    Attributes:
        where: File and line, for messages.
        values: The fields.
    """

    where: str
    values: Any

    def fields(self, allowed: frozenset[str]) -> dict[str, Any]:
        """The fields under the names that are used here.

        Raises:
            ConfigurationError: It is no mapping, or a field is not known.
        """
        if not isinstance(self.values, Mapping):
            raise wrong(self.where, f"an entry must be a mapping of fields, not {self.values!r:.60}")
        fields = {_ALIASES.get(str(name), str(name)): value for name, value in self.values.items()}
        for name in fields:
            if name not in allowed | _FOR_PEOPLE:
                near = get_close_matches(name, allowed, n=1)
                hint = f"Did you mean {near[0]!r}?" if near else f"Known are {', '.join(sorted(allowed))}."
                raise wrong(self.where, f"the field {name!r} is not known", hint=hint)
        return fields


def read_question(entry: Entry, *, pages: Callable[[str, int], str | None] | None = None) -> GoldenQuestion:
    """A question out of its fields.

    Args:
        entry: ``question``, ``document`` and the passage (``quote``; ``start`` and ``end``; ``page``), or
            several in ``spans``; ``id``, ``language``, ``source``, ``answer`` as they are known.
        pages: Texts of pages, which offsets beside a page number count in.

    Raises:
        ConfigurationError: A field is missing, not known or of the wrong kind.
    """
    fields = entry.fields(_FIELDS)
    question, document = _text(entry, fields, "question"), _text(entry, fields, "document")
    spans = tuple(_with_quote(entry, span, document, pages) for span in _spans(entry, fields))
    places = (part for span in spans for part in (span.quote, str(span.page), str(span.start)))
    return GoldenQuestion(
        _optional(entry, fields, "id") or question_id(question, document, *places),
        question,
        document,
        spans,
        _optional(entry, fields, "language"),
        _optional(entry, fields, "source"),
        _optional(entry, fields, "answer"),
    )


def _spans(entry: Entry, fields: Mapping[str, Any]) -> Iterator[GoldenSpan]:
    several = fields.get("spans")
    if several is None:
        yield _span(entry, fields)
        return
    if not isinstance(several, list) or not several:
        raise wrong(entry.where, "'spans' must be a list of passages that is not empty")
    for number, item in enumerate(several, 1):
        part = Entry(f"{entry.where}, passage {number}", {"quote": item} if isinstance(item, str) else item)
        yield _span(part, part.fields(_SPAN_FIELDS))


def _span(entry: Entry, fields: Mapping[str, Any]) -> GoldenSpan:
    start, end, page = (_number(entry, fields, name) for name in ("start", "end", "page"))
    if (start is None) != (end is None):
        raise wrong(entry.where, f"{'end' if end is None else 'start'!r} is missing beside the other")
    if start is not None and end is not None and start >= end:
        raise wrong(entry.where, f"'start' ({start}) must be less than 'end' ({end})")
    quote, prefix, suffix = (_optional(entry, fields, name) for name in ("quote", "prefix", "suffix"))
    if "quote" in fields and not quote.strip():
        raise wrong(entry.where, "'quote' is empty", hint="Leave it out to mean the whole document.")
    nested = "question" not in fields
    document = _optional(entry, fields, "document") if nested else ""
    return GoldenSpan(quote, start, end, page, document, prefix, suffix)


def _with_quote(
    entry: Entry, span: GoldenSpan, document: str, pages: Callable[[str, int], str | None] | None
) -> GoldenSpan:
    """Offsets in a page say nothing once the text is read otherwise; the words that stand there do."""
    if span.quote or span.start is None or span.end is None or span.page is None:
        return span
    name = span.document or document
    text = pages(name, span.page) if pages is not None else None
    if text is None:
        raise wrong(
            entry.where,
            f"'start' and 'end' count in page {span.page} of {name!r}, whose text is not given",
            hint="Give the passage as 'quote', or the folder of the pages with --pages.",
        )
    if span.end > len(text):
        raise wrong(
            entry.where, f"page {span.page} of {name!r} ends at {len(text)}, before 'end' ({span.end})"
        )
    return quoted(text, span.start, span.end, page=span.page, document=span.document)


def quoted(
    text: str, start: int, end: int, *, page: int | None = None, document: str = "", hint: int | None = None
) -> GoldenSpan:
    """A passage of a text by its words, with those around it.

    Args:
        text: The text that the offsets count in.
        start: Offset of the passage.
        end: Offset after it.
        page: Its page.
        document: Its document, where that is not the question's.
        hint: Offset in the document's text, where ``text`` is that.
    """
    return GoldenSpan(
        text[start:end],
        hint,
        None if hint is None else hint + end - start,
        page,
        document,
        text[max(0, start - _CONTEXT) : start],
        text[end : end + _CONTEXT],
    )


def _text(entry: Entry, fields: Mapping[str, Any], name: str) -> str:
    value = _optional(entry, fields, name).strip()
    if not value:
        raise wrong(entry.where, f"{name!r} is missing")
    return value


def _optional(entry: Entry, fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise wrong(entry.where, f"{name!r} must be text, not {value!r:.60}")
    return str(value)


def _number(entry: Entry, fields: Mapping[str, Any], name: str) -> int | None:
    value = fields.get(name)
    if value is None or value == "":
        return None
    number = int(value) if isinstance(value, str) and value.strip().isdecimal() else value
    least = 1 if name == "page" else 0
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise wrong(entry.where, f"{name!r} must be a whole number from {least}, not {value!r:.60}")
    return number
