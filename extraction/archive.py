"""Zipped formats, opened with care."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable

from extraction.border import cause_of
from rubrica.errors import CorruptDocumentError, EncryptedDocumentError, LimitExceededError
from rubrica.settings import ExtractionSettings

# What zipfile raises over damaged archives: bad magic, bad deflate data, cut off members, features that
# it does not know, sizes that are no numbers.
DAMAGED: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    struct.error,
    NotImplementedError,
    ValueError,
    OSError,
)
_MIB = 2**20
_ENCRYPTED = 0x1


class Archive:
    """Members of a zipped document, unpacked within a budget.

    The sizes that the archive declares are checked on opening; what really comes out is counted while
    it is read, since a hostile archive declares what it likes.
    """

    def __init__(self, content: bytes, settings: ExtractionSettings) -> None:
        """Open an archive.

        Raises:
            CorruptDocumentError: It is damaged.
            EncryptedDocumentError: Its members need a password.
            LimitExceededError: It unpacks to more than ``max_unpacked_mb``.
        """
        self._limit = settings.max_unpacked_mb
        self._left = self._limit * _MIB
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except DAMAGED as error:
            raise _damaged(error) from error
        members = self._zip.infolist()
        self._members = {member.filename: member for member in members}
        # Office programs compare names as Windows does, and some writers part folders as Windows does.
        self._alike = {_plain(member.filename): member for member in members}
        if sum(member.file_size for member in members) > self._left:
            raise self._too_large()
        if any(member.flag_bits & _ENCRYPTED for member in members):
            raise EncryptedDocumentError(
                "The archive's members are encrypted.", hint="Save it without a password."
            )

    @property
    def names(self) -> Iterable[str]:
        """Names of the members."""
        return self._members.keys()

    def __contains__(self, name: str) -> bool:
        return _plain(name) in self._alike

    def read(self, name: str) -> bytes | None:
        """A member's content, or ``None`` where there is no such member.

        The name is taken as it is, else without regard to case and kind of slash.

        Raises:
            CorruptDocumentError: It is damaged.
            LimitExceededError: All that was read is over ``max_unpacked_mb``.
        """
        member = self._members.get(name) or self._alike.get(_plain(name))
        if member is None:
            return None
        try:
            with self._zip.open(member) as stream:
                content = stream.read(self._left + 1)
        except DAMAGED as error:
            raise _damaged(error) from error
        self._left -= len(content)
        if self._left < 0:
            raise self._too_large()
        return content

    def check(self) -> None:
        """Read every member once, for a library that does not count by itself."""
        for name in self.names:
            self.read(name)

    def _too_large(self) -> LimitExceededError:
        return LimitExceededError(
            f"The file unpacks to more than {self._limit} MiB.",
            limit="RUBRICA_MAX_UNPACKED_MB",
            hint="Raise RUBRICA_MAX_UNPACKED_MB if the file is honest.",
        )


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()


def _damaged(error: Exception) -> CorruptDocumentError:
    return CorruptDocumentError(
        f"The zip archive is damaged: {cause_of(error)}.", hint="Fetch or save the file again."
    )
