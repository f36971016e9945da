from __future__ import annotations

import hashlib
import pickle

import pytest

from extraction.extract import extract
from rubrica.errors import EmptyDocumentError, PoisonDocumentError
from rubrica.settings import ExtractionSettings
from tests.unit.extraction.conftest import Read


def test_document_fields(read: Read) -> None:
    content = "# Глава «1»\n\nТекст.".encode()
    document = read(content, "папка/свод правил.md")
    assert (document.id, document.path) == ("папка/свод правил.md",) * 2
    assert (document.source, document.revision) == ("", "")
    assert document.content_hash == hashlib.sha256(content).hexdigest()
    assert (document.title, document.language) == ("Глава «1»", "ru")
    assert pickle.loads(pickle.dumps(document)) == document


def test_title_falls_back_to_the_file_name(read: Read) -> None:
    assert read("текст", "папка/ГОСТ 1.txt").title == "ГОСТ 1.txt"


def test_the_number_of_a_part_is_no_title(read: Read) -> None:
    assert read("# 1 Область применения\n\nТекст.\n\n# 2 Ссылки\n\nТекст.", "СП 1.md").title == "СП 1.md"
    assert (
        read("# Статья 15. Права\n\nТекст.\n\n## Примечание\n\nТекст.", "15.md").title == "Статья 15. Права"
    )


def test_the_heading_of_the_contents_is_no_title(read: Read) -> None:
    assert read("# Содержание\n\n- А\n\n# Устройство\n\nТекст.", "a.md").title == "Устройство"


def test_language_is_that_of_the_prose(read: Read) -> None:
    code = "```\n" + "for item in the_list_of_all_items: print(item)\n" * 50 + "```\n"
    assert read(f"Короткое пояснение.\n\n{code}", "a.md").language == "ru"


@pytest.mark.parametrize(
    ("content", "path"),
    [(b"---\ntitle: x\n---\n", "a.md"), (b"<html><body></body></html>", "a.html"), (b"\x00\x01\x02", "a.txt"),
     (b",,\n,,\n", "a.csv"), ("\u200b \ufeff".encode(), "a.txt")],
)  # fmt: skip
def test_no_text_is_an_error_of_its_own(content: bytes, path: str, settings: ExtractionSettings) -> None:
    with pytest.raises(PoisonDocumentError) as caught:
        extract(content, path, settings)
    assert caught.value.reason
    assert (caught.value.document, caught.value.stage) == (path, "extract")
    if content[:1] != b"\0":
        assert isinstance(caught.value, EmptyDocumentError)


def test_same_bytes_same_document(settings: ExtractionSettings) -> None:
    content = "# А\n\nб\n\n| в | г |\n|---|---|\n| д | е |\n".encode()
    assert extract(content, "a.md", settings) == extract(content, "a.md", settings)
