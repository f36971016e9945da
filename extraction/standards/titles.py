"""The title that a standard bears on its title page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extraction.standards.designations import Designation, find_designations, normalised
from extraction.standards.front import Front, FrontLine
from extraction.standards.letters import is_latin, is_upper, key
from extraction.standards.own import alone, leading
from extraction.standards.wording import clearest, join_title
from rubrica.model import ElementKind

_MOST_LINES = 9
_LONGEST = 400
_LONGEST_LINE = 250
_LEAST = 5
_WINDOW = 10

# Lines that name the kind of the standard; the title stands below them.
_KIND_LINE = re.compile(
    r"(?:МЕЖГОСУДАРСТВЕННЫЙ|НАЦИОНАЛЬНЫЙ|ГОСУДАРСТВЕННЫЙ|ОТРАСЛЕВОЙ|ПРЕДВАРИТЕЛЬНЫЙ)?СТАНДАРТ(?:[А-Я]{0,8}СОЮЗАССР"
    r"|РОССИЙСКОЙФЕДЕРАЦИИ|ОРГАНИЗАЦИИ|ПРЕДПРИЯТИЯ|ОТРАСЛИ)?|(?:ВЕДОМСТВЕННЫЙ)?СВОДПРАВИЛ(?:ПОПРОЕКТИРОВАНИЮИСТРОИТЕЛЬСТВУ)?"
    r"|(?:ГОСУДАРСТВЕННЫЕ)?(?:СТРОИТЕЛЬНЫЕ|САНИТАРНЫЕ|САНИТАРНОЭПИДЕМИОЛОГИЧЕСКИЕ)НОРМЫИПРАВИЛА|(?:ГОСУДАРСТВЕННЫЕ)?"
    r"САНИТАРНО?ЭПИДЕМИОЛОГИЧЕСКИЕПРАВИЛА(?:ИНОРМ\w{1,7})?|(?:ВЕДОМСТВЕННЫЕ|ТЕРРИТОРИАЛЬНЫЕ|МОСКОВСКИЕГОРОДСКИЕ)"
    r"СТРОИТЕЛЬНЫЕНОРМЫ|РУКОВОДЯЩИЙДОКУМЕНТ|НОРМЫПОЖАРНОЙБЕЗОПАСНОСТИ|ТЕХНИЧЕСКИЙРЕГЛАМЕНТТАМОЖЕННОГОСОЮЗА"
    r"|МЕТОДИЧЕСКИЕУКАЗАНИЯ|ГИГИЕНИЧЕСКИЕНОРМАТИВЫ"
)
# What stands between the kind and the title: the rest of the kind, pieces of the designation, codes.
_SKIPPED = re.compile(
    r".?|(?:РОССИЙСКОЙ|ФЕДЕРАЦИИ|СОЮЗАССР|МЕЖГОСУДАРСТВЕННЫЙ|НАЦИОНАЛЬНЫЙ|ГОСУДАРСТВЕННЫЙ|СТАНДАРТ|ГОСТР?|РОССИЯ|\d){1,40}"
    r"|СП|СНИП|САНПИН|МОРФ|УДК[\dА-Я]*|ГРУППА\w{2,4}|(?:ОКС|МКС|ОКСТУ|ОКП)\w*"
)
_STOPS = re.compile(
    r"ИЗДАНИЕ|ПЕРЕИЗДАНИЕ|АКТУАЛИЗИРОВАНН|ОКС\d|МКС\d|МКС|ОКП\d|ОКСТУ|УДК|ISВN|ББК|ДАТАВВЕДЕНИЯ|СРОКВВЕДЕНИЯ|СРОКДЕЙСТВИЯ"
    r"|ВЗАМЕН|ВВЕДЕН|ПРЕДИСЛОВИЕ|СОДЕРЖАНИЕ|ОГЛАВЛЕНИЕ|РАЗРАБОТАН|УТВЕРЖДЕН|ПРИНЯТ|ВНЕСЕН|НАСТОЯЩ|СВЕДЕНИЯО|ДОКУМЕНТ(?:ПР|СОХР|ВКЛ|ОПУБ)"
    r"|МОСКВА(?:\d|$)|МИНСК(?:\d|$)|САНКТПЕТЕРБУРГ|СТАНДАРТИНФОРМ|ИПКИЗДАТЕЛЬСТВО|ГОССТРОЙ|ГОССТАНДАРТ|МИНСТРОЙ|МИНЗДРАВ"
    r"|МИНИСТЕРСТВО|ФЕДЕРАЛЬН(?:ОЕ|АЯ|ЫЙ)|ОБЛАСТЬПРИМЕНЕНИЯ|ИНФОРМАЦИОННЫЕДАННЫЕ|ВВЕДЕНИЕ|СПРАВКА|ВНИМАНИЕ|ТЕКСТ|ИС[А-Я]ТЕХ"
    r"|[А-Я]{4,14}ОЕИЗДАНИЕ|НЕСОБЛЮДЕНИЕ|СТРАНИЦА|ГРУППА[А-Я]\d|УВАЖАЕМ|СИЗМЕНЕНИ|ИЗМЕНЕНИ[ЕЯ]|ПОПРАВК|КОНСУЛЬТАНТ|ИСТОЧНИК"
)
_TRAILER = re.compile(
    r"\s+(?:Дата введения|Срок введения|Издание официальное|Актуализированная редакция|Введ[её]н)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_OPENS_PART = re.compile(
    r"\d{1,2}(?:\.\d{1,2})*\.?\s+[А-ЯЁA-Z]|[IVX]{1,5}\.\s|reference number|©|copyright|ics\s\d|foreword"
    r"|contents|abstract|this standard",
    re.IGNORECASE,
)
_EDITION = re.compile(r"(?:\w+\s)?edition\b.*|\d{4}-\d{2}(?:-\d{2})?", re.IGNORECASE)
_KIND_AHEAD = re.compile(r"(?:свод\s+правил|строительные\s+нормы\s+и\s+правила)\.?\s+", re.IGNORECASE)


def printed_title(front: Front, own: Designation) -> str:
    """The title on the title page, its lines joined; empty where none is found.

    Parts that differ in their capitals are joined with a full stop, as in «БЕТОНЫ. Методы испытаний».
    """
    candidates = [*_below_kind(front), *_beside(front, own), *_above(front), *_above_date(front)]
    # A translation stands below many a title.
    cyrillic = not is_latin(own.kind)
    fitting = [each for each in candidates if len(key(each)) >= _LEAST and not (cyrillic and is_latin(each))]
    best = next(iter(fitting), "")
    return clearest(best, [*candidates, *_again(front, best)])


def _below_kind(front: Front) -> Iterator[str]:
    """Titles below the lines that name the kind, then below the designation."""
    lines = front.lines[: front.cover]
    anchors = [i for i, line in enumerate(lines) if _KIND_LINE.fullmatch(line.key)]
    anchors += [i for i, line in enumerate(lines) if alone(line.text) is not None]
    for i in anchors:
        title = join_title(_collect(lines, i + 1, lines[i].page))
        if title:
            yield title


def _above(front: Front) -> Iterator[str]:
    """Titles above the designation, as sanitary rules have them."""
    lines = front.lines[: front.cover]
    for i in (i for i, line in enumerate(lines) if alone(line.text) is not None):
        title: list[str] = []
        for line in reversed(lines[max(0, i - _MOST_LINES) : i]):
            if not title and _names_itself(line):
                continue
            if (
                _ends(line, lines[i].page, ["", *title])
                or line.text[0].isdigit()
                or _changes_case(line, title)
            ):
                break
            title.insert(0, line.printed)
        if title and title[0][0].isupper():
            yield join_title(title)


def _above_date(front: Front) -> Iterator[str]:
    """The title above the date of introduction, where the text of a standard begins."""
    lines = front.lines
    date = next((i for i, line in enumerate(lines) if line.key.startswith("ДАТАВВЕДЕНИЯ")), None)
    if date is None:
        return
    start = date
    while start and lines[start - 1].page == lines[date].page and date - start < _MOST_LINES + _WINDOW:
        if len(lines[start - 1].key) <= 1 or _names_itself(lines[start - 1]):
            break
        start -= 1
    yield _KIND_AHEAD.sub("", join_title(_collect(lines, start, lines[date].page)))


def _changes_case(line: FrontLine, title: Sequence[str]) -> bool:
    return bool(title) and is_upper(line.text) and not is_upper(title[0])


def _collect(lines: Sequence[FrontLine], start: int, page: int | None) -> list[str]:
    """The lines from ``start`` on, on one page, that make up a title."""
    title: list[str] = []
    for i in range(start, min(len(lines), start + _MOST_LINES + _WINDOW)):
        line = lines[i]
        if not title and (
            _SKIPPED.fullmatch(line.key) or _EDITION.fullmatch(line.text) or _names_itself(line)
        ):
            continue
        if title and len(line.key) <= 1:
            continue
        if _ends(line, page, title):
            break
        printed = line.printed if title else _behind_designation(line)
        title.append(_TRAILER.sub("", printed))
        if len(title) >= _MOST_LINES or title[-1] != printed:
            break
    return title


def _behind_designation(line: FrontLine) -> str:
    """A line without the designation that it begins with."""
    found = leading(line.text)
    return normalised(line.text)[found.end :].lstrip(" .,") if found else line.printed


def _names_itself(line: FrontLine) -> bool:
    return bool(_KIND_LINE.fullmatch(line.key)) or alone(line.text) is not None or _is_piece(line.text)


def _is_piece(text: str) -> bool:
    """Whether a line holds but a part of a designation: «10060-»."""
    return bool(re.fullmatch(r"[\d\s.*-]+|ГОСТ\s?Р?\s[\d\s.]+-|.{1,6}-", text))


def _ends(line: FrontLine, page: int | None, title: Sequence[str]) -> bool:
    text = line.text
    return (
        line.page != page
        or line.kind is ElementKind.TABLE
        or len(text) > _LONGEST_LINE
        or sum(map(len, title)) + len(text) > _LONGEST
        or text[0] in "(_-<["
        or bool(_STOPS.match(line.key) or _OPENS_PART.match(text))
        or (is_latin(text) and bool(title) and not is_latin(title[-1]))
        or _names_itself(line)
        or line.key in {"ГОСТ", "ГОСТР"}
        or (text.endswith((".", ";", ":")) and len(text) > 120)
        or (not title and not (text[0].isupper() or text[0] in '«"'))
    )


def _beside(front: Front, own: Designation) -> Iterator[str]:
    """Titles that follow the designation in its line: «СП 131.13330.2020 Строительная климатология»."""
    texts = [front.stated, *(line.text for line in front.lines[: front.body])]
    for text in texts:
        found = leading(text)
        if found is None or found.text != own.text:
            continue
        rest = normalised(text)[found.end :]
        others = find_designations(rest)
        title = _tail(rest[: others[0].start] if others else rest)
        if len(key(title)) >= _LEAST and title[0].isupper():
            yield title


def _tail(text: str) -> str:
    text = re.split(r"\s-\s+М\.|\(|\s*[\"»”]\s*(?:$|\()", text)[0].strip(' .,;:"«»“”-')
    text = re.sub(r"\.?\s*(?i:актуализированная\s+редакция)\W*$", "", text)
    names = re.match(
        r"(?i:(?:межгосударственный|национальный|государственный)\s+стандарт(?:\s+российской\s+федерации)?)\.\s*",
        text,
    )
    return (text[names.end() :] if names else text).strip()


def _again(front: Front, title: str) -> Iterator[str]:
    """The same title where it stands once more, as above the text of a standard."""
    wanted = key(title)
    if len(wanted) < _LEAST:
        return
    texts = [_KIND_AHEAD.sub("", line.printed) for line in front.lines]
    for i, text in enumerate(texts):
        if key(text) and wanted.startswith(key(text)):
            yield from _run(texts[i : i + _MOST_LINES], wanted)


def _run(texts: Sequence[str], wanted: str) -> Iterator[str]:
    """The first of the lines that make up a title, joined."""
    for count in range(1, len(texts) + 1):
        found = "".join(map(key, texts[:count]))
        if found == wanted:
            yield join_title(texts[:count])
        if len(found) >= len(wanted):
            return
