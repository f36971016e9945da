"""Numbers as a spreadsheet shows them: the part of its number formats that changes what is read.

Percent signs, fixed decimals, leading zeros, units, dates. Separators of thousands are left out and the
decimal sign is a point, so that a number is found whatever the settings of the computer that shows it.
The language of formats: ISO/IEC 29500-1:2016, 18.8.30 and 18.8.31.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from openpyxl.styles.numbers import is_date_format
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

GENERAL = "General"
# These follow the settings of the computer that shows them; ISO 8601 is read the same everywhere.
_LOCAL_DATES = {
    "mm-dd-yy": "yyyy-mm-dd",
    "m/d/yy": "yyyy-mm-dd",
    "m/d/yyyy": "yyyy-mm-dd",
    "m/d/yy h:mm": "yyyy-mm-dd hh:mm",
}
_SECTIONS = re.compile(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[])*(?:;|$)')
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]|(?P<bracket>\[[^\]]*\])'
    r"|_(?P<space>.)|\*(?P<fill>.)|(?P<date>AM/PM|A/P|y+|m+|d+|h+|s+(?:\.0+)?)|(?P<digits>[0#?][0#?,]*)"
    r"|(?P<exponent>E[+-]0+)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_ELAPSED = re.compile(r"\[([hms])\1*\]", re.IGNORECASE)
_RUSSIAN = re.compile(r"\[\$-(?:F[0-9A-F]{2,5})?0?419\]|\[\$-FC19\]|\[\$-ru[^\]]*\]", re.IGNORECASE)
_MONTHS = {
    True: ("января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября",
           "ноября", "декабря"),
    False: ("January", "February", "March", "April", "May", "June", "July", "August", "September",
            "October", "November", "December"),
}  # fmt: skip
_DAYS = {
    True: ("понедельник", "вторник", "среда", "четверг", "пятница", "суббота", "воскресенье"),
    False: ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
_FIRST_DAY = date(1900, 1, 1)
_MAX_DECIMALS = 15
_LARGEST = 1e15  # beyond it a float has no digits left to format


def shown(value: float, code: str, *, since_1904: bool = False) -> str:
    """A number as its cell shows it.

    Args:
        value: As it is stored.
        code: Number format of the cell.
        since_1904: Whether the workbook counts days from 1904, as on old Macs.
    """
    if code in ("", GENERAL, "@") or abs(value) >= _LARGEST:
        return general(value)
    if is_date(code):
        return _dated(value, code, CALENDAR_MAC_1904 if since_1904 else CALENDAR_WINDOWS_1900)
    return _number(value, code)


def general(value: float) -> str:
    """A number without a format."""
    return f"{value:.15g}"


@lru_cache(maxsize=4096)
def is_date(code: str) -> bool:
    """Whether a format shows dates or times."""
    return bool(is_date_format(code) or _ELAPSED.search(code))


def _dated(value: float, code: str, epoch: datetime) -> str:
    """A count of days since an epoch as a date or time; as a number, where it is none."""
    if value < 0:
        return general(value)
    try:
        moment = from_excel(value, epoch, timedelta=bool(_ELAPSED.search(code)))
    except (ValueError, OverflowError):
        return general(value)
    if isinstance(moment, timedelta):
        minutes, second = divmod(round(moment.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{second:02}"
    if isinstance(moment, time):  # of the first day
        moment = datetime.combine(max(epoch.date(), _FIRST_DAY), moment)
    if not isinstance(moment, datetime):
        return general(value)
    return _spelled(moment, _LOCAL_DATES.get(code.lower(), code)).strip()


def _spelled(moment: datetime, code: str) -> str:
    russian = bool(_RUSSIAN.search(code))
    parts: list[str] = []
    tokens = list(_TOKEN.finditer(code.split(";", maxsplit=1)[0]))
    twelve = any((token["date"] or "").upper() in ("AM/PM", "A/P") for token in tokens)
    for index, token in enumerate(tokens):
        name = (token["date"] or "").lower()
        if not name:
            parts.append(_literal(token))
        elif name[0] == "m" and _is_minute(tokens, index):
            parts.append(f"{moment.minute:0{min(len(name), 2)}}")
        elif name[0] == "a":
            parts.append("AM" if moment.hour < 12 else "PM")
        else:
            parts.append(_date_part(moment, name, russian=russian, twelve=twelve))
    return "".join(parts)


def _date_part(moment: datetime, name: str, *, russian: bool, twelve: bool) -> str:
    letter, width = name[0], min(len(name), 2)
    if letter == "y":
        return f"{moment.year:04}" if len(name) > 2 else f"{moment.year % 100:02}"
    if letter == "h":
        return f"{(moment.hour + 11) % 12 + 1 if twelve else moment.hour:0{width}}"
    if letter == "s":
        return f"{moment.second:0{2 if name.startswith('ss') else 1}}"
    if letter == "m":
        word, number = _MONTHS[russian][moment.month - 1], moment.month
    else:
        word, number = _DAYS[russian][moment.weekday()], moment.day
    if len(name) < 3:
        return f"{number:0{width}}"
    return word[:3] if len(name) == 3 else word


def _is_minute(tokens: list[re.Match[str]], index: int) -> bool:
    """Whether an "m" stands for minutes: after hours or before seconds."""
    before = next((token["date"] for token in reversed(tokens[:index]) if token["date"]), "")
    after = next((token["date"] for token in tokens[index + 1 :] if token["date"]), "")
    return before[:1].lower() == "h" or after[:1].lower() == "s"


def _literal(token: re.Match[str]) -> str:
    if token["space"]:
        return " "
    if token["fill"] or token["bracket"]:
        return ""
    return next((token[name] for name in ("quoted", "escaped", "currency", "other") if token[name]), "")


def _number(value: float, code: str) -> str:
    sections = [match[0].rstrip(";") for match in _SECTIONS.finditer(code) if match[0]]
    section = sections[0] if sections else ""
    if any("[" in part and re.search(r"\[[<>=]", part) for part in sections):
        return general(value)  # a condition chooses the section
    if value < 0 and len(sections) > 1:
        section, value = sections[1], -value
    elif value == 0 and len(sections) > 2:
        section = sections[2]
    tokens = list(_TOKEN.finditer(section))
    if any(
        token["date"] or (token["other"] == "/") or (token["other"] or "").lower() == "g" for token in tokens
    ):
        return general(value)
    return _filled(value, tokens)


def _filled(value: float, tokens: list[re.Match[str]]) -> str:
    """Put a number's digits in the places of a format, its other signs around them."""
    places = [index for index, token in enumerate(tokens) if token["digits"]]
    if not places:  # a section of text only; nothing is shown for «;;;»
        return "".join(map(_literal, tokens)).strip()
    if sum(token["digits"] is not None for token in tokens) > 2:
        return general(value)  # a mask, such as one for telephone numbers
    first = places[0]
    point = next((i for i, token in enumerate(tokens) if token["other"] == "." and i > first - 2), None)
    whole = tokens[first]["digits"] if point is None or first < point else ""
    parts = tokens[places[-1]]["digits"] if point is not None and places[-1] > point else ""
    number = Decimal(repr(value)) * (100 ** sum(token["other"] == "%" for token in tokens))
    ending = parts or whole
    number = number.scaleb(-3 * (len(ending) - len(ending.rstrip(","))))  # each one divides by a thousand
    parts = parts.rstrip(",")
    exponent = next((token["exponent"] for token in tokens if token["exponent"]), None)
    digits = f"{number:.{len(parts)}E}" if exponent else _digits(number, whole, parts)
    last = max(places[-1], point if point is not None and not parts else 0)
    before = "".join(map(_literal, tokens[: first if point is None else min(first, point)]))
    after = "".join(_literal(token) for token in tokens[last + 1 :])
    return f"{before}{digits}{after}".strip()


def _digits(number: Decimal, whole: str, parts: str) -> str:
    decimals = min(len(parts), _MAX_DECIMALS)
    text = f"{number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    head, _, tail = text.partition(".")
    optional = len(parts) - len(parts.rstrip("#?"))
    while optional and tail.endswith("0"):
        tail, optional = tail[:-1], optional - 1
    head = head.zfill(whole.count("0"))
    text = f"{head}.{tail}" if tail else head
    return text if not sign or not text.strip("0.") else f"{sign}{text}"
