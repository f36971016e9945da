"""Rich Text to elements."""

from __future__ import annotations

import re

from extraction.border import reading
from extraction.flow.titles import stated_title
from extraction.flow.writer import write_flow
from extraction.result import Extracted
from extraction.rtf.parser import Parser
from extraction.rtf.tokens import tokens
from rubrica.errors import CorruptDocumentError
from rubrica.settings import ExtractionSettings

_START = re.compile(rb"[\xef\xbb\xbf\s]*\{\\rtf")


def extract_rtf(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a Rich Text file.

    Raises:
        CorruptDocumentError: It does not start as one, or its groups are nested too deeply.
    """
    start = _START.match(content)
    if start is None:
        raise CorruptDocumentError(
            "The RTF file does not begin as one.", hint="Open the file and save it again."
        )
    parser = Parser()
    with reading("RTF"):
        for token in tokens(content[start.end() - len(b"{\\rtf") :]):
            parser.take(token)
            if parser.done:
                break
    return Extracted.from_builder(write_flow(parser.finish()), title=stated_title(parser.title, path))
