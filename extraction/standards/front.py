"""The lines of a document's first pages, and where among them its text begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from extraction.result import Extracted
from extraction.standards.letters import dashed, despaced, key
from rubrica.model import ElementKind

_MOST_LINES = 400
_MOST_PAGES = 8
_MOST_CHARS = 40_000
_LONGEST_LINE = 1000
_COVER_LINES = 160

# Where the text proper begins. A line of a table of contents says the same, but ends with a page.
_BODY = re.compile(
    r"(?:\d\s*\.?\s*)?(?:Область применения|Нормативные ссылки|Назначение и область применения|Scope"
    r"|Normative references|Introduction)\.?|1\s*\.?\s*Общие положения\.?"
    r"|(?:Статья|Глава|Раздел|Article|Chapter)\s+[1IN]\b.*"
    r"|(?:\d(?:\.\d)?\s*\.?\s+)?Настоящ\w+\s(?:стандарт|свод|норм|правила|документ|регламент|технический)\w*"
    r"(?:\sправил)?\s(?:устан|распростр|содерж|опред|предназн|обязат|должн|соблюд).*",
    re.IGNORECASE | re.DOTALL,
)
_ENDS_COVER = re.compile(
    r"(?:предисловие|сведения\s+о|содержание|оглавление|введение|информационные данные|foreword|contents"
    r"|table of contents|abstract)\b.{0,20}",
    re.IGNORECASE,
)
# The kind of a standard in capitals, which extraction may have joined with the title below it.
_KIND = re.compile(
    r"(?<!\S)(СВОД\s*ПРАВИЛ|(?:ВЕДОМСТВЕННЫЕ\s|ТЕРРИТОРИАЛЬНЫЕ\s)?СТРОИТЕЛЬНЫЕ\sНОРМЫ(?:\sИ\sПРАВИЛА)?"
    r"|(?:МЕЖГОСУДАРСТВЕННЫЙ|НАЦИОНАЛЬНЫЙ|ГОСУДАРСТВЕННЫЙ|ПРЕДВАРИТЕЛЬНЫЙ НАЦИОНАЛЬНЫЙ)\sСТАНДАРТ"
    r"(?:\sРОССИЙСКОЙ\sФЕДЕРАЦИИ|\sСОЮЗА\sССР)?|НОРМЫ\sПОЖАРНОЙ\sБЕЗОПАСНОСТИ|РУКОВОДЯЩИЙ\sДОКУМЕНТ)(?!\S)"
)
_PAGE_AT_END = re.compile(r"(?:\.{2,}|…|\s)\s*(?:\d{1,4}|[IVX]{1,5})$")


@dataclass(frozen=True, slots=True)
class FrontLine:
    """A line of the first pages.

    Attributes:
        text: The line, words set with spaces between their letters put together, dashes as hyphens.
        printed: The same with its dashes as they are printed.
        page: Its page, from 1; ``None`` where the format has none.
        kind: Kind of the element that it stands in.
        first: Whether it is the first line of its element.
    """

    text: str
    printed: str
    page: int | None
    kind: ElementKind
    first: bool

    @property
    def key(self) -> str:
        """See ``letters.key``."""
        return key(self.text)


class Front:
    """The first pages of a document.

    Attributes:
        lines: Their lines, blank ones and contents of code left out.
        running: What stands on the edges of pages and is not part of the text, in order of pages.
        stated: The title that the file states; may be empty.
    """

    def __init__(self, lines: Sequence[FrontLine], *, running: Sequence[str] = (), stated: str = "") -> None:
        self.lines = tuple(lines)
        self.running = tuple(running)
        self.stated = dashed(stated)

    @classmethod
    def of(cls, extracted: Extracted) -> Front:
        """The first pages of what an extractor hands back."""
        running = [despaced(dashed(line)) for line in extracted.running]
        return cls(tuple(_lines(extracted)), running=running, stated=extracted.title)

    @cached_property
    def body(self) -> int:
        """Index of the line where the text proper begins; all lines where that is not found."""
        return next((i for i, line in enumerate(self.lines) if _opens_body(line)), len(self.lines))

    @cached_property
    def cover(self) -> int:
        """Index of the line after the title page (or pages), before a preface or table of contents."""
        lines = self.lines[: min(self.body, _COVER_LINES)]
        return next((i for i, line in enumerate(lines) if i and _ENDS_COVER.fullmatch(line.text)), len(lines))

    @cached_property
    def preface(self) -> str:
        """Everything in front of the text proper, in one line."""
        return " ".join(line.text for line in self.lines[: self.body])


def _lines(extracted: Extracted) -> Iterator[FrontLine]:
    count = 0
    last_page = (extracted.elements[0].page_from or 1) + _MOST_PAGES if extracted.elements else 0
    for element in extracted.elements:
        if element.start > _MOST_CHARS or (element.page_from or 0) >= last_page:
            return
        if element.kind is ElementKind.CODE:
            continue
        for number, printed in enumerate(_texts(despaced(extracted.text[element.start : element.end]))):
            yield FrontLine(dashed(printed), printed, element.page_from, element.kind, number == 0)
            count += 1
            if count >= _MOST_LINES:
                return


def _texts(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        folded = " ".join(line.replace(" | ", " ").split())[:_LONGEST_LINE]
        yield from (part.strip() for part in _KIND.split(folded) if part.strip())


def _opens_body(line: FrontLine) -> bool:
    return bool(_BODY.fullmatch(line.text)) and not _PAGE_AT_END.search(line.text)
