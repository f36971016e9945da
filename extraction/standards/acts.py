"""Laws, decrees and orders: kind, number, date and title, as cited or as printed at their head."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from extraction.standards.dates import DATE, to_iso
from extraction.standards.front import Front, FrontLine
from extraction.standards.letters import key
from extraction.standards.wording import unquoted
from rubrica.model import ElementKind

_HEAD_LINES = 60
_CITED_LINES = 6
_TITLE_LINES = 14
_LONGEST_TITLE = 700

_NUMBER = (
    r"(?:№|N[o°]?\.?)\s?"
    r"(?P<number>-?(?:[А-ЯA-Z]{1,4}[/-])?\d{1,6}(?:\s?[/-]\s?[А-Яа-яA-Za-z\d]{1,6}){0,4})(?!\d)"
)
_DATED = rf"(?:от\s+)?(?P<date>{DATE})(?:\s?(?:г(?:ода)?\b\.?)){{0,2}}"
_CITED = re.compile(
    r"[\"«<]?(?P<kind>Федеральный конституционный закон|Федеральный закон|Закон РФ|Закон|Указ|Постановление"
    r"|Распоряжение|Приказ|Решение|Письмо|Кодекс\s[^\"»]{3,120}|[А-ЯЁ][А-Яа-яё-]+(?:\s[а-яё-]+)?\sкодекс\s[^\"»]{3,80})[>\"»]?"
    rf"(?P<issuer>[^№\"«]{{0,160}}?)\s+{_DATED}\s*{_NUMBER}",
)
_QUOTED = re.compile(r"[\"«<](?P<title>[^\n]{5,700}?)[\"»>]\s*(?:\(|$)")
_KINDS = {
    "ФЕДЕРАЛЬНЫЙКОНСТИТУЦИОННЫЙЗАКОН": "Федеральный конституционный закон",
    "ФЕДЕРАЛЬНЫЙЗАКОН": "Федеральный закон",
    "ЗАКОН": "Закон",
    "ЗАКОНРОССИЙСКОЙФЕДЕРАЦИИ": "Закон РФ",
    "УКАЗ": "Указ",
    "УКАЗПРЕЗИДЕНТАРОССИЙСКОЙФЕДЕРАЦИИ": "Указ Президента РФ",
    "ПОСТАНОВЛЕНИЕ": "Постановление",
    "ПОСТАНОВЛЕНИЕПРАВИТЕЛЬСТВАРОССИЙСКОЙФЕДЕРАЦИИ": "Постановление Правительства РФ",
    "РАСПОРЯЖЕНИЕ": "Распоряжение",
    "РАСПОРЯЖЕНИЕПРАВИТЕЛЬСТВАРОССИЙСКОЙФЕДЕРАЦИИ": "Распоряжение Правительства РФ",
    "ПРИКАЗ": "Приказ",
    "РЕШЕНИЕ": "Решение",
    "ПИСЬМО": "Письмо",
}
_LAW_NUMBER = re.compile(r"\d+-ФК?З")
_HEAD = re.compile(rf"{_DATED}[^№\d]{{0,60}}?\s?{_NUMBER}")
_ISSUER = re.compile(
    r"МИНИСТЕРСТВО|ПРАВИТЕЛЬСТВО|ПРЕЗИДЕНТ|СЛУЖБА|АГЕНТСТВО|АДМИНИСТРАЦИЯ|ГУБЕРНАТОР|КОМИТЕТ|СОВЕТДЕП|ДУМА|ДЕПАРТАМЕНТ"
    r"|ГОСУДАРСТВЕННЫЙСАНИТАРНЫЙВРАЧ|СОБРАНИЕ|УПРАВЛЕНИЕ|ГЛАВА"
)
_OPENS_TITLE = re.compile(r"[«\"<]?(?:О|Об|ОБ|Обо)\s")
_PLACE = re.compile(r"(?i:г|гор|пгт|пос|дер|[спд])\.\s?[А-ЯЁ]|г\s[А-ЯЁ]|(?i:москва|санкт-петербург)$")
_TITLE_STOPS = re.compile(
    r"\((?:в\s?ред|с\s?изм)|СПИСОКИЗМЕНЯЮЩИХ|ПРИНЯТ(?:ГОС|$)|ОДОБРЕН|ВСООТВЕТСТВИИ|НАОСНОВАНИИ|ВЦЕЛЯХ|ВОИСПОЛНЕНИЕ"
    r"|НАСТОЯЩ|РУКОВОДСТВУЯСЬ|СТАТЬЯ\d|ГЛАВА[\dIVX]|РАЗДЕЛ[\dIVX]|ЗАРЕГИСТРИРОВАН|ДОКУМЕНТПРЕДОСТАВЛЕН|ПОСТАНОВЛЯ|ПРИКАЗЫВАЮ"
    r"|ВЦЕЛЯХ|РАССМОТРЕВ|ВСВЯЗИ|ДЕПАРТАМЕНТ[А-Я]+РАССМОТРЕЛ|УВАЖАЕМ|ПРАВИТЕЛЬСТВОРОССИЙСКОЙФЕДЕРАЦИИПОСТ"
)
_PREAMBLE = re.compile(
    r"ВСООТВЕТСТВИИ|НАОСНОВАНИИ|ПОСТАНОВЛЯ|ПРИКАЗЫВАЮ|ВЦЕЛЯХ|СТАТЬЯ1|ГЛАВА1|РАЗДЕЛI|ОБЩИЕПОЛОЖЕНИЯ"
)


@dataclass(frozen=True, slots=True)
class Act:
    """A law, decree, order or the like.

    Attributes:
        kind: «Федеральный закон», «Постановление Правительства РФ», «Приказ» …
        number: «261-ФЗ», «87», «44/пр».
        issued: Its date, ISO 8601.
        issuer: Who issued it, as printed; empty where that is not told or part of the kind.
        title: Its title; may be empty.
    """

    kind: str
    number: str
    issued: str
    issuer: str = ""
    title: str = ""

    @property
    def text(self) -> str:
        """Kind, date and number as acts are cited: «Приказ от 28.01.2019 № 44/пр»."""
        year, month, day = self.issued.split("-")
        return f"{self.kind} от {day}.{month}.{year} № {self.number}"


def find_act(front: Front) -> Act | None:
    """The act that the document is: from a citation that opens it, else from its printed head."""
    cited, headed = _cited(front), _headed(front)
    if cited is not None and headed is not None and not cited.title and headed.number == cited.number:
        return replace(cited, title=headed.title)
    return cited or headed


def _cited(front: Front) -> Act | None:
    for text in _openings(front):
        match = _CITED.match(text)
        issued = to_iso(match["date"]) if match else None
        if match is None or issued is None:
            continue
        number = _number(match["number"])
        kind, issuer = _kind(match["kind"], number, match["issuer"].strip(" <>"))
        quoted = _QUOTED.search(text[match.end() :])
        name = match["kind"] if "кодекс" in match["kind"].casefold() else ""
        return Act(kind, number, issued, issuer, (quoted["title"] if quoted else name).strip())
    return None


def _openings(front: Front) -> Iterator[str]:
    """The stated title, and the first elements with their lines joined."""
    if front.stated:
        yield front.stated
    lines = front.lines[: _CITED_LINES * 2]
    starts = [i for i, line in enumerate(lines) if line.first][:_CITED_LINES]
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(lines)
        yield " ".join(line.text for line in lines[start:end])


def _number(text: str) -> str:
    return re.sub(r"\s?([/-])\s?", r"\1", text).lstrip("-")


def _kind(kind: str, number: str, issuer: str) -> tuple[str, str]:
    """The kind with its issuer, where that is one of the two that belong to it."""
    if "кодекс" in kind.casefold() or (_LAW_NUMBER.fullmatch(number) and kind.endswith("закон")):
        return ("Федеральный конституционный закон" if number.endswith("ФКЗ") else "Федеральный закон"), ""
    squeezed = key(issuer)
    for beginning, owner in (("ПРАВИТЕЛЬСТВ", "Правительства РФ"), ("ПРЕЗИДЕНТ", "Президента РФ")):
        if squeezed.startswith(beginning) and squeezed.endswith(("РФ", "РОССИЙСКОЙФЕДЕРАЦИИ")):
            return f"{kind} {owner}", ""
    return kind, issuer


def _headed(front: Front) -> Act | None:
    """An act by its head: issuer, kind, date and number (those of a law stand above), title."""
    lines = front.lines[:_HEAD_LINES]
    end = next((i for i, line in enumerate(lines) if _PREAMBLE.match(line.key)), len(lines))
    for i, line in enumerate(lines[:end]):
        kind = _KINDS.get(line.key)
        if kind is None:
            continue
        found = _date_and_number(lines, i)
        if found is None:
            continue
        number, issued, after = found
        kind, issuer = (kind, "") if " РФ" in kind else _kind(kind, number, _issuer(lines[:i]))
        return Act(kind, number, issued, issuer, _title(lines, max(after, i + 1)))
    return None


def _date_and_number(lines: Sequence[FrontLine], i: int) -> tuple[str, str, int] | None:
    """Number, date and the index of the line after them, below the kind or above it."""
    for start, stop in ((i + 1, i + 4), (max(0, i - 4), i)):
        for first in range(start, min(stop, len(lines))):
            for last in range(first + 1, min(first + 3, len(lines)) + 1):
                match = _HEAD.match(" ".join(line.text for line in lines[first:last]))
                issued = to_iso(match["date"]) if match else None
                if match and issued:
                    return _number(match["number"]), issued, last
    return None


def _issuer(lines: Sequence[FrontLine]) -> str:
    start = next((i for i in range(len(lines) - 1, -1, -1) if _ISSUER.search(lines[i].key)), None)
    if start is None:
        return ""
    return " ".join(line.text for line in lines[start:] if line.kind is not ElementKind.TABLE)[:200]


def _title(lines: Sequence[FrontLine], start: int) -> str:
    title: list[str] = []
    for line, following in zip(lines[start : start + _TITLE_LINES], lines[start + 1 :], strict=False):
        if (
            line.kind is ElementKind.TABLE
            or _TITLE_STOPS.match(line.key)
            or re.match(r"[(_]|\d{1,2}[.)]\s", line.text)
        ):
            break
        if title and line.kind is not lines[start].kind and not line.text.isupper():
            break
        if not title and _is_place(line.text, following.text):
            continue
        title.append(line.printed)
    return unquoted(" ".join(title).strip())[:_LONGEST_TITLE]


def _is_place(text: str, following: str) -> bool:
    """Whether a line under the number only says where the act was issued: «г. Москва»."""
    if len(text) > 40 or _OPENS_TITLE.match(f"{text} "):
        return False
    return bool(_PLACE.match(text) or (" " not in text and _OPENS_TITLE.match(following)))
