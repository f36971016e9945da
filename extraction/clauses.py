"""Numbers that norms put in front of their clauses: how they are printed, one text at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A part of a number: its digits, then those that an amendment has put behind it: «2», «2(1)», «2(1-1)».
Part = tuple[int, int, int]
Number = tuple[Part, ...]

# Letters stand behind all digits: the appendices follow the sections.
LETTER_BASE = 1000
_WORDS = (
    "Приложение", "Статья", "Глава", "Раздел", "Подраздел", "Часть", "Параграф",
    "Section", "Article", "Appendix", "Annex", "Chapter", "Clause", "Part", "Schedule",
)  # fmt: skip
_NAMED = re.compile(
    rf"(?P<word>(?=[А-ЯЁA-Z])(?i:{'|'.join(_WORDS)}))"
    # What amendments insert is numbered «Статья 123.20-1», «Раздел XV(1)» or «Приложение N 1(1)».
    r"\s+(?P<label>(?:[N№]\s*\d+|[IVXLC]+\b|[А-ЯЁA-Z](?!\w)|\d+)(?:\(\d{1,2}\))?(?:\.\d+)*(?:-\d{1,2})?)(?!\w)"
)
# Text layers of scans, and typists, space a heading's letters out: «П Р И Л О Ж Е Н И Е  А».
_SPACED_NAME = re.compile(
    r"(?P<word>П\s?Р\s?И\s?Л\s?О\s?Ж\s?Е\s?Н\s?И\s?Е|Р\s?А\s?З\s?Д\s?Е\s?Л|Г\s?Л\s?А\s?В\s?А|С\s?Т\s?А\s?Т\s?Ь\s?Я)"
    r"(?P<label>\s*[N№]?\s?\d{1,2}|\s+[А-ЯЁA-Z](?!\s?\w))\b",
    re.IGNORECASE,
)
_PARAGRAPH_SIGN = re.compile(r"(?P<clause>§\s*\d{1,3})(?!\.?\d)[.)]?(?:\s+(?=\S)|$)")
# Single letters «C.», «D.» count letters, not hundreds.
_ROMAN = re.compile(r"(?P<clause>(?![LC]\.)[IVXLC]{1,7}(?:\(\d{1,2}\))?)\.\s+(?=\S)")
_PART = r"\d{1,3}(?:\(\d{1,2}(?:-\d{1,2})?\))?(?:-\d{1,2}(?=\.\s))?"
_NUMBERED = re.compile(
    rf"(?:§\s*)?(?P<clause>\d{{4}}(?=\.\s)|(?:[А-ЯA-Z]\.)?{_PART}(?:\.{_PART}){{0,6}})(?P<mark>\.?)(?:\s+(?=\S)|$)"
)
_PARTS = re.compile(r"(\d+)(?:\((\d+)(?:-(\d+))?\))?(?:-(\d+))?")
# A clause number has no leading zeros and no part of four digits; a date has one or the other.
_DATE = re.compile(
    r"\d{1,2}\.(?:0\d\.\d{2,4}|\d{1,2}\.(?:\d{4}|0\d))\b|0\d\.\d{1,2}\.\d{2}\b|\d{2}\.\d{2}\.\d{2}\s*г\."
)
_UNIT_AHEAD = re.compile(
    r"(?:мм|см|дм|км|кг|кПа|МПа|Па|кН|кВт|м|т|г|ч|с|шт|руб|тыс|млн|млрд|%|°|mm|cm|km|kg|kPa|MPa|m|s|h)"
    r"(?:[\s,.;:)²³]|$)"
)
# Digits as text layers of scans misread them.
_MISREAD = str.maketrans("ЗзОоOoбlI|", "3300006111")
_MISREAD_NUMBER = re.compile(
    r"(?P<number>[\dЗООOбlI](?:\s?\d)?(?:\s?[.,-]\s?[\dЗзОоOoбlI|]{1,2}(?:(?<=\d)\s?\d(?!\d))?){1,6})"
    r"(?P<last>[АA]?)\s?(?P<mark>[.,]?)\s+(?=[А-ЯЁA-Z])"
)
_MISREAD_LETTERED = re.compile(r"(?P<letter>[А-ЯA-Z])\s?[.,]\s?(?P<number>[ЗО])(?P<mark>\.?)\s+(?=[А-ЯЁA-Z])")
_NO_SPACE = re.compile(
    r"(?P<clause>\d{1,2}(?:\.\d{1,2}){1,6}|\d{1,2}(?=\.))(?P<mark>\.?)"
    r"(?=[А-ЯЁ](?:[а-яё]{2}|\s[а-яё]))"
)
_NAME_ENDS = re.compile(r"\s*$|[.:)]?\s*$|[.:]\s|\s*[–—-]\s|\s*[(«\"]|\s+(?:[А-ЯЁA-Z\d]|к\s|to\s|of\s)|\s*\n")
# What follows a name where a sentence refers to a part of another document.
_ELSEWHERE = re.compile(
    r"\(\s*(?:п|пп|ч|подп|абз|пункт\w*|част\w+)\b|(?:Федеральн|Гражданск|Трудов|Уголовн|Жилищн|Градостроительн|Налогов)\w+\s"
    r"|(?:Закон|Кодекс|Конституци|Правил)\w*\s|(?:ГК|ТК|УК|НК|ЖК|ГрК|КоАП|ГОСТ|СП|СНиП)\s"
)
_LATIN_TWINS = str.maketrans("ABCEHKMOPTX", "АВСЕНКМОРТХ")


@dataclass(frozen=True, slots=True)
class Opening:
    """A number or name that a text opens with.

    Attributes:
        clause: The number as it is cited: "5.2.1", "А.3", "Приложение А".
        number: The same, to count with; empty for names and Roman numerals.
        rest: What follows it.
        dotted: Whether a dot ends it, as in «5. Общие положения».
        exact: Whether it is printed so, or only read so through a misprint.
        named: Whether it names a part: «Приложение А», «Статья 15».
    """

    clause: str
    number: Number
    rest: str
    dotted: bool = False
    exact: bool = True
    named: bool = False

    @property
    def lettered(self) -> bool:
        """Whether the number belongs to an appendix: «А.3»."""
        return bool(self.number) and self.number[0][0] > LETTER_BASE


def find_clause(text: str, *, heading: bool = False) -> str | None:
    """The number that a paragraph or heading opens with, as far as its own text tells.

    Args:
        text: Text of the element.
        heading: Whether the element is a heading; there a bare number ("5 Общие положения") counts.

    Returns:
        "5.2.1", "А.3", "Приложение А", "Статья 15", "Section 4.3" …, or ``None``. Dates, quantities
        and plain numbers at the start of a sentence are not clauses.
    """
    text = text.lstrip()
    named = find_name(text)
    if named:
        return named.clause
    roman = _ROMAN.match(text) if heading else None
    if roman:
        return roman["clause"]
    opening = find_number(text)
    if opening is None or not opening.rest:
        return None
    return opening.clause if heading or len(opening.number) > 1 else None


def find_name(text: str) -> Opening | None:
    """The named part that a text opens: «Приложение А», «Статья 15», «§ 3»."""
    sign = _PARAGRAPH_SIGN.match(text)
    if sign:
        return Opening(" ".join(sign["clause"].split()), (), text[sign.end() :].strip(), named=True)
    match = _NAMED.match(text)
    if match:
        word, label = match["word"], " ".join(match["label"].split())
    else:
        match = _SPACED_NAME.match(text)
        if not match:
            return None
        word, label = "".join(match["word"].split()), " ".join(match["label"].split())
    if "А" <= word[0].upper() <= "Я" and len(label) == 1:
        label = label.translate(_LATIN_TWINS)
    return Opening(f"{word} {label}", (), text[match.end() :].strip(), named=True)


def find_roman(text: str) -> Opening | None:
    """The Roman numeral that a text opens with: «IV. Права заказчика»."""
    match = _ROMAN.match(text)
    return Opening(match["clause"], (), text[match.end() :].strip(), dotted=True) if match else None


def find_number(text: str) -> Opening | None:
    """The number that a text opens with, as it is printed; dates and quantities are none."""
    match = None if _DATE.match(text) else _NUMBERED.match(text)
    if match is None or _UNIT_AHEAD.match(text, match.end()):
        return None
    number = _number(match["clause"])
    if number is None:
        return None
    return Opening(match["clause"], number, text[match.end() :].strip(), dotted=bool(match["mark"]))


def find_misprinted(text: str) -> Iterator[Opening]:
    """What a number may have been before a scan or a typist spoilt it: «1 .2.», «З.1», «1-3.», «4.1.12В»."""
    if _DATE.match(text):
        return
    match = _NO_SPACE.match(text)
    if match:
        number = _number(match["clause"])
        if number:
            rest = text[match.end() :]
            yield Opening(match["clause"], number, rest, dotted=bool(match["mark"]), exact=False)
        return
    lettered = _MISREAD_LETTERED.match(text)
    if lettered:  # «Б.З» stands for Б.3
        clause = f"{lettered['letter']}.{lettered['number'].translate(_MISREAD)}"
        number = _number(clause)
        if number:
            yield Opening(clause, number, text[lettered.end() :], dotted=bool(lettered["mark"]), exact=False)
    match = _MISREAD_NUMBER.match(text)
    if match is None:
        return
    clause = re.sub("[,-]", ".", "".join(match["number"].split()).translate(_MISREAD))
    clause += ".4" if match["last"] else ""  # «6.2.4А» stands for 6.2.4.4
    number = _number(clause)
    if number and clause != text[: len(clause)]:
        yield Opening(clause, number, text[match.end() :], dotted=bool(match["mark"]), exact=False)


def names_part(opening: Opening) -> bool:
    """Whether a name heads its part, rather than stands in a sentence («Глава 2 устанавливает …»)."""
    if _ELSEWHERE.match(opening.rest):
        return False
    return _NAME_ENDS.match(f" {opening.rest}" if opening.rest[:1].isalnum() else opening.rest) is not None


def _number(clause: str) -> Number | None:
    """The parts of a number; ``None`` where one of them could not be counted so («0.5», «5.07»)."""
    parts: list[Part] = []
    for piece in clause.split("."):
        if not piece[:1].isdigit():
            parts.append((LETTER_BASE + ord(piece.translate(_LATIN_TWINS)), 0, 0))
            continue
        match = _PARTS.fullmatch(piece)
        if match is None or (piece[0] == "0" and (len(piece) > 1 or not parts)):
            return None
        main, inserted, again, behind = (int(group or 0) for group in match.groups())
        parts.append((main, inserted or behind, again))
    return tuple(parts)
