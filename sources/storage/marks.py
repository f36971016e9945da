"""Change marks out of what a storage tells about an object.

Equal marks mean equal content. What a storage says is unique for one object only, so every mark is bound
to the path, but for a digest of the content itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rubrica.identity import digest

_VERSIONS = ("VersionId", "version_id", "versionId", "generation")
_CHECKSUMS = ("ETag", "etag", "e_tag", "md5Hash", "crc32c", "content_md5", "checksum", "md5", "sha256")
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified", "created", "timeModified")
_EMPTY = frozenset({"", "null", "None"})
"""What S3 says of an object in a bucket without versions."""


def info_marks(path: str, info: Mapping[str, Any]) -> list[str]:
    """Marks of a version, of a checksum, and of time and size, as far as they are known, the best first.

    Args:
        path: The object's path, which the marks are bound to.
        info: What fsspec tells about it.
    """
    size = str(info.get("size"))
    known = (
        ("v", _first(info, _VERSIONS), ""),
        ("e", _first(info, _CHECKSUMS), ""),
        ("t", _first(info, _TIMES), size),
    )
    return [f"{kind}{digest(kind, path, value, more)}" for kind, value, more in known if value]


def content_mark(digest_of_content: str) -> str:
    """A mark of the content itself."""
    return f"c{digest_of_content}"


def refused_mark(path: str) -> str:
    """A mark of an object whose content, which alone could tell it, is refused."""
    return f"x{digest('refused', path)}"


def is_of_content(mark: str) -> bool:
    """Whether a mark was made of the content."""
    return mark.startswith("c")


def _first(info: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((text for key in keys if (text := _text(info.get(key)))), "")


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | bytearray):
        return value.hex()
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = str(value).removeprefix("W/").strip('"')
    return "" if text in _EMPTY else text
