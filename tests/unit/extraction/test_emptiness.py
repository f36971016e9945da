from __future__ import annotations

import io

import docx
import openpyxl
import pytest

from extraction.extract import extract
from rubrica.errors import EmptyDocumentError
from rubrica.settings import ExtractionSettings
from tests.unit.extraction.docx_making import save

RECOGNITION = "text recognition"
SIGNS = "The text holds no letters or digits."
BLANK = "The file holds only white space."
NO_TEXT = "The document has no text beside its markup and metadata."


def workbook() -> bytes:
    stream = io.BytesIO()
    openpyxl.Workbook().save(stream)
    return stream.getvalue()


def refusal(content: bytes, path: str, settings: ExtractionSettings) -> EmptyDocumentError:
    with pytest.raises(EmptyDocumentError) as caught:
        extract(content, path, settings)
    assert (caught.value.document, caught.value.stage) == (path, "extract")
    return caught.value


def test_pictures_of_pages_are_named_where_there_may_be_some(settings: ExtractionSettings) -> None:
    for content, path in ((save(docx.Document()), "a.docx"), (b"{\\rtf1 }", "a.rtf")):
        error = refusal(content, path, settings)
        assert error.reason == "The document has no text."
        assert RECOGNITION in error.hint


@pytest.mark.parametrize(
    ("content", "path", "reason"),
    [
        (workbook(), "a.xlsx", "The cells of the table are all empty."),
        (b",,\n,,\n", "a.csv", "The cells of the table are all empty."),
        (b"<html><body></body></html>", "a.html", "The page has no text."),
        (b". " * 900, "a.txt", SIGNS),
        (b"---\n\n***\n", "a.md", SIGNS),
        ("......\n".encode("utf-16"), "a.txt", SIGNS),
        (b" \n", "a.md", BLANK),
        (" \n\u00a0\u200b\n".encode(), "a.txt", BLANK),
        (" \n\u00a0\u200b\n".encode(), "a.md", BLANK),
        (b"---\ntitle: x\n---\n", "a.md", NO_TEXT),
        (b"// comment\n", "a.adoc", NO_TEXT),
    ],
)
def test_other_formats_say_what_is_missing(
    content: bytes, path: str, reason: str, settings: ExtractionSettings
) -> None:
    error = refusal(content, path, settings)
    assert error.reason == reason
    assert error.hint
    assert RECOGNITION not in error.hint
