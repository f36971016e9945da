"""Titles in a file's properties, which programs fill in as they like."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from extraction.text import clean_line

_JUNK = re.compile(
    r"(?:microsoft (?:word|powerpoint)|untitled|без имени|без названия|document|документ|title|заголовок"
    r"|название|presentation|презентация|слайд|slide|template|шаблон|normal|openoffice|libreoffice|лист|page"
    r"|страница|утвержд[её]н\w*|приложение|проект|содержание|оглавление)[\s_-]*\d*(?:\s-.*)?"
    r"|powerpoint presentation|презентация powerpoint"
    r"|.*\.(?:docx?|docm|dotx?|rtf|odt|odp|pptx?|pdf|txt|html?)"
    r"|[A-Z]:\\.*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2}")


def stated_title(title: str, path: str) -> str:
    """A stated title, or nothing where it is a program's, a template's or the file's name.

    Args:
        title: As the file's properties have it.
        path: The file's path.
    """
    title = clean_line(title)
    name = PurePosixPath(path)
    if not _WORD.search(title) or len(title) < 3 or "\ufffd" in title:
        return ""
    return "" if _JUNK.fullmatch(title) or title in (clean_line(name.name), clean_line(name.stem)) else title
