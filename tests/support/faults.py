"""Extractors that go wrong in every way a library can; importable by worker processes."""

from __future__ import annotations

import os
import signal
import time

from rubrica.errors import FatalError, LimitExceededError
from rubrica.log import get_logger
from rubrica.model import Document, Element, ElementKind
from rubrica.settings import ExtractionSettings


def misbehave(content: bytes, path: str, settings: ExtractionSettings) -> Document:
    match content:
        case b"hang":
            time.sleep(600)
        case b"crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case b"devour":
            hoard = [bytes(64 * 2**20) for _ in range(10_000)]
            raise AssertionError(f"{len(hoard)} blocks and no limit met")
        case b"afford":
            _fail_with_all_memory_held()
        case b"setup":
            raise FatalError("A program is missing.", hint="Install it.")
        case b"exit":
            os._exit(3)
        case b"bug":
            raise ZeroDivisionError("division by zero")
        case b"missing":
            raise ModuleNotFoundError("No module named 'pdfplumber'")
        case b"killed":
            os.kill(os.getpid(), signal.SIGKILL)
    text = content.decode()
    return Document(
        path,
        "",
        path,
        "",
        "",
        "text/plain",
        "en",
        path,
        text,
        (Element(ElementKind.PARAGRAPH, 0, len(text)),),
    )


def warn(content: bytes, path: str, settings: ExtractionSettings) -> Document:
    get_logger("faults").warning("something is lost", api_key="hush")
    return misbehave(content, path, settings)


def _fail_with_all_memory_held() -> None:
    hoard = []
    try:
        while True:
            hoard.append(bytes(2**16))
    except MemoryError as error:
        raise LimitExceededError("No memory.", limit="RUBRICA_EXTRACT_MEMORY_MB", hint="Raise it.") from error
