"""What every source checks about names and bytes."""

from __future__ import annotations

import re

from rubrica.errors import LimitExceededError

LFS_POINTER_MAX_BYTES = 1024
"""A pointer is smaller than this, by Git LFS's specification (docs/spec.md)."""

NOT_UTF8 = "Its name is not valid UTF-8."
LFS_POINTER = "It is a Git LFS pointer; the content is not in the repository itself."
SYMLINK = "It is a symbolic link; links are not followed."
SUBMODULE = "It is a submodule; add its repository as a source of its own."

_LFS_POINTER = re.compile(
    rb"version https?://[^\n]+/spec/v1\n(?:[a-z0-9.-]+ [^\n]*\n)*?oid sha256:[0-9a-f]{64}\n"
)
_MIB = 1024 * 1024


def is_lfs_pointer(content: bytes) -> bool:
    """Whether ``content`` stands for a file that Git LFS keeps elsewhere."""
    return len(content) < LFS_POINTER_MAX_BYTES and _LFS_POINTER.match(content) is not None


def decode_name(raw: bytes) -> str | None:
    """A name as text, or ``None`` when it is not valid UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def printable_name(raw: bytes) -> str:
    r"""A name that is not valid UTF-8, made fit for a report: stray bytes become ``\xNN``."""
    return raw.decode("utf-8", "backslashreplace")


def check_size(path: str, size: int, max_file_mb: int) -> None:
    """Refuse a file that is over the size limit.

    Args:
        path: Path of the file, for the error.
        size: Bytes.
        max_file_mb: Limit in MiB.

    Raises:
        LimitExceededError: The file is larger.
    """
    if size > max_file_mb * _MIB:
        raise LimitExceededError(
            f"The file has {size / _MIB:.1f} MiB; RUBRICA_MAX_FILE_MB allows {max_file_mb}.",
            limit="RUBRICA_MAX_FILE_MB",
            document=path,
            hint="Raise RUBRICA_MAX_FILE_MB and retry, or exclude the file.",
        )
