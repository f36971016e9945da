"""Puts right Cyrillic that was stored as Latin letters with accents: «Óãîëîâíûé» is «Уголовный».

Old producers embed windows-1251 or MacCyrillic fonts under the name of a Western encoding. The bytes are
those of the original, so nothing is lost, and decoding them again is safe where all agrees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from extraction.letters import surprise
from extraction.pdf.layout import Box, Line, PageLayout, TableRegion

_SWAPS = (("cp1252", "cp1251"), ("mac_roman", "mac_cyrillic"), ("cp1252", "koi8_r"))
_RUN = re.compile(r"(?<![A-Za-z])[^\x00-\x7f\s]+(?![A-Za-z])")
_RUSSIAN = re.compile(r"[А-Яа-яЁё№]")
_LETTERS = re.compile("[А-Яа-яЁё]{3,}")
# Enough to be no accident, in a share that French or Czech words made of accented letters only never reach.
_LEAST_LETTERS = 40
_LEAST_SHARE = 0.05
_RUSSIAN_SURPRISE = 4.2
_WORD = re.compile(r"[^\W\d_]{3,}")


def decode_mojibake(pages: Sequence[PageLayout]) -> tuple[list[PageLayout], str | None]:
    """Decode again what was decoded as Western text, if that surely makes it Russian.

    Returns:
        The pages, and the encoding that the text was really in, or ``None`` where all stays as it was.
    """
    texts = [text for page in pages for text in page_texts(page)]
    codec, table = _find_swap(texts)
    if codec is None:
        return list(pages), None
    return [_map_texts(page, lambda text: _swap(text, table)) for page in pages], codec


def page_texts(page: PageLayout) -> list[str]:
    """All texts on a page."""
    return [box.text for box in (*page.boxes, *page.turned)]


def _find_swap(texts: Sequence[str]) -> tuple[str | None, dict[int, str]]:
    sample = [text for text in texts if not text.isascii()]
    written = sum(len(word) for text in texts for word in _WORD.findall(text)) if sample else 0
    best: tuple[float, str | None, dict[int, str]] = (_RUSSIAN_SURPRISE, None, {})
    for western, cyrillic in _SWAPS:
        table = _table(western, cyrillic)
        words = [word for text in sample for run in _RUN.findall(text) for word in _decoded(run, table)]
        bits, letters = surprise(words)
        if letters >= max(_LEAST_LETTERS, _LEAST_SHARE * written) and bits < best[0]:
            best = (bits, cyrillic, table)
    return best[1], best[2]


def _table(western: str, cyrillic: str) -> dict[int, str]:
    table = {}
    for code in range(0x80, 0x100):
        byte = bytes([code])
        right = byte.decode(cyrillic, "replace")
        wrong = byte.decode(western, "replace")
        if _RUSSIAN.match(right) and wrong != "\N{REPLACEMENT CHARACTER}":
            table[ord(wrong)] = right
    return table


def _decoded(run: str, table: dict[int, str]) -> list[str]:
    """Russian words that a run stands for; none, if it holds Cyrillic letters already."""
    return [] if _RUSSIAN.search(run) else _LETTERS.findall(run.translate(table))


def _swap(text: str, table: dict[int, str]) -> str:
    return text if text.isascii() else _RUN.sub(lambda run: run.group().translate(table), text)


def _map_texts(page: PageLayout, change: Callable[[str], str]) -> PageLayout:
    return replace(
        page,
        boxes=tuple(_map_box(box, change) for box in page.boxes),
        turned=tuple(_map_lines(page.turned, change)),
    )


def _map_box(box: Box, change: Callable[[str], str]) -> Box:
    if isinstance(box, TableRegion):
        rows = tuple(tuple(tuple(map(change, cell)) for cell in row) for row in box.rows)
        return replace(box, rows=rows)
    return replace(box, text=change(box.text))


def _map_lines(lines: Iterable[Line], change: Callable[[str], str]) -> Iterable[Line]:
    return (replace(line, text=change(line.text)) for line in lines)
