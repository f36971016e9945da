"""Tells from the words of a paragraph what it opens: a part, an item, a caption, a line of contents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from extraction.clauses import find_clause


class Part(Enum):
    """Kinds of headings, by how they are named."""

    APPENDIX = auto()
    NAMED = auto()
    ROMAN = auto()
    DECIMAL = auto()
    KEYWORD = auto()
    PLAIN = auto()


@dataclass(frozen=True, slots=True)
class Opening:
    """What a paragraph opens.

    Attributes:
        part: The kind of heading that it may be.
        rank: Order among headings of all kinds: the smaller, the higher up.
        firm: Whether its form alone is enough, without any emphasis.
        title: What stands behind the number.
    """

    part: Part
    rank: int
    firm: bool
    title: str


APPENDIX_RANK = 0
ACT_RANK = 5
PLAIN_RANK = 55
_NAMED_RANKS = (
    (re.compile(r"часть|part", re.IGNORECASE), 10),
    (re.compile(r"раздел|section", re.IGNORECASE), 20),
    (re.compile(r"подраздел|subsection", re.IGNORECASE), 30),
    (re.compile(r"глава|chapter", re.IGNORECASE), 40),
    (re.compile(r"параграф|§", re.IGNORECASE), 50),
    (re.compile(r"статья|article", re.IGNORECASE), 60),
)
_ROMAN_RANK = 45
DECIMAL_RANK = 70
_ORDINAL = r"(?i:(?:перв|втор|трет|четв[её]рт|пят|шест|седьм|восьм|девят|десят)(?:ая|ый|ой|ья|ий))\b"
_NUMBER = rf"(?:[N№]\s*)?(?:\d+(?:[.-]\d+)*|[IVXLC]+(?:\(\d+\))?|[А-ЯA-Z](?:\.\d+)*|{_ORDINAL})(?!\w)"
_NAMED = re.compile(
    r"(?P<name>(?=[А-ЯЁA-Z§])(?i:часть|подраздел|раздел|глава|параграф|статья|part|subsection|section|chapter"
    rf"|article)|§)\s*{_NUMBER}(?P<dot>\s*[.:)])?\s*(?P<title>.*)",
    re.DOTALL,
)
_APPENDIX = re.compile(
    rf"(?=[А-ЯЁA-Z])(?i:приложение|appendix|annex)\b\s*(?:{_NUMBER})?(?P<dot>\s*[.:)])?\s*(?P<title>.*)",
    re.DOTALL,
)
_ROMAN = re.compile(
    r"[IVXLC]{1,7}(?:\(\d{1,2}\))?(?:\.\d+)*(?P<dot>[.)]?)\s+(?P<title>(?=[^\W\d_]|[\"«]).*)", re.DOTALL
)
_KEYWORD = re.compile(
    r"(?:введение|предисловие|содержание|оглавление|заключение|библиография|литература|аннотация|реферат"
    r"|(?:список|перечень) (?:использ\w+ )?(?:литературы|источников|сокращений)|термины и определения"
    r"|нормативные ссылки|общие положения|заключительные положения"
    r"|introduction|foreword|preface|abstract|(?:table of )?contents|references|bibliography|conclusions?"
    r"|acknowledge?ments)",
    re.IGNORECASE,
)
_END_MATTER = re.compile(
    r"(?:библиография|заключение|литература|(?:список|перечень) (?:использ\w+ )?(?:литературы|источников)"
    r"|references|bibliography|conclusions?)\.?",
    re.IGNORECASE,
)
_IMPRINT = re.compile(
    r"(?:РАЗРАБОТАН|ПОДГОТОВЛЕН|ИСПОЛНИТЕЛ|ВНЕС[ЕЁ]Н|ПРИНЯТ|УТВЕРЖД[ЕЁ]Н|ВВЕД[ЕЁ]Н|ВЗАМЕН|ИЗДАНИЕ|СОГЛАСОВАН"
    r"|ЗАРЕГИСТРИРОВАН)"
)
_CAPTION = re.compile(
    r"(?:Рисунок|Рис\.|Таблица|Табл\.|Схема|Figure|Fig\.|Table)\s*[N№]?\s*(?:[А-ЯA-Z]\.?)?\d++(?:[.-]\d++)*+"
    r"(?=\s*$|\s*[.:–—-]|\s+(?-i:[А-ЯЁA-Z])|\s+[(«\"])",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:[.·…_]\s?){4,}\s*[\dIVXivx]{1,4}\s*$")
_PAGE_BEHIND_TAB = re.compile(r"(?P<entry>[^\t]+)\t+\s*\d{1,4}\s*$")
_NUMBER_AHEAD = re.compile(r"\d+(?:\.\d+)*[.)]?\s")
_ITEM = re.compile(r"(?:(?P<digit>\d{1,3})|[а-яёa-z])\)\s+(?=\S)")
_APPROVAL = re.compile(
    r"(?:утвержд[её]н[аоы]?|утвержда(?:ю|ем)|согласован[аоы]?|принят[аоы]?|введ[её]н[аоы]? в действие)\W*"
    r"|зарегистрирован[аоы]? в минюсте.*",
    re.IGNORECASE,
)
_NO_HEADLINE = re.compile(
    r"[(\[*<]|зарегистрирован|примечани|note\b|.*_{3,}|(?:г|город)\.?\s+[А-ЯЁ]"
    r"|(?:от\s+)?(?:\d{1,2}|[«\"]\s*_*\d*_*\s*[»\"])\s*[._ ]*(?:\d{2}\.|[а-яё]+\s)\s*\d{2,4}",
    re.IGNORECASE | re.DOTALL,
)
_ADDRESS = re.compile(
    r"документ предоставлен|@|https?:|www\.|(?<!\d)\d{6}(?!\d)|\bтел\.|\bфакс\b|М\.\s?П\.|\bИНН\b"
    r"|\bОК(?:ТМО|ПО|АТО)\b",
    re.IGNORECASE,
)
_FORMULA_NUMBER = re.compile(r"[,.;:]?\(?(?:[А-ЯA-Z]\.)?\d*(?:\.\d+)*\)?[,.;:]?")
_SENTENCE_INSIDE = re.compile(r"[.!?]\s+[А-ЯЁA-Z]")
_LETTER = re.compile(r"[^\W\d_]")
_LONGEST = 300
_LONGEST_SENTENCE = 120
_LONGEST_HEADLINE = 250


def opening_of(text: str) -> Opening | None:
    """What heading a paragraph would be by its words, its look aside; ``None`` where it cannot be one."""
    text = " ".join(text.split())
    if not text or len(text) > _LONGEST or text.endswith((";", ",", ":")):
        return None
    return _appendix(text) or _named(text) or _keyword(text) or _roman(text) or _decimal(text)


def is_headline(text: str) -> bool:
    """Whether a line without number could be a heading: words, not a date, a remark or a sentence."""
    text = " ".join(text.split())
    letters = len(_LETTER.findall(text))
    return (
        letters >= 3
        and letters >= 0.6 * len(text.replace(" ", ""))
        and len(text) <= _LONGEST_HEADLINE
        and not text.endswith((".", ";", ",", ":", "!", "?"))
        and not _NO_HEADLINE.match(text)
        and not _NUMBER_AHEAD.match(text)  # a number that makes no heading makes no title, too
        and not is_address(text)
        and not _SENTENCE_INSIDE.search(text)
        and not is_caption(text)
    )


def is_caption(text: str) -> bool:
    """Whether a text opens like the caption of a table or figure."""
    return len(text) <= _LONGEST and _CAPTION.match(text) is not None


def is_bare_caption(text: str) -> bool:
    """Whether a text is nothing but the number of a table or figure."""
    match = _CAPTION.match(text.strip())
    return match is not None and match.end() == len(text.strip())


def is_beside_formula(text: str) -> bool:
    """Whether a text beside a formula is nothing but its number and punctuation: «, (5.1)»."""
    return len(text) <= _LONGEST and _FORMULA_NUMBER.fullmatch("".join(text.split())) is not None


def is_address(text: str) -> bool:
    """Whether a line holds what letterheads hold: telephone, e-mail, postal code."""
    return _ADDRESS.search(text) is not None


def is_contents_line(text: str) -> bool:
    """Whether a line of a table of contents, by its leaders or the tab before its page number."""
    if len(text) > 2 * _LONGEST or "\n" in text.strip():
        return False
    tabbed = _PAGE_BEHIND_TAB.match(text)
    return _LEADERS.search(text) is not None or (
        tabbed is not None and opening_of(tabbed["entry"]) is not None
    )


def item_rank(text: str) -> int | None:
    """1 for an item such as «1)», 2 for «а)»; ``None`` where the text opens no item."""
    match = _ITEM.match(text)
    return None if match is None else 1 if match["digit"] else 2


def is_approval(text: str) -> bool:
    """Whether a line only says that what follows is approved: «Утверждены»."""
    return _APPROVAL.fullmatch(text.strip()) is not None


def is_end_matter(text: str) -> bool:
    """Whether a heading closes the whole document, appendices included: «Библиография»."""
    return _END_MATTER.fullmatch(text.strip()) is not None


def is_caps(text: str) -> bool:
    """Whether a text is set in capitals."""
    return text.isupper() and len(_LETTER.findall(text)) >= 4


def _appendix(text: str) -> Opening | None:
    match = _APPENDIX.match(text)
    if not match:
        return None
    title = match["title"]
    # «Приложение 1 к Правилам» is one; «Приложение к договору подписывают…» is a sentence.
    firm = not title or bool(match["dot"]) or title.startswith(("к ", "(", "to "))
    if text.endswith(".") and (len(text) > _LONGEST_SENTENCE or title[:1].islower()):
        return None
    return Opening(Part.APPENDIX, APPENDIX_RANK, firm, title) if firm or _starts(title) else None


def _named(text: str) -> Opening | None:
    match = _NAMED.match(text)
    if not match:
        return None
    title = match["title"]
    if title and not _starts(title):
        return None
    rank = next(rank for pattern, rank in _NAMED_RANKS if pattern.fullmatch(match["name"]))
    sentence = text.endswith(".") and len(text) > _LONGEST_SENTENCE
    return Opening(Part.NAMED, rank, (bool(match["dot"]) or not title) and not sentence, title)


def _keyword(text: str) -> Opening | None:
    found = _KEYWORD.fullmatch(text.rstrip("."))
    return Opening(Part.KEYWORD, DECIMAL_RANK, firm=False, title=text) if found else None


def _roman(text: str) -> Opening | None:
    match = _ROMAN.match(text)
    if not match or not _starts(match["title"]):
        return None
    return Opening(Part.ROMAN, _ROMAN_RANK, firm=False, title=match["title"])


def _decimal(text: str) -> Opening | None:
    clause = find_clause(text, heading=True)
    if clause is None or not clause[-1].isdigit() or not text.startswith(clause):
        return None
    title = text[len(clause) :].lstrip(".) ")
    sentence = text.endswith(".") and (len(text) > _LONGEST_SENTENCE or _SENTENCE_INSIDE.search(title))
    if sentence or not _starts(title) or _IMPRINT.match(title):
        return None
    return Opening(Part.DECIMAL, DECIMAL_RANK + clause.count("."), firm=False, title=title)


def _starts(title: str) -> bool:
    return title[:1].isupper() or title[:1] in '"«“('
