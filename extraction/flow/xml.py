"""XML parts of office files, parsed with care."""

from __future__ import annotations

from typing import Any

from lxml import etree

from extraction.border import reading
from rubrica.errors import CorruptDocumentError


def parse_xml(content: bytes, name: str) -> Any:
    """The root of an XML part.

    Args:
        content: The part.
        name: The format, as its users call it.

    Raises:
        CorruptDocumentError: It is not well-formed, nested too deeply, or declares entities.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    with reading(name, etree.LxmlError, ValueError):
        root = etree.fromstring(content, parser)
    dtd: Any = root.getroottree().docinfo.internalDTD
    if dtd is not None and any(True for _ in dtd.iterentities()):
        raise CorruptDocumentError(
            f"The {name} file declares XML entities, which no honest one does.", hint="Do not open it."
        )
    return root
