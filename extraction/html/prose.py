"""Paragraphs that a page parts by line breaks only, and text that it prints as it was typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from extraction.html.blocks import Block
from extraction.html.notes import is_printed_note
from extraction.lines import BULLET
from rubrica.model import ElementKind

_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_OPENING = re.compile(
    r"\s*(?:\d{1,3}(?:\.\d{1,3})*[.)]\s*\S|[а-яa-z][)]\s*\S|[-–—•*]\s|§\s*\d"
    r"|(?:Статья|Глава|Раздел|Подраздел|Приложение|Часть|Article|Section|Chapter)\s+[\dIVXLC№])"
)
_ENDS = tuple(".;:!?…»")
_WRAP_WIDTH = 120  # hard-wrapped text has no longer lines
_WRAPPED_SHARE = 0.6  # of the longest line that a line reaches which was cut to fit
_LONG = 90  # characters of a line from which it is a paragraph rather than a line of an address
_VERSE = 60  # characters of a line up to which it may be one of a poem or an address
_RULE = re.compile(r"[-–—_=*]{3,}")
# Bullets that Word writes in symbol fonts, with a row of no-break spaces behind them.
_GLYPH = re.compile(r"\s*(?:[·•§\uf0b7\uf0a7\uf0d8\uf0fc]\s*|[oØüvÞ][^\S\n]*\u00a0[\s\u00a0]*)(?=\S)")
_CODE_SIGNS = re.compile(r"[{};=<>\\|$#@&]|::|->|\(\)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_PROSE_LENGTH = 120


def paragraphs(block: Block) -> Iterator[Block]:
    """Part a block where its own breaks part it, and tell list items that are typed as such."""
    if block.kind is ElementKind.CODE and is_prose(block.text, block.names):
        for text in unwrapped(block.text.expandtabs(8).split("\n")):
            yield from _typed(replace(block, kind=ElementKind.PARAGRAPH, text=text))
    elif block.kind is ElementKind.PARAGRAPH:
        for part in _PARAGRAPHS.split(block.text):
            for text in _parted(part):
                yield from _typed(replace(block, text=text))
    elif block.kind is ElementKind.LIST_ITEM:
        glyph = _GLYPH.match(block.text)
        yield replace(block, text=block.text[glyph.end() :]) if glyph else block
    else:
        yield block


def is_prose(text: str, names: frozenset[str]) -> bool:
    """Whether preformatted text is running text, such as a law printed with a typewriter's lines."""
    if names and any("code" in name or "highlight" in name or "source" in name for name in names):
        return False
    lines = [line for line in text.split("\n") if line.strip()]
    if len(text) < _PROSE_LENGTH or not lines:
        return False
    signs = sum(len(_CODE_SIGNS.findall(line)) for line in lines)
    words = sum(len(_WORD.findall(line)) for line in lines)
    tabular = sum("   " in line.strip() for line in lines)
    return words >= 4 * len(lines) and signs * 30 <= words and tabular * 4 <= len(lines)


def unwrapped(lines: Sequence[str]) -> Iterator[str]:
    """The paragraphs of hard-wrapped text: they begin after a blank line, at an indent or at a number."""
    widest = max(map(len, lines), default=0)
    if widest > 2 * _WRAP_WIDTH:  # not wrapped at all
        yield from lines
        return
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    part: list[str] = []
    for line in lines:
        if part and (not line.strip() or _begins(line, part[-1], margin, widest)):
            yield " ".join(part)
            part = []
        if line.strip():
            part.append(line.strip())
    if part:
        yield " ".join(part)


def _begins(line: str, before: str, margin: int, widest: int) -> bool:
    if _OPENING.match(line):
        return True
    ended = before.endswith(_ENDS) or len(before) < _WRAPPED_SHARE * widest
    return ended and (_indent(line) > margin or len(before) < _WRAPPED_SHARE * widest)


def _parted(text: str) -> Iterator[str]:
    lines = text.split("\n")
    filled = [line.strip() for line in lines if line.strip()]
    if len(filled) < 2:
        yield text
    elif _is_wrapped(filled):
        yield from unwrapped(lines)
    elif _are_paragraphs(filled):
        yield from filled
    else:
        yield text


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Whether most lines end in the middle of a sentence, at about the same width."""
    widest = max(map(len, lines))
    if len(lines) < 4 or not 40 <= widest <= _WRAP_WIDTH:
        return False
    cut = sum(len(line) >= _WRAPPED_SHARE * widest and not line.endswith(_ENDS) for line in lines)
    return cut * 2 > len(lines)


def _are_paragraphs(lines: Sequence[str]) -> bool:
    if any(_OPENING.match(line) for line in lines[1:]):
        return True
    ended = sum(line.endswith(_ENDS) for line in lines)
    widest = max(map(len, lines))
    return widest > _LONG or (widest > _VERSE and len(lines) > 2 and ended * 3 > len(lines) * 2)


def _typed(block: Block) -> Iterator[Block]:
    """What a paragraph's first characters make of it; rules drawn with dashes are dropped."""
    text = block.text.strip().strip("\u200b\ufeff")
    if not text or _RULE.fullmatch(text):
        return
    if is_printed_note(text):
        yield replace(block, kind=ElementKind.FOOTNOTE)
    elif BULLET.match(text) and not block.look.bold:
        yield replace(block, kind=ElementKind.LIST_ITEM, level=1, text=BULLET.sub("", text, count=1))
    else:
        yield block


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
