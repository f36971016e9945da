"""What goes wrong inside PDF libraries, told as errors of ours."""

from __future__ import annotations

import struct
import zlib

from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect
from pdfminer.pdfexceptions import PDFException
from pdfminer.psexceptions import PSException
from pdfplumber.utils.exceptions import (  # noqa: TID253 - this module is imported lazily
    MalformedPDFException,
    PdfminerException,
)

from rubrica.errors import CorruptDocumentError, EncryptedDocumentError, RubricaError

# What pdfminer lets escape on damaged or hostile files, as its issue tracker and fuzzed files show it.
PARSER_ERRORS: tuple[type[Exception], ...] = (
    MalformedPDFException,
    PdfminerException,
    PDFException,
    PSException,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
REPAIR_HINT = "Open it in a PDF viewer and save it anew, or get another copy."
_ENCRYPTED = (PDFPasswordIncorrect, PDFEncryptionError)


def explain(error: Exception, path: str) -> CorruptDocumentError | EncryptedDocumentError:
    """Why a file cannot be parsed, with a reason that is never empty."""
    cause = root_cause(error)
    if isinstance(cause, _ENCRYPTED):
        return EncryptedDocumentError(
            "The PDF is encrypted and needs a password.",
            document=path,
            stage="extract",
            hint="Save a copy without a password.",
        )
    return CorruptDocumentError(
        f"The PDF cannot be parsed ({describe(cause)}).", document=path, stage="extract", hint=REPAIR_HINT
    )


def root_cause(error: Exception) -> Exception:
    """The error that pdfplumber wrapped, which it hands over as its only argument.

    Raises:
        MemoryError: That was it; it is no fault of the file's syntax.
        RubricaError: Likewise, a limit that was met inside the library.
    """
    while error.args and isinstance(error.args[0], Exception):
        error = error.args[0]
    if isinstance(error, MemoryError | RubricaError):
        raise error
    return error


def describe(error: Exception) -> str:
    """Name and message of an error in one line that is never empty."""
    message = " ".join(str(error).split())[:200]
    name = type(error).__name__
    return f"{name}: {message}" if message else name
