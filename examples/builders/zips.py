"""Makes office files the same on every machine and every day."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

_MODIFIED = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*(</dcterms:modified>)")
_UNIX = 3


def write_normalised(package: bytes, target: Path, modified: str) -> None:
    """Write a zip package with its members stored, in their order, and without a trace of the clock.

    Args:
        package: An office file.
        target: Where it goes.
        modified: ISO 8601 date for the core properties; openpyxl always puts the present moment there.
    """
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.create_system = _UNIX
            member.external_attr = 0o644 << 16
            new.writestr(member, _MODIFIED.sub(rb"\g<1>" + modified.encode() + rb"\g<2>", old.read(name)))
