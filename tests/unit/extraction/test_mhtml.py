from __future__ import annotations

from email.message import EmailMessage

import pytest

from extraction.extract import extract
from rubrica.errors import CorruptDocumentError
from rubrica.settings import ExtractionSettings
from tests.support.outline import outline
from tests.unit.extraction.conftest import Read


def saved_page(page: bytes, charset: str) -> bytes:
    message = EmailMessage()
    message["From"] = "<Saved by a browser>"
    message["MIME-Version"] = "1.0"
    message.make_related()
    message.add_related(page, "text", "html", params={"charset": charset}, cte="quoted-printable")
    message.add_related(b"\x89PNG", "image", "png")
    return message.as_bytes()


@pytest.mark.parametrize("path", ["a.mht", "a.mhtml", "law.doc", "law"])
def test_the_page_is_read(read: Read, path: str) -> None:
    page = "<html><title>Закон</title><h1>Глава 1</h1><p>Текст</p></html>".encode("cp1251")
    document = read(saved_page(page, "windows-1251"), path)
    assert outline(document) == [("heading1", "Глава 1"), ("paragraph", "Текст")]
    assert (document.title, document.media_type) == ("Закон", "multipart/related")


def test_an_unknown_charset_is_told_by_content(read: Read) -> None:
    assert (
        read(saved_page("<p>Общие положения".encode("cp1251"), "x-none"), "a.mht").text == "Общие положения"
    )


def test_an_archive_without_a_page_is_refused(settings: ExtractionSettings) -> None:
    message = (
        "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"
        "--x\nContent-Type: image/png\n\nx\n--x--"
    )
    with pytest.raises(CorruptDocumentError, match="no page"):
        extract(message.encode(), "a.mht", settings)
