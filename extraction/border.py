"""Where errors of libraries become errors of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rubrica.errors import CorruptDocumentError

_CAUSE_LENGTH = 200


@contextmanager
def reading(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Report what a library raises over a damaged file as ``CorruptDocumentError``.

    Args:
        name: The format, as its users call it.
        errors: What the library is known to raise; ``RecursionError`` is always among them.

    Raises:
        CorruptDocumentError: The library raised one of them.
        MemoryError: It was for want of memory.
    """
    try:
        yield
    except RecursionError as error:
        raise too_deep(f"{name} file") from error
    except errors as error:
        refuse_want_of_memory(error)
        raise CorruptDocumentError(
            f"The {name} file is damaged: {cause_of(error)}.", hint="Open the file and save it again."
        ) from error


def too_deep(what: str) -> CorruptDocumentError:
    """The error for a file with more levels than can be read.

    Args:
        what: What it is, as its users call it.
    """
    return CorruptDocumentError(
        f"The {what} is nested too deeply.",
        hint="Take levels out of it, or exclude it from the source.",
    )


def refuse_want_of_memory(error: Exception) -> None:
    """Raise ``MemoryError`` where lxml reports a want of memory as a fault of the file."""
    if any(entry.type_name == "ERR_NO_MEMORY" for entry in getattr(error, "error_log", ())):
        raise MemoryError from error


def cause_of(error: BaseException) -> str:
    """The error in a few words; never empty, never more than a line."""
    text = " ".join(str(error).split())[:_CAUSE_LENGTH].rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
