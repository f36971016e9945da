"""Designations of standards: «ГОСТ Р 1.5—2012», «СНиП II-94-80», «ТР ТС 004/2011», "ISO/IEC 27001:2022"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extraction.standards.letters import dashed, loose

# Longer ones first: «ГОСТ Р» before «ГОСТ», «СНиП» before «СН».
_KINDS = (
    *(
        "ГОСТ РВ",
        "ГОСТ Р",
        "ГОСТ",
        "ПНСТ",
        "ОСТ",
        "СТО",
        "СТБ",
        "РСТ",
        "ТКП",
        "СНиП",
        "СанПиН",
        "СН РК",
        "СП РК",
    ),
    *("СП", "СН", "ГН", "МУК", "МУ", "МР", "РДС", "РД", "РТМ", "ВСН", "ВСП", "ВНТП", "ВППБ", "ОНТП", "НТП"),
    *("НПБ", "ППБ", "ПБ", "ТСН", "МГСН", "МДС", "МДК", "МСН", "ОДМ", "ОДН", "РСН", "РМГ", "ПМГ", "МИ", "ПР"),
    *("ИТС", "СО", "СА", "ТУ", "ТР ТС", "ТР ЕАЭС"),
)
_ADOPTED = (
    r"(?:(?:ИСО|МЭК|ЕН|СИСПР|ISO|IEC|EN|CISPR|IEEE)(?:\s?/\s?(?:МЭК|ТО|ТУ|ТС|IEC|TR|TS|IEEE))*\s+){0,2}"
)
_YEAR = r"(?:(?:18|19|20)\d{2}|\d{2})"
_GROUP = r"(?:\d{1,8}|[А-ЯA-Z]{1,5}\d{0,2})"
_ROMAN = r"(?:[IVX]{1,4}|П|Ш|l{1,3})"
_NUMBER = rf"(?:\d{{1,8}}|{_ROMAN}(?=-))(?:[./-]{_GROUP}){{0,7}}[./-]{_YEAR}(?![\d./-]*\d)"
_OWNER = r"(?:[А-ЯЁ][А-Яа-яё]{1,11}\s+)?"

_FAMILIES = (
    (
        ("ГОСТ РВ", "ГОСТ Р", "ГОСТ"),
        rf"\s{{0,3}}(?P<n0>{_ADOPTED}\d{{1,8}}(?:[./-]\d{{1,5}}){{0,5}}-{_YEAR}(?![\d./-]*\d))",
    ),
    (("ТР ТС", "ТР ЕАЭС"), r"\s{0,3}(?P<n1>\d{3}\s?/\s?20\d{2})(?!\d)"),
    (("СТО", "РД"), rf"[\s-]{{1,3}}(?P<n2>{_OWNER}{_NUMBER})"),
)


@dataclass(frozen=True, slots=True)
class Designation:
    """The name of a standard.

    Attributes:
        kind: "ГОСТ Р", "СНиП", "ISO/IEC" …
        number: "1.5-2012", "ИСО 9001-2015", "27001:2022": hyphens, no spaces, no asterisk.
        start: Where it begins in the text it was found in.
        end: Where it ends there.
    """

    kind: str
    number: str
    start: int = 0
    end: int = 0

    @property
    def text(self) -> str:
        """Kind and number."""
        return f"{self.kind} {self.number}"


def _pattern() -> re.Pattern[str]:
    special = {kind for kinds, _ in _FAMILIES for kind in kinds}
    parts = [
        rf"(?:(?P<k{i}>{'|'.join(loose(kind) for kind in kinds)}){tail})"
        for i, (kinds, tail) in enumerate(_FAMILIES)
    ]
    others = "|".join(loose(kind) for kind in _KINDS if kind not in special)
    last = len(_FAMILIES)
    parts.append(rf"(?:(?P<k{last}>{others})[\s-]{{0,3}}(?P<n{last}>{_NUMBER}))")
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(parts)})\*{{0,2}}")


_RUSSIAN = _pattern()
_CANONICAL = {re.sub(r"\s", "", kind).upper(): kind for kind in _KINDS}
_WESTERN = re.compile(
    r"(?<![\w/-])(?:"
    r"(?P<k0>(?:(?:BS|DIN|NF)\s)?(?:EN\s)?ISO(?:/IEC|/IEEE){0,2}(?:[/ ](?:TR|TS|PAS|DIS|FDIS))?"
    r"|IEC(?:/TR|/TS)?|(?:(?:BS|DIN|NF)\s)?EN)\s?(?P<n0>\d{2,6}(?:-\d{1,4}){0,3}(?::\d{4})?)(?:\(E\))?"
    r"|(?P<k1>ASTM|Designation:)\s(?P<n1>[A-G]\d{1,4}(?:/[A-G]\d{1,4}M)?M?(?:\s?-\s?\d{2}(?:\d{2})?[a-z]?)?)"
    r"|(?P<k2>IEEE(?:\sStd)?)\s(?P<n2>\d{1,5}(?:\.\d{1,3}){0,2}[a-z]{0,2}(?:-\d{4})?)"
    r"|(?P<k3>RFC|(?:Request\sfor\sComments|REQUEST\sFOR\sCOMMENTS)(?=:))(?::\s{0,3}|[\s-])?(?P<n3>\d{3,5})"
    r"|(?P<k4>NIST\sSP)\s(?P<n4>\d{3,4}-\d{1,3}[A-Z]?)"
    r")(?![\w.]*\w)"
)
_LOOKALIKE_ROMAN = {"П": "II", "Ш": "III", "l": "I", "ll": "II", "lll": "III"}
_WESTERN_NAMES = {"designation:": "ASTM", "ieee std": "IEEE", "request for comments": "RFC"}
_JOINED = re.compile(r"\s*([-/])\s*(?=\d)|(?<=\d)\s*(-)\s*")
_FEW = 4


def normalised(text: str) -> str:
    """Text in which the numbers of designations can be found: one kind of dash, no spaces inside numbers."""
    text = dashed(text)
    head, space, tail = _kind_apart(text)
    tokens = tail.split()
    short = sum(len(token) <= 2 for token in tokens)
    if len(tokens) >= _FEW and short >= 0.7 * len(tokens) and not re.search(r"[а-яa-z]", tail):
        tail = "".join(tokens)
    return _JOINED.sub(lambda match: match.group(1) or match.group(2), head + space + tail)


_KIND = re.compile(rf"(?:{'|'.join(loose(kind) for kind in _KINDS)})(?=[\s-])")


def _kind_apart(text: str) -> tuple[str, str, str]:
    kind = _KIND.match(text)
    if kind is None:
        return text, "", ""
    return text[: kind.end()], " ", text[kind.end() :].strip()


def find_designations(text: str) -> list[Designation]:
    """Every designation in a text; offsets count in ``normalised(text)``."""
    text = normalised(text)
    found = [_russian(match) for match in _RUSSIAN.finditer(text)]
    taken = [(each.start, each.end) for each in found]
    western = [_western(match) for match in _WESTERN.finditer(text)]
    found += [each for each in western if not any(start <= each.start < end for start, end in taken)]
    return sorted(found, key=lambda each: each.start)


def _russian(match: re.Match[str]) -> Designation:
    family = next(i for i in range(len(_FAMILIES) + 1) if match[f"k{i}"])
    kind = _CANONICAL[_cyrillic(match[f"k{family}"])]
    number = re.sub(r"\s*([/.-])\s*", r"\1", match[f"n{family}"])
    if kind == "СНиП":
        number = _roman_part(number)
    return Designation(kind, " ".join(number.split()), match.start(), match.end())


def _cyrillic(kind: str) -> str:
    table = str.maketrans("ABCEHKMOPTXYИ", "АВСЕНКМОРТХУИ")
    return re.sub(r"\s", "", kind).upper().translate(table)


def _roman_part(number: str) -> str:
    """The part of the building code in Roman digits: «П-3-79» and «111-2-75» are II-3-79 and III-2-75."""
    part, dash, rest = number.partition("-")
    if set(part) == {"1"} and len(part) == 3:
        return f"III{dash}{rest}"
    return f"{_LOOKALIKE_ROMAN.get(part, part)}{dash}{rest}"


def _western(match: re.Match[str]) -> Designation:
    family = next(i for i in range(5) if match[f"k{i}"])
    kind = " ".join(match[f"k{family}"].split())
    number = re.sub(r"\s", "", match[f"n{family}"])
    return Designation(_WESTERN_NAMES.get(kind.casefold(), kind), number, match.start(), match.end())
