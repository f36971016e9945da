"""A reStructuredText file in, text and elements out."""

from __future__ import annotations

import io
import re

from docutils import frontend, nodes, utils
from docutils.parsers.rst import Parser

from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.plain.reader import extract_text
from extraction.result import Extracted
from extraction.rst.extensions import register_extensions
from extraction.rst.writer import RstWriter
from extraction.text import clean
from rubrica.settings import ExtractionSettings

_MARKS = re.compile(r"[*`]+|\|(?=[^\s|])")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_MOST_MARKS = 10_000  # in one block
_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "syntax_highlight": "none",
    "report_level": 5,
    "halt_level": 6,
    "line_length_limit": 1_000_000,
    "rfc_references": False,
    "pep_references": False,
}


def extract_rst(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read a reStructuredText file; the field list at its top becomes attributes.

    Raises:
        CorruptDocumentError: The markup is nested deeper than can be read.
    """
    text = clean(decode(content))
    if any(len(_MARKS.findall(block)) > _MOST_MARKS for block in _BLANK_LINE.split(text)):
        return extract_text(
            content, path, settings
        )  # docutils takes quadratic time over marks without an end
    builder = DocumentBuilder()
    # docutils raises AssertionError and IndexError over some malformed tables.
    with reading("reStructuredText", ValueError, AssertionError, IndexError, AttributeError):
        writer = RstWriter(builder)
        writer.write(parse_rst(text))
    return Extracted.from_builder(builder, attributes=writer.attributes)


def parse_rst(text: str) -> nodes.document:
    """The tree of a document as the parser leaves it: no references resolved, nothing numbered."""
    register_extensions(text)
    parser = Parser()
    settings = frontend.get_default_settings(parser)
    settings.__dict__.update(_SETTINGS)
    settings.warning_stream = io.StringIO()
    document = utils.new_document("<text>", settings)
    parser.parse(text, document)
    return document
