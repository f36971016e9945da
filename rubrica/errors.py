"""What can go wrong, sorted by what the pipeline does about it.

The sections map one to one onto the retry policy of the DAGs and the exit codes of the commands:

==================  ===================================  =========  =================
error               what it means                        retried    exit code
==================  ===================================  =========  =================
ConfigurationError  settings or usage are wrong          no         2
FatalError          the run cannot go on                 no         3
TransientError      it may work in a minute              yes        3
PoisonDocument…     this document fails, others do not   no         1
==================  ===================================  =========  =================

Errors cross process borders (Airflow, worker pools), so each one survives pickling with its fields.
"""

from __future__ import annotations

from typing import Any, Self


class RubricaError(Exception):
    """Base of every error that Rubrica raises on purpose.

    Args:
        reason: One clear sentence.
        document: Path of the document, where one is to blame.
        stage: Name of the stage it happened in.
        hint: What the user can do.
    """

    exit_code = 3

    def __init__(self, reason: str, *, document: str = "", stage: str = "", hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.document = document
        self.stage = stage
        self.hint = hint

    def __str__(self) -> str:
        where = ": ".join(part for part in (self.stage, self.document) if part)
        text = f"{where}: {self.reason}" if where else self.reason
        return f"{text} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.__dict__ | {"reason": self.reason})

    def at(self, *, document: str = "", stage: str = "") -> Self:
        """Fill in where it happened, keeping what is already known."""
        self.document = self.document or document
        self.stage = self.stage or stage
        return self


def _rebuild(kind: type[RubricaError], state: dict[str, Any]) -> RubricaError:
    error = kind.__new__(kind)
    Exception.__init__(error, state["reason"])
    error.__dict__.update(state)
    return error


# --- Configuration: the user must change something before it can work ----------------------------


class ConfigurationError(RubricaError):
    """Settings or command-line arguments are wrong."""

    exit_code = 2


# --- Fatal: the run stops, a retry would end the same way ----------------------------------------


class FatalError(RubricaError):
    """The run cannot go on and retrying will not help."""


class SourceError(FatalError):
    """A source cannot be read: it does not exist, or access is refused."""


class RemovalGuardError(FatalError):
    """The run would remove more documents than the guard allows."""


class StackDownError(FatalError):
    """A service of the local stack is needed but not running."""


class GenerationMismatchError(FatalError):
    """Settings no longer match those the live index was built with."""


class RunFailedError(FatalError):
    """An ingestion run ended red."""


class LockLostError(FatalError):
    """Another run has, or had meanwhile, what a run must have to itself: its plan is out of date."""


# --- Transient: retried with a delay -------------------------------------------------------------


class TransientError(RubricaError):
    """It may work when tried again."""


class LockHeldError(TransientError):
    """Another run still works on the source."""


class ServiceUnavailableError(TransientError):
    """PostgreSQL, Milvus, Airflow or a model server does not answer."""


class SourceUnavailableError(TransientError):
    """A source does not answer right now."""


class IndexVerificationError(TransientError):
    """Chunks that were written could not be read back."""


# --- Poison: the document is set aside, the others go on -----------------------------------------


class PoisonDocumentError(RubricaError):
    """This document cannot be processed; a retry would end the same way."""

    exit_code = 1


class UnsupportedFormatError(PoisonDocumentError):
    """No extractor reads this kind of file."""


class EncryptedDocumentError(PoisonDocumentError):
    """The document needs a password."""


class EmptyDocumentError(PoisonDocumentError):
    """The document has no text."""


class CorruptDocumentError(PoisonDocumentError):
    """The file is damaged or is not what its content claims."""


class LimitExceededError(PoisonDocumentError):
    """The document is over a limit on size, pages, time or memory.

    Args:
        reason: One clear sentence that names the limit and its value.
        limit: Name of the setting that holds the limit.
    """

    def __init__(self, reason: str, *, limit: str = "", **where: str) -> None:
        super().__init__(reason, **where)
        self.limit = limit
