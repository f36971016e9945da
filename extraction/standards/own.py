"""Finds which of the designations on the first pages is the document's own."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from extraction.standards.designations import Designation, find_designations, normalised
from extraction.standards.front import Front, FrontLine
from extraction.standards.letters import key

# Evidence is added up; one line that bears nothing but the designation is enough.
_ALONE = 8
_FIRST = 2
_STATED = 10
_LEADING = 6
_RUNNING = 3
_RUNNING_MOST = 12
_ENOUGH = 6
_LEADING_LINES = 12
_MOST_RUNNING = 60
_LONGEST_KIND = 120
_SPREAD = 3  # lines over which a title page may spread one designation

# What a designation of another standard is introduced with.
_FOREIGN = re.compile(
    r"(?:ВЗАМЕН|ВЗАМЕНА|РЕДАКЦИЯ|РЕДАКЦИИ|ПЕРЕСМОТР|ОСНОВАНИИ|СООТВЕТСТВИИС|СОГЛАСНО|УЧЕТОМ|ПОВЕРКА|ТРЕБОВАНИЯМ"
    r"|СООТВЕТСТВУЕТ|ЧАСТИЧНО|ПО|К|С|И|В|ИЗ|ССЫЛКАМИ|ОТМЕН\w*|ДЕЙСТВИЕ|ССЫЛКИ)"
)
_KIND_STEMS = (
    "МЕЖГОСУДАРСТВЕНН|НАЦИОНАЛЬН|ГОСУДАРСТВЕНН|ОТРАСЛЕВ|РЕСПУБЛИКАНСК|ПРЕДВАРИТЕЛЬН|РУКОВОДЯЩ|ВЕДОМСТВЕНН|ГИГИЕНИЧЕСК"
    "|ТЕРРИТОРИАЛЬН|САНИТАРН|ЭПИДЕМИОЛОГИЧЕСК|СТРОИТЕЛЬН|МОСКОВСК|НОРМ|ПРАВИЛ|СТАНДАРТ|СВОД|ДОКУМЕНТ|ТЕХНИЧЕСК|РЕГЛАМЕНТ"
    "|ОРГАНИЗАЦИ|РОССИЙСК|ФЕДЕРАЦИ|СОЮЗ|МЕТОДИЧЕСК|УКАЗАНИ|РЕКОМЕНДАЦИ|УСЛОВИ|ТАМОЖЕНН|ИЗДАНИ|ОФИЦИАЛЬН|С\\d"
)
_KIND_WORD = re.compile(rf"(?:(?:{_KIND_STEMS})[А-Я]{{0,6}}){{1,3}}|ССР|СССР|И|ПО|С|\d{{1,3}}|[IVX]{{1,4}}")
_KIND_PHRASE = re.compile(
    r"(?:(?:international|european|british|american|national|technical|indian|ieee|nist|special|publication|standard"
    r"|specification|report|designation|draft|std|for|the)[\s:]*){0,6}",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:С\d{0,4}|\d{1,4}|[IVХX]{1,5}|ИЗДАНИЕОФИЦИАЛЬНОЕ|ПРОЕКТ|МОРФ|Е|ГОССТРОЙ\w*|СССР|ГРУППА\w{2,4})?"
)

_SIGNS = re.compile(
    r"ДАТАВВЕДЕНИЯ|СРОКВВЕДЕНИЯ|СРОКДЕЙСТВИЯ|(?:МЕЖГОСУДАРСТВЕННЫЙ|НАЦИОНАЛЬНЫЙ|ГОСУДАРСТВЕННЫЙ|ОТРАСЛЕВОЙ)СТАНДАРТ"
    r"|СТАНДАРТОРГАНИЗАЦИИ|СВОДПРАВИЛ|НОРМЫИПРАВИЛА|ПРАВИЛАИНОРМ|ИЗДАНИЕОФИЦИАЛЬНОЕ|НАСТОЯЩ(?:ИЙ|ИЕ|АЯ)(?:СТАНДАРТ"
    r"|СВОД|НОРМЫ|ПРАВИЛА|САНИТАРНЫЕ|РУКОВОДЯЩИЙ|ТЕХНИЧЕСК|ДОКУМЕНТ)|СВЕДЕНИЯО(?:СТАНДАРТЕ|СВОДЕ)|РУКОВОДЯЩИЙДОКУМЕНТ"
    r"|(?:ВЕДОМСТВЕННЫЕ|ТЕРРИТОРИАЛЬНЫЕ)\w*НОРМЫ|САНИТАРН\w+ПРАВИЛА|ТЕХНИЧЕСКИЙРЕГЛАМЕНТ|НОРМЫПОЖАРНОЙБЕЗОПАСНОСТИ"
    r"|НОРМЫТЕХНОЛОГИЧЕСКОГО|ИНФОРМАЦИОННЫЕДАННЫЕ|ВЗАМЕН(?:ГОСТ|СНИП|СП|ВСН|РД|ОСТ)|МЕТОДИЧЕСКИЕ(?:УКАЗАНИЯ|РЕКОМЕНДАЦИИ)"
)
_NUMBERING = "0123456789"
_WESTERN_SIGNS = re.compile(
    r"INTERNATIONAL ?STANDARD|EUROPEAN STANDARD|BRITISH STANDARD|AMERICAN NATIONAL STANDARD"
    r"|TECHNICAL (?:REPORT|SPECIFICATION)|REQUEST FOR COMMENTS|NETWORK WORKING GROUP"
    r"|INTERNET ENGINEERING TASK FORCE|THIS STANDARD IS ISSUED|IEEE STANDARD"
    r"|STANDARD (?:SPECIFICATION|TEST METHOD|PRACTICE|GUIDE|TERMINOLOGY)"
    r"|THIS (?:INTERNATIONAL )?STANDARD|THIS DOCUMENT (?:SPECIFIES|WAS PREPARED BY TECHNICAL COMMITTEE)"
    r"|NIST SPECIAL PUBLICATION|NORMATIVE REFERENCES",
    re.IGNORECASE,
)


def own_designation(front: Front) -> Designation | None:
    """The designation that the document bears itself, if it bears one and looks like a standard.

    Several places speak for it: a line of the title page with nothing else in it, running headers, the
    stated title, the beginning of one of the first lines. What follows «взамен», «актуализированная
    редакция», «в соответствии с» and the like speaks for nothing, nor does a list of references.
    """
    votes: Counter[str] = Counter()
    sources: defaultdict[str, set[str]] = defaultdict(set)
    known: dict[str, Designation] = {}
    for source, found in (("cover", _on_cover), ("edges", _running), ("stated", _stated)):
        for weight, designation in found(front):
            votes[designation.text] += weight
            sources[designation.text].add(source)
            known.setdefault(designation.text, designation)
    if not votes:
        return None
    best, weight = votes.most_common(1)[0]
    if weight < _ENOUGH or not (len(sources[best]) > 1 or _looks_like_standard(front, known[best])):
        return None
    return known[best]


def _on_cover(front: Front) -> Iterator[tuple[int, Designation]]:
    lines = front.lines[: front.cover]
    first = True
    for i in range(len(lines)):
        if _is_foreign(lines, i):
            continue
        designation = alone(lines[i].text) or _spread(lines, i)
        if designation is not None:
            yield _ALONE + (_FIRST if first else 0), designation
            first = False
        elif i < _LEADING_LINES:
            opening = leading(lines[i].text)
            if opening is not None:
                yield _LEADING, opening


def _is_foreign(lines: Sequence[FrontLine], i: int) -> bool:
    if lines[i].text.startswith("("):
        return True
    before = re.split(r"\s+", lines[i - 1].text)[-2:] if i else []
    words = [key(word) for word in before]
    return any(_FOREIGN.fullmatch(word) for word in [*words[-1:], "".join(words)])


def alone(text: str) -> Designation | None:
    """The designation in a line that has nothing else but the name of its kind or a page number."""
    for found in find_designations(text)[:2]:
        line = normalised(text)
        if names_kind(line[: found.start]) and _AFTER.fullmatch(key(line[found.end :])):
            return found
    return None


def names_kind(text: str) -> bool:
    """Whether a text is empty or only names a kind of standard: «Строительные нормы и правила»."""
    if len(text) > _LONGEST_KIND:
        return False
    words = [key(word) for word in text.split()]
    return all(not word or _KIND_WORD.fullmatch(word) for word in words) or bool(_KIND_PHRASE.fullmatch(text))


def leading(text: str) -> Designation | None:
    """The designation that a line begins with, quotation marks aside."""
    found = next(iter(find_designations(text)), None)
    if found is None:
        return None
    return found if not key(normalised(text)[: found.start]) else None


def opens_with(text: str, own: Designation) -> bool:
    """Whether a line begins with a designation."""
    found = leading(text)
    return found is not None and found.text == own.text


def _spread(lines: Sequence[FrontLine], i: int) -> Designation | None:
    """A designation over the next lines: «ГОСТ», «10060—», «2012»."""
    for count in range(2, _SPREAD + 1):
        parts = [line.text for line in lines[i : i + count]]
        if len(parts) < count or max(map(len, parts)) > 40:
            return None
        found = alone(" ".join(parts))
        if found is not None:
            # All of the lines must be needed, else a shorter run has it.
            return found if leading(" ".join(parts[1:])) is None else None
    return None


def _running(front: Front) -> Iterator[tuple[int, Designation]]:
    """Designations at the edges of pages: those cut off, and short lines that come back in the text."""
    seen: Counter[str] = Counter()
    known: dict[str, Designation] = {}
    repeated = Counter(line.key for line in front.lines)
    texts = list(islice(front.running, _MOST_RUNNING))
    texts += [line.text for line in front.lines if len(line.text) < 40 and repeated[line.key] >= 2]
    for text in texts:
        designation = alone(text)
        if designation is not None:
            seen[designation.text] += 1
            known[designation.text] = designation
    for text, count in seen.items():
        if count >= 2:
            yield min(_RUNNING * count, _RUNNING_MOST), known[text]


def _stated(front: Front) -> Iterator[tuple[int, Designation]]:
    designation = leading(front.stated)
    if designation is not None:
        yield _STATED, designation


def _looks_like_standard(front: Front, designation: Designation) -> bool:
    if designation.text[0].isascii():
        return bool(_WESTERN_SIGNS.search(" ".join(line.text for line in front.lines)))
    keys = [line.key.lstrip(_NUMBERING) for line in front.lines]
    # «МЕЖГОСУДАРСТВЕННЫЙ» may stand above «СТАНДАРТ».
    return any(_SIGNS.match(first + second) for first, second in zip(keys, [*keys[1:], ""], strict=True))
