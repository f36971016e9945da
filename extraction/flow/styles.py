"""What the names of styles say, in the languages and programs that they come from."""

from __future__ import annotations

import re

from extraction.flow.blocks import Role

# "Heading 1" in the interface languages of Word and LibreOffice whose documents are met with.
_HEADING = re.compile(
    r"(?:heading|заголовок|заголовок №|überschrift|titre|título|titolo|nagłówek|kop|rubrik|nadpis"
    r"|标题|見出し|제목)[ _-]?([1-9])(?:[ _].*| знак)?"
)
_CONTENTS = re.compile(
    r"(?:toc|contents|оглавление|содержание)[ _]?\d{1,2}|table of figures|перечень рисунков"
    r"|illustration index \d"
)
_TITLES = frozenset({"title", "название", "consplustitle", "заголовок документа", "titel", "titre"})
_CAPTIONS = frozenset(
    {
        "caption",
        "название объекта",
        "table",
        "table caption",
        "illustration",
        "figure",
        "drawing",
        "подпись рисунка",
    }
)
_CODE = re.compile(
    r"(?:source )?code|(?:html )?preformatted(?: text)?|стандартный html|листинг.*|plain text code"
)


def heading_of_name(name: str) -> int | None:
    """Level that the name of a style, in lower case, gives its paragraphs."""
    match = _HEADING.fullmatch(name)
    return int(match[1]) if match else None


def role_of_names(names: tuple[str, ...]) -> Role:
    """What a paragraph is by the name of its style, or else of those that the style is based on."""
    for name in names:
        if _CONTENTS.fullmatch(name):
            return Role.CONTENTS
        if name in _TITLES:
            return Role.TITLE
        if name in _CAPTIONS:
            return Role.CAPTION
        if _CODE.fullmatch(name):
            return Role.CODE
    return Role.BODY


def is_title_style(name: str) -> bool:
    """Whether a style, by its name in lower case, is for titles."""
    return name in _TITLES
