from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

W = nsdecls("w")


def save(document: Any) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def with_body(*paragraphs: str) -> bytes:
    """A document whose body is made of the given XML."""
    document = docx.Document()
    body = document.element.body
    for xml in paragraphs:
        body.insert(len(body) - 1, parse_xml(re.sub(r"(?<=[^\s>])(?=[\s>])", f" {W}", xml, count=1)))
    return save(document)


def edited(content: bytes, edit: Callable[[str, bytes], bytes | None]) -> bytes:
    """The archive with each member changed by ``edit``; ``None`` leaves a member out."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            changed = edit(name, old.read(name))
            if changed is not None:
                new.writestr(name, changed)
    return stream.getvalue()


def numbering(document: Any, levels: list[tuple[str, str]], num_id: int = 77) -> None:
    """Add a numbering: (format, text) per level."""
    part = document.part.numbering_part.element
    xml = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for i, (kind, text) in enumerate(levels)
    )
    part.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="{num_id}">{xml}</w:abstractNum>'))
    part.append(parse_xml(f'<w:num {W} w:numId="{num_id}"><w:abstractNumId w:val="{num_id}"/></w:num>'))


def numbered(document: Any, text: str, level: int, num_id: int = 77, style: str | None = None) -> None:
    paragraph = document.add_paragraph(text, style)
    paragraph._p.get_or_add_pPr().append(
        parse_xml(f'<w:numPr {W}><w:ilvl w:val="{level}"/><w:numId w:val="{num_id}"/></w:numPr>')
    )
