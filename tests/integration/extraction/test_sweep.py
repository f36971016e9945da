"""Every real document at hand is read, or refused with a reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from extraction.extract import extract
from rubrica.errors import (
    EmptyDocumentError,
    EncryptedDocumentError,
    PoisonDocumentError,
    UnsupportedFormatError,
)
from rubrica.settings import ExtractionSettings
from tests.support.invariants import check_document

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
DOCS = Path(os.environ.get("RUBRICA_TEST_DOCS", ROOT.parent / "shared" / "data" / "docs"))
FOLDERS = ("code", "docx_en", "docx_ru", "html", "md", "other", "xlsx_csv")
SETTINGS = ExtractionSettings()

# What must not be read, and why; everything else in these folders must be.
REFUSED = {
    "docx_en/Headers.docx": EmptyDocumentError,
    "docx_en/empty.docx": EmptyDocumentError,
    "docx_en/zero-length.docx": EmptyDocumentError,
    "xlsx_csv/57893-many-merges.xlsx": EmptyDocumentError,
    "xlsx_csv/empty.xlsx": EmptyDocumentError,
    "xlsx_csv/password_protected.xlsx": EncryptedDocumentError,
    "other/empty.txt": EmptyDocumentError,
    "docx_en/truncated62886.docx": PoisonDocumentError,
    "docx_ru/broken.docx": PoisonDocumentError,
}
UNSUPPORTED = {".pptx", ".odt", ".ods", ".odp", ".epub", ".rtf"}
MAY_BE_EMPTY = {"md/starlight_ru_mdx/docs/src/content/docs/ru/404.md"}  # front matter only
INCLUDES_ONLY = "man1/asciidoctor.adoc"


def documents(folder: str) -> list[Path]:
    return sorted(path for path in (DOCS / folder).rglob("*") if path.is_file())


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_document_is_read_or_refused_with_a_reason(folder: str) -> None:
    if not DOCS.is_dir():
        pytest.skip("the folder of real documents is not here")
    read = 0
    for path in documents(folder):
        name = path.relative_to(DOCS).as_posix()
        try:
            document = extract(path.read_bytes(), name, SETTINGS)
        except PoisonDocumentError as error:
            check_refusal(name, error)
        else:
            assert name not in REFUSED
            check_document(document)
            assert (document.path, document.id) == (name, name)
            read += 1
    assert read > 0


def check_refusal(name: str, error: PoisonDocumentError) -> None:
    assert error.reason.strip()
    assert error.hint.strip()
    assert (error.document, error.stage) == (name, "extract")
    if Path(name).suffix in UNSUPPORTED:
        assert isinstance(error, UnsupportedFormatError)
    elif name in MAY_BE_EMPTY or name.endswith(INCLUDES_ONLY):
        assert isinstance(error, EmptyDocumentError)
    else:
        assert isinstance(error, REFUSED.get(name, ())), f"{name} is refused: {error}"
