"""Files that only their owner may read, replaced in one step."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write ``text`` with mode 0600; a reader sees the old content or the new, never a part."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def tail(path: Path, *, start: int = 0, lines: int = 12) -> str:
    """The last ``lines`` lines of a log from byte ``start`` on."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(start, size - 64 * 1024))
        text = file.read().decode("utf-8", "replace")
    return "\n".join(text.rstrip().splitlines()[-lines:])
