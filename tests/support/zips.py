"""Zipped documents made in memory."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    """An archive with these members, in this order."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in members.items():
            target.writestr(name, content)
    return stream.getvalue()


def with_member(content: bytes, name: str, change: Mapping[bytes, bytes], *, rename: str = "") -> bytes:
    """An archive with strings replaced in one member, which may get another name too."""
    members: dict[str, str | bytes] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        for entry in source.namelist():
            data = source.read(entry)
            if entry == name:
                for old, new in change.items():
                    assert old in data, f"{name} has no {old!r}"
                    data = data.replace(old, new)
            members[rename if rename and entry == name else entry] = data
    return zipped(members)


def member(content: bytes, name: str) -> bytes:
    """One member of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        return source.read(name)
