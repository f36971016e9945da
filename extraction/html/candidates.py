"""Paragraphs of a page that may be headings: by their words, their type, their place or their class."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from extraction.clauses import find_clause
from extraction.html.blocks import Block
from rubrica.model import ElementKind

_NAMED = re.compile(
    r"(?P<name>Книга|Часть|Раздел|Подраздел|Глава|Параграф|§|Статья|Приложение|Book|Part|Section|Chapter|Article"
    r"|Appendix|Annex|Schedule|Item)\s*"
    r"(?:[N№]\s*)?(?P<number>\d+(?:[.-]\d+)*[¹²³⁴⁵⁶⁷⁸⁹⁰]*[A-ZА-Я]?(?!\w)|[IVXLC]+(?![\w])(?:[.-]\d+)*|[А-ЯA-Z](?!\w)"
    r"|перв\w+|втор\w+|трет\w+|четв[её]рт\w+|One|Two|Three|Four)"
    r"(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_LONE_APPENDIX = re.compile(r"(?:Приложение|Appendix|Annex)\s*\.?", re.IGNORECASE)
APPENDIX = 0
APPENDIX_TITLE = 1
UNNAMED = 99  # stands under whatever heading it follows
_RANKS = {
    **dict.fromkeys(("приложение", "appendix", "annex", "schedule"), APPENDIX),
    **dict.fromkeys(("книга", "book", "часть", "part"), 2),
    **dict.fromkeys(("раздел",), 3),
    **dict.fromkeys(("подраздел",), 4),
    **dict.fromkeys(("глава", "chapter"), 5),
    **dict.fromkeys(("параграф", "§", "section", "item"), 6),
    **dict.fromkeys(("статья", "article"), 7),
}
_ROMAN = 3
_NUMBERED = 8
_CLASS_LEVEL = re.compile(r"(?:mso)?(?:heading|head|zagolovok|header|title|h)[-_]?([1-6])0?")
_TITLE_CLASS = re.compile(r"(?:[\w-]*[-_])?(?:title|heading|zagolovok|subtitle)|consplustitle\w*")
_CAPTION_START = re.compile(r"(?:Таблица|Рисунок|Рис\.|Table|Figure|Fig\.)\s", re.IGNORECASE)
HEADING_LENGTH = 250
UNNAMED_LENGTH = 150
_RAISED = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}(?=[.\s]|$)")
_FIGURES = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_NUMBER_LENGTH = 40
_NEVER_ENDS = tuple(";:,")
_MIN_BODY = 0.5  # share of the text from which a look is that of the body, not of headings


@dataclass(frozen=True, slots=True)
class Candidate:
    """A block that may be a heading.

    Attributes:
        rank: Its kind of heading; lower is further out.
        strong: Whether its look or class sets it apart, not only its words.
        bare: Whether it is a number without a title, which the next line may bring.
    """

    rank: float
    strong: bool
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """How most of a page's text is set."""

    bold: bool
    centred: bool
    size: float

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Body:
        """The look that most of some blocks' text has."""
        texts = [block for block in blocks if block.kind is not ElementKind.TABLE]
        total = sum(len(block.text) for block in texts) or 1
        bold = sum(len(block.text) for block in texts if block.look.bold)
        centred = sum(len(block.text) for block in texts if block.look.align == "center")
        sizes = Counter[float]()
        for block in texts:
            sizes[block.look.size] += len(block.text)
        size = sizes.most_common(1)[0][0] if sizes else 0.0
        return cls(bold > total * _MIN_BODY, centred > total * _MIN_BODY, size)

    def is_bold(self, block: Block) -> bool:
        """Whether bold type sets a block apart."""
        return block.look.bold and not self.bold

    def is_centred(self, block: Block) -> bool:
        """Whether its place in the middle sets a block apart."""
        return block.look.align == "center" and not self.centred

    def is_large(self, block: Block) -> bool:
        """Whether larger type sets a block apart."""
        return block.look.size >= self.size * 1.15


def find_candidate(block: Block, body: Body) -> Candidate | None:
    """What a block is as a heading, ``None`` where it is surely none."""
    text = " ".join(block.text.split())
    if block.kind is not ElementKind.PARAGRAPH or not 0 < len(text) <= HEADING_LENGTH or block.linked:
        return None
    classed = any(_TITLE_CLASS.fullmatch(name) or _CLASS_LEVEL.fullmatch(name) for name in block.names)
    strong = classed or body.is_bold(block) or body.is_centred(block) or body.is_large(block)
    named = find_named(text, strong)
    if named or text.endswith(_NEVER_ENDS) or not strong or _CAPTION_START.match(text):
        return named
    clause = find_clause(text, heading=True)
    if clause:
        return _numbered(text, clause)
    return Candidate(UNNAMED, strong) if _may_head(block, text, body, classed) else None


def find_named(text: str, strong: bool) -> Candidate | None:
    """A heading by its first word, in its own line or with a title after the number."""
    if _LONE_APPENDIX.fullmatch(text):
        return Candidate(APPENDIX, strong)
    match = _NAMED.match(text)
    if not match or not (text[0].isupper() or text[0] == "§"):
        return None
    rest = match["rest"].strip()
    title = rest.lstrip(".:)–—- ")
    rank = _RANKS[match["name"].lower()]
    if not title:
        return Candidate(rank, strong, bare=rank != APPENDIX)
    if text.endswith(_NEVER_ENDS):
        return None
    if strong:
        return Candidate(rank, strong) if not title[0].islower() else None
    parted = rest[0] in ".:" or (rest[0] in "–—-" and match["rest"][0].isspace())
    return Candidate(rank, strong) if parted and title[0].isupper() and not text.endswith(".") else None


def _numbered(text: str, clause: str) -> Candidate | None:
    rest = text[text.index(clause) + len(clause) :].lstrip(".) ")
    if not rest or rest[0].islower() or text.endswith("."):
        return None
    return Candidate(_ROMAN if clause[0] in "IVXLC" else _NUMBERED + clause.count("."), strong=True)


def _may_head(block: Block, text: str, body: Body, classed: bool) -> bool:
    if len(text) > UNNAMED_LENGTH or text.endswith(".") or not any(map(str.isalpha, text)):
        return False
    apart = text.isupper() or body.is_large(block)
    return classed or body.is_bold(block) or (body.is_centred(block) and apart)


def raised_clause(text: str) -> str | None:
    """The number of an inserted article, «Статья 12¹», as it is cited: "Статья 12.1"; else ``None``."""
    number, found = _RAISED.subn(
        lambda match: "." + match[0].translate(_FIGURES), text[:_NUMBER_LENGTH], count=1
    )
    return find_clause(number, heading=True) if found and _NAMED.match(text.lstrip()) else None
