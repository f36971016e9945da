"""Recognition of pages that have no usable text layer; the tests need tesseract with Russian and English."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pypdfium2  # type: ignore[import-untyped]
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader

from extraction.pdf import extract_pdf
from extraction.pdf.reading import tesseract
from extraction.worker import ExtractionJob, extract_isolated
from rubrica.errors import EmptyDocumentError, FatalError
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings
from tests.support.invariants import check_document
from tests.unit.extraction.pdf.drawing import Sheets, texts
from tests.unit.extraction.pdf.prose import ENGLISH, RUSSIAN, shifted

ROOT = Path(__file__).parents[5]
ON = ExtractionSettings(ocr="auto")


def has_languages() -> bool:
    if shutil.which("tesseract") is None:
        return False
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=False)
    return {"rus", "eng"} <= set(listed.stdout.split())


needs_tesseract = pytest.mark.skipif(
    not has_languages(), reason="tesseract with rus and eng is not installed"
)


def photograph(content: bytes, number: int = 0) -> ImageReader:
    """A page as a picture."""
    document = pypdfium2.PdfDocument(content)
    image = document[number].render(scale=200 / 72, grayscale=True).to_pil().copy()
    document.close()
    return ImageReader(image)


def norm() -> bytes:
    sheets = Sheets()
    sheets.line("5 Требования к причалам", size=16, bold=True)
    sheets.skip(20)
    sheets.paragraph(f"5.1 {RUSSIAN}", size=11)
    return sheets.pdf()


def scan(content: bytes, *, turned: bool = False) -> Sheets:
    """The picture of a page instead of the page."""
    sheets = Sheets()
    width, height = A4
    if turned:
        sheets.canvas.setPageSize((height, width))
        sheets.canvas.rotate(90)
        sheets.canvas.translate(0, -height)
    sheets.canvas.drawImage(photograph(content), 0, 0, width, height)
    return sheets


def test_a_scan_is_refused_while_recognition_is_off() -> None:
    with pytest.raises(EmptyDocumentError, match="no text layer") as caught:
        scan(norm()).read()
    assert "RUBRICA_OCR=auto" in caught.value.hint


@needs_tesseract
@pytest.mark.parametrize("turned", [False, True])
def test_a_scan_is_read_with_its_structure(turned: bool) -> None:
    (outcome,) = extract_isolated([ExtractionJob("скан.pdf", scan(norm(), turned=turned).pdf())], ON)
    document = outcome.document
    assert document is not None
    check_document(document)
    heading, paragraph = document.elements
    assert (heading.kind, document.text[: heading.end]) == (ElementKind.HEADING, "5 Требования к причалам")
    assert paragraph.clause == "5.1"
    assert paragraph.bbox is not None
    assert "Расстояние от края настила до ограждения следует принимать" in document.text
    found = document.attributes["ocr"]
    assert found["pages"] == [1]
    assert found["languages"] == "rus+eng"
    assert found["engine"].startswith("tesseract ")
    assert found["confidence"] > 80


@needs_tesseract
def test_only_the_pages_that_need_it_are_recognised() -> None:
    """E03: a page whose text layer is nonsense is read from its picture instead."""
    sheets = scan(norm())
    text = sheets.canvas.beginText(70, 700)
    text.setTextRenderMode(3)  # invisible, as recognition leaves it
    text.setFont("Regular", 10)
    for start in range(0, len(RUSSIAN), 70):
        text.textLine(shifted(RUSSIAN[start : start + 70]))
    sheets.canvas.drawText(text)
    sheets.page()
    sheets.paragraph(ENGLISH)
    document = sheets.read(ocr="auto")
    assert document.attributes["ocr"]["pages"] == [1]
    assert "unreadable_pages" not in document.attributes
    assert "Требования к причалам" in document.text
    assert ENGLISH in document.text
    assert shifted("раздела") not in document.text


@needs_tesseract
def test_places_are_those_of_the_page() -> None:
    original = extract_pdf(norm(), "norm.pdf", ON)
    recognised = scan(norm()).read(ocr="auto")
    for before, after in zip(original.elements, recognised.elements, strict=True):
        assert before.bbox == pytest.approx(after.bbox, abs=6)


@needs_tesseract
def test_a_picture_without_text_leaves_the_document_as_it_is() -> None:
    sheets = Sheets()
    sheets.paragraph(RUSSIAN)
    sheets.page()
    sheets.canvas.rect(50, 50, 400, 600, fill=1)
    document = sheets.read(ocr="auto")
    assert texts(document) == [RUSSIAN]
    assert document.attributes["pages_without_text"] == [2]
    assert "ocr" not in document.attributes


@needs_tesseract
def test_a_language_without_a_model_ends_the_run_and_names_the_setting() -> None:
    content = scan(norm()).pdf()
    with pytest.raises(FatalError, match="no model for xyz") as caught:
        list(
            extract_isolated(
                [ExtractionJob("скан.pdf", content)], ExtractionSettings(ocr="auto", ocr_languages="rus+xyz")
            )
        )
    assert "RUBRICA_OCR_LANGUAGES" in caught.value.hint


def test_a_missing_tesseract_ends_the_run_and_names_the_setting(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    tesseract.check_tesseract.cache_clear()
    with pytest.raises(FatalError, match="tesseract is not installed") as caught:
        scan(norm()).read(ocr="auto")
    assert "RUBRICA_OCR=off" in caught.value.hint


def test_documents_with_text_do_not_need_tesseract(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert extract_pdf(norm(), "norm.pdf", ON).text


@pytest.mark.parametrize("languages", ["", "rus eng", "-l", "rus+", "../rus", "rus;ls"])
def test_languages_are_names_only(languages: str) -> None:
    with pytest.raises(ValueError, match="ocr_languages"):
        ExtractionSettings(ocr_languages=languages)


@pytest.fixture
def sleeping_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A program named tesseract that hangs; returns the file into which it writes its process id."""
    program, pid = tmp_path / "tesseract", tmp_path / "pid"
    program.write_text(f"#!/bin/sh\necho $$ > {pid}\nexec sleep 600\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return pid


def test_a_program_that_hangs_is_ended(sleeping_program: Path) -> None:
    with pytest.raises(tesseract.RecognitionTimeoutError):
        tesseract.recognise(b"P5 1 1 255 0", "rus", 300, timeout_s=1.5)
    assert not psutil.pid_exists(int(sleeping_program.read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a process to the one that started it")
def test_the_program_ends_with_the_worker_that_started_it(sleeping_program: Path) -> None:
    script = "from extraction.pdf.reading.tesseract import recognise; recognise(b'', 'rus', 300, 600)"
    worker = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    _wait(lambda: sleeping_program.exists() and sleeping_program.read_text().strip() != "")
    pid = int(sleeping_program.read_text())
    assert psutil.pid_exists(pid)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    _wait(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


def _wait(done: Callable[[], bool]) -> None:
    for _ in range(600):
        if done():
            return
        time.sleep(0.05)
    raise AssertionError("it never happened")
