"""Catalogues of translations (PO): each message with its translation."""

from __future__ import annotations

import polib

from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.result import Extracted
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_STATED = {"Project-Id-Version": "project", "Language": "translated_to", "PO-Revision-Date": "date"}


def extract_catalog(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a catalogue: a paragraph for each message, its translation on the next line.

    Raises:
        CorruptDocumentError: It is no catalogue.
    """
    # polib takes a string that names a file for a path; one that begins with a newline names none.
    with reading("PO", OSError, ValueError):
        catalog = polib.pofile("\n" + decode(content))
    builder = DocumentBuilder()
    for entry in catalog:
        if not entry.obsolete:
            builder.add(ElementKind.PARAGRAPH, "\n".join(_texts(entry)), clause="")
    stated = {name: catalog.metadata.get(key, "") for key, name in _STATED.items()}
    return Extracted.from_builder(
        builder, attributes={name: value for name, value in stated.items() if value}
    )


def _texts(entry: polib.POEntry) -> list[str]:
    """A message's forms, then those of its translation."""
    plural = [entry.msgid_plural] if entry.msgid_plural else []
    translated = [entry.msgstr, *entry.msgstr_plural.values()]
    texts = dict.fromkeys(text.strip() for text in (entry.msgid, *plural, *translated))
    return [text for text in texts if text]
