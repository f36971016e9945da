"""Decides what each block is: heading, list item, caption, footnote or paragraph."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extraction.clauses import find_clause
from extraction.pdf.items import Item
from extraction.pdf.numbering import Number, find_examples
from extraction.pdf.openings import is_caption, is_contents_entry, is_list_item
from extraction.pdf.paragraphs import Block, Style
from extraction.pdf.title import find_title
from rubrica.model import ElementKind

_LONGEST = 250
_MOST_LINES = 5
_LARGER = 1.08
_NUMBER = re.compile(r"(?:[А-ЯA-Z]\.)?\d+(?:\.\d+)*")
_NAMES = (
    ("часть", "part"),
    ("раздел", "section"),
    ("глава", "chapter"),
    ("статья", "article"),
)
_APPENDIX = ("приложение", "appendix", "annex")
_CONTENTS = re.compile(r"(?:содержание|оглавление|(?:table of )?contents)\.?", re.IGNORECASE)
_KEYWORD = re.compile(
    r"(?:введение|предисловие|содержание|оглавление|заключение|библиография|список литературы|аннотация"
    r"|термины и определения|нормативные ссылки|introduction|foreword|preface|abstract|(?:table of )?contents"
    r"|references|bibliography|acknowledge?ments|conclusions?)[.:]?",
    re.IGNORECASE,
)
# What a norm's foreword numbers in capitals: «3 ВВЕДЕН ВПЕРВЫЕ».
_IMPRINT = re.compile(
    r"(?:РАЗРАБОТАН|ПОДГОТОВЛЕН|ВНЕС[ЕЁ]Н|ПРИНЯТ|УТВЕРЖД[ЕЁ]Н|ВВЕД[ЕЁ]Н|ВЗАМЕН|ИЗДАНИЕ|ПЕРЕИЗДАНИЕ|СОГЛАСОВАН"
    r"|ЗАРЕГИСТРИРОВАН|ИЗМЕНЕНИЕ|ПОПРАВКА)"
)
_ROMAN = re.compile(r"[IVX]{1,5}\.?\s+[А-ЯЁA-Z]")
_ENDS_OPEN = re.compile(r"[.,;:]$")
_PAGE_AT_END = re.compile(r"\D\s\d{1,4}$")


_StyleKey = tuple[float, bool, bool]


def classify(blocks: Sequence[Block], texts: Sequence[str], style: Style) -> list[Item]:
    """Decide what each block is.

    Args:
        blocks: All blocks of a document.
        texts: The text of each, its lines joined.
        style: The document's body style.
    """
    contents = _find_contents(texts)
    skipped = contents | find_examples(_numbers(texts, contents))
    headings = {i for i in range(len(blocks)) if i not in skipped and _is_heading(i, blocks, texts, style)}
    title = find_title(blocks, texts, headings, style)
    levels = _levels(blocks, texts, headings - {title})
    margins = _Indents()
    items = []
    for i, (block, text) in enumerate(zip(blocks, texts, strict=True)):
        kind = _kind(block, text, heading=i in headings, contents=i in contents)
        kind = ElementKind.TITLE if i == title else kind
        level = levels.get(i)
        if kind is ElementKind.LIST_ITEM:
            level = 1 if i in contents else margins.level(block)
        elif kind is not ElementKind.FOOTNOTE:
            margins = _Indents()
        items.append(Item(block, kind, text, level, contents=i in contents))
    return items


def _kind(block: Block, text: str, *, heading: bool, contents: bool) -> ElementKind:
    if block.tables:
        return ElementKind.TABLE
    if heading:
        return ElementKind.HEADING
    if block.footnote:
        return ElementKind.FOOTNOTE
    if contents or is_list_item(text):
        return ElementKind.LIST_ITEM
    if is_caption(text) and len(text) <= _LONGEST:
        return ElementKind.CAPTION
    return ElementKind.PARAGRAPH


def _numbers(texts: Sequence[str], contents: set[int]) -> list[tuple[int, Number]]:
    """Index and number of every block that opens with one; an empty number parts an appendix off."""
    numbers: list[tuple[int, Number]] = []
    for i, text in enumerate(texts):
        clause = find_clause(text, heading=True) if i not in contents else None
        if clause is not None:
            plain = _NUMBER.fullmatch(clause) and clause[0].isdigit()
            numbers.append((i, tuple(map(int, clause.split("."))) if plain else ()))
    return numbers


class _Indents:
    """Left edges of the lists that are open, outermost first."""

    def __init__(self) -> None:
        self._edges: list[float] = []

    def level(self, block: Block) -> int:
        """Depth of a list item, from how far it stands in."""
        edge = block.lines[0].x0 - block.frame.left
        while self._edges and self._edges[-1] > edge + 3:
            self._edges.pop()
        if not self._edges or edge > self._edges[-1] + 3:
            self._edges.append(edge)
        return len(self._edges)


def _find_contents(texts: Sequence[str]) -> set[int]:
    """Indices of the lines of tables of contents, with leaders or without."""
    found = {i for i, text in enumerate(texts) if is_contents_entry(text)}
    for start, text in enumerate(texts):
        if _CONTENTS.fullmatch(text.strip()):
            for i in range(start + 1, len(texts)):
                if i not in found and not _PAGE_AT_END.search(texts[i]):
                    break
                found.add(i)
    return found


def _is_heading(i: int, blocks: Sequence[Block], texts: Sequence[str], style: Style) -> bool:
    block, text = blocks[i], texts[i]
    if not block.lines or block.footnote or not _may_be_heading(block, text):
        return False
    clause = find_clause(text, heading=True)
    if clause is None:
        return _stands_out(i, blocks, text, style)
    if clause[0].isdigit() or _NUMBER.fullmatch(clause):
        return _is_numbered_heading(i, blocks, texts, clause, style)
    return _is_named_heading(block, text, clause)


def _may_be_heading(block: Block, text: str) -> bool:
    letters = sum(char.isalpha() for char in text)
    return (
        len(text) <= _LONGEST
        and len(block.lines) <= _MOST_LINES
        and letters >= 2
        and letters >= 0.4 * len(text.replace(" ", ""))
        and not is_caption(text)
        and max(line.gap for line in block.lines) <= 6
    )


def _is_numbered_heading(
    i: int, blocks: Sequence[Block], texts: Sequence[str], clause: str, style: Style
) -> bool:
    """Whether a numbered block is a heading and not a clause of running text."""
    block, text = blocks[i], texts[i]
    title = _NUMBER.sub("", text, count=1).lstrip(" .)")
    if _IMPRINT.match(title) or not (title[:1].isupper() or title[:1] in '«"'):
        return False
    if _distinct(block, style) or (title.isupper() and len(title) > 3):
        return not text.endswith((";", ","))
    if _ENDS_OPEN.search(text) or len(text) > 120 or len(block.lines) > 2:
        return False
    following = next((find_clause(t, heading=True) for t in texts[i + 1 : i + 3] if t), None)
    return bool(following and following.startswith(f"{clause}."))


def _distinct(block: Block, style: Style) -> bool:
    """Whether a block is set in larger or, unlike the body, bold type."""
    return block.size >= _LARGER * style.size or (block.bold and not style.bold)


def _is_named_heading(block: Block, text: str, clause: str) -> bool:
    """Whether «Глава 2 …» heads something, rather than «Глава 2 устанавливает …»."""
    rest = text[len(clause) :].lstrip(" .:–—-")
    starts_well = not rest or rest[0].isupper() or rest[0] in '(«"' or rest[0].isdigit()
    return starts_well and (len(text) <= 150 or block.bold)


def _stands_out(i: int, blocks: Sequence[Block], text: str, style: Style) -> bool:
    """Whether an unnumbered block heads what follows by its type and place."""
    block = blocks[i]
    if _KEYWORD.fullmatch(text) or (_ROMAN.match(text) and (block.centered or _distinct(block, style))):
        return len(text) <= _LONGEST
    if not text[0].isupper() or is_list_item(text) or _ENDS_OPEN.search(text) or len(text) > 160:
        return False
    if block.size >= 1.15 * style.size:
        return True
    if i + 1 < len(blocks) and block.size < 0.9 * style.size:
        return False
    apart = block.space_above > 0.8 * style.pitch or block.centered
    if block.bold and not style.bold:
        return apart or len(block.lines) == 1
    return text.isupper() and len(text) > 5 and (apart and block.centered)


def _levels(blocks: Sequence[Block], texts: Sequence[str], headings: set[int]) -> dict[int, int]:
    """Depth of every heading: by its number, by its name, else by its type among the others."""
    named = _name_levels([texts[i] for i in headings])
    levels: dict[int, int] = {}
    anchors: dict[_StyleKey, int] = {}
    unnumbered: list[int] = []
    for i in sorted(headings):
        level = _own_level(texts[i], named)
        if level is None:
            unnumbered.append(i)
            continue
        levels[i] = level
        key = _style_key(blocks[i], texts[i])
        anchors[key] = min(level, anchors.get(key, level))
    ranks = _rank(anchors, [_style_key(blocks[i], texts[i]) for i in unnumbered])
    levels.update((i, ranks[_style_key(blocks[i], texts[i])]) for i in unnumbered)
    return levels


def _own_level(text: str, named: dict[str, int]) -> int | None:
    clause = find_clause(text, heading=True)
    if clause is None:
        return 1 if _KEYWORD.fullmatch(text) or _ROMAN.match(text) else None
    word = clause.split()[0].casefold()
    if word in named:
        return named[word]
    return clause.count(".") + 1


def _name_levels(texts: Sequence[str]) -> dict[str, int]:
    """Depth of «Раздел», «Глава», «Статья» in this document, from those that it has."""
    words = {text.split()[0].casefold() for text in texts if text}
    present = [pair for pair in _NAMES if words & set(pair)]
    levels = {word: depth for depth, pair in enumerate(present, start=1) for word in pair}
    return levels | dict.fromkeys(_APPENDIX, 1)


def _style_key(block: Block, text: str) -> _StyleKey:
    return (round(block.size * 2) / 2, block.bold, text.isupper())


def _rank(anchors: dict[_StyleKey, int], keys: Sequence[_StyleKey]) -> dict[_StyleKey, int]:
    """Depth of each type: that of the numbered headings set in it, else by rank."""
    if not anchors:
        ordered = sorted(set(keys), reverse=True)
        return {key: min(rank, 6) for rank, key in enumerate(ordered, start=1)}
    ranks = {}
    for key in keys:
        smaller = [level for anchor, level in anchors.items() if anchor < key]
        larger = [level for anchor, level in anchors.items() if anchor > key]
        deepest = max(larger, default=0) + 1
        ranks[key] = anchors.get(key, min([deepest, *smaller]) if smaller else deepest)
    return ranks
