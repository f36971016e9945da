"""The title of a document: what its reader would call it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile, groupby
from pathlib import PurePosixPath

from extraction.result import Extracted
from extraction.text import clean_line
from rubrica.model import Element, ElementKind

_LENGTH = 300
_FEWEST_SIBLINGS = 2
_CONTENTS = re.compile(r"(?:содержание|оглавление|(?:table of )?contents)\W*", re.IGNORECASE)


def document_title(extracted: Extracted, path: str, *, printed: str = "") -> str:
    """The printed title of a norm, else the stated one, else the leading heading, else the file's name.

    Args:
        extracted: Text and elements.
        path: Path of the document.
        printed: The title that a norm prints on its first pages; empty where it is none.

    Returns:
        One line of at most 300 characters.
    """
    return (printed or clean_line(extracted.title) or _leading(extracted) or _file_name(path))[:_LENGTH]


def _file_name(path: str) -> str:
    return clean_line(PurePosixPath(path).name)


def _leading(extracted: Extracted) -> str:
    # A title page spreads the title over several lines.
    runs = groupby(extracted.elements, key=lambda item: item.kind is ElementKind.TITLE)
    lines = next((list(items) for is_title, items in runs if is_title), None) or _leading_heading(extracted)
    return " ".join(_text(extracted, item) for item in lines)


def _leading_heading(extracted: Extracted) -> list[Element]:
    """The first heading, unless it opens only the first of several parts: «1 Область применения»."""
    headings = [item for item in extracted.elements if item.kind is ElementKind.HEADING]
    headings = list(dropwhile(lambda item: _CONTENTS.fullmatch(_text(extracted, item)), headings))
    return headings[:1] if headings and not _is_part(headings) else []


def _is_part(headings: Sequence[Element]) -> bool:
    """Whether the first heading has siblings: numbered as it is, or with headings below them as it has."""
    level = headings[0].level or 1
    siblings = [i for i, item in enumerate(headings) if i and (item.level or 1) <= level]
    if headings[0].clause is not None:
        return bool(siblings)
    parents = [i for i in (0, *siblings) if i + 1 < len(headings) and (headings[i + 1].level or 1) > level]
    return parents[:1] == [0] and len(parents) > _FEWEST_SIBLINGS


def _text(extracted: Extracted, item: Element) -> str:
    return extracted.text[item.start : item.end]
