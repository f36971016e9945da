"""Tells from its words what a line opens with, and how it ends."""

from __future__ import annotations

import re

from extraction.clauses import find_clause, find_misprinted, find_name, names_part

_BULLET = re.compile(r"[-–—•·▪◦○●■➢✓*]\s+(?=\S)")
_NUMBERED_ITEM = re.compile(r"(?:[а-яёa-z]|\d{1,2})\)\s*(?=\S)", re.IGNORECASE)
_COUNTED_ITEM = re.compile(r"(?:\d{1,2}|[a-zа-яё](?=\.\s+[A-ZА-ЯЁ]))\.\s+(?=[^\W\d_])")
_DOTTED_NUMBER = re.compile(r"(?:[А-ЯA-Z]\.)?\d{1,3}(?:\.\d{1,3}){1,5}\.?\s+(?=[^\W_])")
_PLAIN_NUMBER = re.compile(r"\d{1,2}\s+(?=[А-ЯЁA-Z])")
_CAPTION_LABEL = (
    r"(?:Рис(?:унок|\.)|Р\s?и\s?с\s?у\s?н\s?о\s?к|Таблица|Табл\.|Т\s?а\s?б\s?л\s?и\s?ц\s?а|Черт[её]ж|Черт\.|Схема|График"
    r"|Диаграмма|Листинг|Figure|Fig\.|Table|Tableau|Tabelle|Abbildung|Abb\.|Exhibit|Chart|Listing)"
    r"\s*[N№]?\s*(?:[А-ЯA-Z]\.?)?\d++(?:[.-]\d++)*+"
)
_CAPTION = re.compile(
    rf"{_CAPTION_LABEL}(?=\s*$|\s*[.:–—]|\s*-\s|\s+(?-i:[А-ЯЁA-Z])|\s+[(«\"])", re.IGNORECASE
)
_CAPTION_ALONE = re.compile(rf"{_CAPTION_LABEL}[.:–—-]?", re.IGNORECASE)
_CONTINUED = re.compile(
    r"(?:Продолжение|Окончание)\s+(?:табл|прил)|(?:Table|Табл).{0,20}\((?:continued|продолжение|окончание)",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:[.·…_]\s?){4,}\s*[\dIVXivx]{1,4}\s*$")
_REFERENCE = re.compile(
    r"(?:ГОСТ|СП|СНиП|СанПиН|ОСТ|ТУ|РД|ВСН|ISO|EN|IEC)\b(?: (?:Р|ISO|IEC|МЭК|ИСО)\b)*\s*\d"
)
_RULE = re.compile(r"[-–—_=*\s]{8,}")
_STATES_MORE = re.compile(
    r"(?:\b(?:п|пп|пунктах?|пункт[аеу]|табл|таблиц\w*|рис|рисунк\w*|разд|раздел\w*|подраздел\w*|гл|ст|прил"
    r"|приложени\w*|ГОСТ|СП|СНиП|формул\w*|no|sections?|clauses?|tables?|figures?|и|или|по|к|с|от|до|№)\.?"
    r"|[,(№–—-])$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?:И|ИЛИ|А ТАКЖЕ|В|НА|С|К|О|ОБ|ПО|ДЛЯ|ПРИ|ОТ|ИЗ|ДО|БЕЗ|НЕ|AND|OR|OF|FOR|IN|TO|ON|WITH|BY)\s+[^\W\d_]{2}"
)
_CODE_SIGN = re.compile(r"[_=]")
_SENTENCE_END = re.compile(r"[.!?:;…][»\")\]]*$")
_STARRED = re.compile(r"(?:\*{1,4}|<\d{1,3}>)\s*(?=[^\W_«\"])")
_FOOTNOTE = re.compile(r"(?:\*{1,4}|<\d{1,3}>|\d{1,2}[.)]?|[¹²³⁴⁵⁶⁷⁸⁹†‡])\s*(?=[^\W\d_«\"])")


def is_contents_entry(text: str) -> bool:
    """Whether a line of a table of contents: leaders and a page number at its end."""
    return _LEADERS.search(text) is not None


def is_list_item(text: str) -> bool:
    """Whether a text opens with a bullet, «а)», «1)» or «1.»."""
    return any(pattern.match(text) for pattern in (_BULLET, _NUMBERED_ITEM, _COUNTED_ITEM))


def is_caption(text: str) -> bool:
    """Whether a text opens like the caption of a table or figure."""
    return _CAPTION.match(text) is not None


def is_caption_label(text: str) -> bool:
    """Whether a text is the label of a caption only, whose title stands on the next line: «Таблица 1»."""
    return _CAPTION_ALONE.fullmatch(text.strip()) is not None


def is_continuation(text: str) -> bool:
    """Whether a line only says that the table above goes on: «Продолжение таблицы 3»."""
    return len(text) <= 60 and _CONTINUED.match(text) is not None


def opens_clause(text: str) -> bool:
    """Whether a text opens with a clause's number or a named part: «5.2.1 …», «Приложение А»."""
    name = find_name(text)
    if name:
        return names_part(name)
    if _DOTTED_NUMBER.match(text) or _PLAIN_NUMBER.match(text):
        return find_clause(text, heading=True) is not None
    return any(len(opening.number) > 1 for opening in find_misprinted(text))


def ends_hyphenated(text: str) -> bool:
    """Whether a line ends inside a word."""
    return text[-1:] in "-\N{SOFT HYPHEN}\N{HYPHEN}" and text[-2:-1].isalpha()


def is_reference(text: str) -> bool:
    """Whether a text opens with the designation of a standard: «ГОСТ 2.307-68»."""
    return _REFERENCE.match(text) is not None


def is_rule(text: str) -> bool:
    """Whether a line is drawn with dashes or underscores and says nothing."""
    return _RULE.fullmatch(text) is not None


def states_more(text: str) -> bool:
    """Whether a line ends with what a number must follow: «п.», «табл.», «ГОСТ», a comma."""
    return _STATES_MORE.search(text) is not None


def continues_capitals(above: str, text: str) -> bool:
    """Whether a line in capitals goes on with the one above: «РАСЧЁТ ПОГРЕШНОСТИ МЕТОДОВ», «И СРЕДСТВ»."""
    if not (above.isupper() and text.isupper() and _GOES_ON.match(text)) or ends_sentence(above):
        return False
    if _CODE_SIGN.search(above + text):
        return False
    return find_clause(above, heading=True) != above  # «ПРИЛОЖЕНИЕ А» stands alone


def ends_sentence(text: str) -> bool:
    """Whether a line ends with the end of a sentence."""
    return _SENTENCE_END.search(text) is not None


def opens_footnote(text: str) -> bool:
    """Whether a text opens with a mark of a footnote; a mere number is one in small type only."""
    return _FOOTNOTE.match(text) is not None


def is_starred(text: str) -> bool:
    """Whether a text opens with a mark that only footnotes have: «*», «<1>»."""
    return _STARRED.match(text) is not None
