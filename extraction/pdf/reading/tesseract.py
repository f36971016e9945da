"""Runs tesseract, a program of its own, on pictures of pages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from lxml import etree

from rubrica.errors import FatalError
from rubrica.log import get_logger

log = get_logger(__name__)

_INSTALL_HINT = (
    "Install tesseract with the languages of RUBRICA_OCR_LANGUAGES (on Debian: apt-get install tesseract-ocr"
    " tesseract-ocr-rus), or set RUBRICA_OCR=off."
)
# Starts a program so that the kernel ends it together with the process that started it.
_TIED = (
    "import ctypes,os,sys;ctypes.CDLL(None).prctl(1,9,0,0,0);"
    "os.getppid()==int(sys.argv[1]) and os.execvp(sys.argv[2],sys.argv[2:])"
)
_LINE_CLASSES = frozenset({"ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"})
_BOX = re.compile(r"\bbbox (-?\d+) (-?\d+) (-?\d+) (-?\d+)")
_SIZE = re.compile(r"\bx_size ([\d.]+)")
_CONFIDENCE = re.compile(r"\bx_wconf (\d+)")
_ROTATE = re.compile(r"^Rotate: (\d+)$", re.MULTILINE)
_VERSION = re.compile(r"tesseract v?(\S+)")
_MODEST = 60.0


@dataclass(frozen=True, slots=True)
class Word:
    """A recognised word: its text, its box in pixels, and how sure tesseract is, in percent."""

    text: str
    x0: float
    x1: float
    confidence: float


@dataclass(frozen=True, slots=True)
class RecognisedLine:
    """A line of words; its upper and lower edge and its font size in pixels."""

    words: tuple[Word, ...]
    top: float
    bottom: float
    size: float


class RecognitionTimeoutError(Exception):
    """Tesseract took longer than it was given."""


@cache
def check_tesseract(languages: str) -> str:
    """Make sure that tesseract can be used.

    Args:
        languages: Names of its language models, joined by ``+``.

    Returns:
        Its version.

    Raises:
        FatalError: It is not installed, or a language is not.
    """
    if shutil.which("tesseract") is None:
        raise FatalError(
            "RUBRICA_OCR is on, but the program tesseract is not installed.",
            stage="extract",
            hint=_INSTALL_HINT,
        )
    known = set(_run(["--list-langs"], b"", 60).split()[1:])
    missing = sorted(set(languages.split("+")) - known)
    if missing:
        raise FatalError(
            f"RUBRICA_OCR is on, but tesseract has no model for {', '.join(missing)}.",
            stage="extract",
            hint=_INSTALL_HINT,
        )
    version = _VERSION.search(_run(["--version"], b"", 60))
    return version[1] if version else "unknown"


def recognise(picture: bytes, languages: str, dpi: float, timeout_s: float) -> list[RecognisedLine]:
    """Read a page.

    Args:
        picture: The page in a format that tesseract reads (PGM, PNG …).
        languages: Names of its language models, joined by ``+``.
        dpi: Dots an inch.
        timeout_s: Seconds that it may take.

    Raises:
        RecognitionTimeoutError: It takes longer.
    """
    options = ["--dpi", str(round(dpi)), "--psm", "3", "-l", languages, "hocr"]
    return list(_parse(_run(["stdin", "stdout", *options], picture, timeout_s)))


def find_rotation(picture: bytes, timeout_s: float) -> int:
    """Degrees by which a picture must be turned clockwise to be upright; 0 where that cannot be told."""
    found = _ROTATE.search(_run(["stdin", "stdout", "--psm", "0", "-l", "osd"], picture, timeout_s))
    return int(found[1]) if found else 0


def mean_confidence(lines: Iterable[RecognisedLine]) -> float:
    """Mean confidence of all letters, in percent."""
    words = [(word.confidence, len(word.text)) for line in lines for word in line.words]
    letters = sum(length for _, length in words)
    return sum(confidence * length for confidence, length in words) / letters if letters else 0.0


def _run(arguments: Sequence[str], given: bytes, timeout_s: float) -> str:
    command = ["tesseract", *arguments]
    if sys.platform == "linux":
        command = [sys.executable, "-I", "-S", "-c", _TIED, str(os.getpid()), *command]
    try:
        done = subprocess.run(
            command,
            input=given,
            capture_output=True,
            timeout=max(timeout_s, 0.1),
            check=False,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )
    except subprocess.TimeoutExpired as error:
        raise RecognitionTimeoutError from error
    if done.returncode:
        log.warning(
            "tesseract failed", status=done.returncode, reason=done.stderr[-200:].decode("utf-8", "replace")
        )
    return done.stdout.decode("utf-8", "replace")


def _parse(hocr: str) -> Iterable[RecognisedLine]:
    """The lines of an hOCR page (the format: http://kba.github.io/hocr-spec/1.2/)."""
    if not hocr.strip():
        return
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=False
    )
    root = etree.fromstring(hocr.encode(), parser)
    for node in root.iter("{*}span"):
        if node.get("class") not in _LINE_CLASSES:
            continue
        title = node.get("title", "")
        box, size = _BOX.search(title), _SIZE.search(title)
        words = tuple(_words(node))
        if box and words:
            height = float(box[4]) - float(box[2])
            yield RecognisedLine(words, float(box[2]), float(box[4]), float(size[1]) if size else height)


def _words(line: etree._Element) -> Iterable[Word]:
    for node in line.iter("{*}span"):
        title = node.get("title", "")
        text = "".join(map(str, node.itertext())).strip() if node.get("class") == "ocrx_word" else ""
        box, confidence = _BOX.search(title), _CONFIDENCE.search(title)
        if text and box and confidence:
            yield Word(text, float(box[1]), float(box[3]), float(confidence[1]))
