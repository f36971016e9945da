"""Bounds what the compressed streams of a PDF unpack to: a megabyte of them can hold a gigabyte.

pdfminer unpacks every stream whole, through the module ``zlib`` that ``pdfminer.pdftypes`` imports and
that stands replaced here. Outside of ``unpacking_limit`` nothing is limited.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pdfminer import pdftypes

from rubrica.errors import LimitExceededError

_MIB = 2**20
_STEP = 64
_UNLIMITED = 2**40


class _Budget:
    def __init__(self, limit_mb: int) -> None:
        self.limit_mb = limit_mb
        self.left = limit_mb * _MIB

    def spend(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise LimitExceededError(
                f"The streams of the PDF unpack to more than {self.limit_mb} MiB.",
                limit="RUBRICA_MAX_UNPACKED_MB",
                stage="extract",
                hint="Raise RUBRICA_MAX_UNPACKED_MB if the file is honest.",
            )


_budget: ContextVar[_Budget | None] = ContextVar("_budget", default=None)


@contextmanager
def unpacking_limit(limit_mb: int) -> Iterator[None]:
    """Inside of the block, all streams together unpack to at most so many MiB.

    Raises:
        LimitExceededError: They unpack to more.
    """
    token = _budget.set(_Budget(limit_mb))
    try:
        yield
    finally:
        _budget.reset(token)


class _BoundedZlib:
    """As much of the module ``zlib`` as ``pdfminer.pdftypes`` uses."""

    error = zlib.error
    decompressobj = staticmethod(zlib.decompressobj)

    @staticmethod
    def decompress(data: bytes) -> bytes:
        """Unpack a stream, or of a damaged one what comes before the damage."""
        budget = _budget.get()
        most = budget.left + 1 if budget else _UNLIMITED
        try:
            unpacked = zlib.decompressobj().decompress(data, most)
        except zlib.error:
            unpacked = _salvage(data, most)
            if not unpacked:
                raise
        if budget:
            budget.spend(len(unpacked))
        return unpacked


def _salvage(data: bytes, most: int) -> bytes:
    stream = zlib.decompressobj()
    parts: list[bytes] = []
    size = 0
    try:
        for start in range(0, len(data), _STEP):
            parts.append(stream.decompress(data[start : start + _STEP], most - size))
            size += len(parts[-1])
            if size >= most:
                break
    except zlib.error:
        pass  # the damage
    return b"".join(parts)


pdftypes.zlib = _BoundedZlib  # type: ignore[attr-defined, assignment]
