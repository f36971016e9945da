"""Decides which pages have a text layer that can be used, and refuses documents that have none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from extraction.pdf.reading.quality import TextQuality, quality_of
from extraction.pdf.reading.readings import PageReading
from rubrica.errors import EmptyDocumentError
from rubrica.settings import ExtractionSettings

# A page that loses more of its glyphs than this says nothing that could be trusted.
_MOST_DROPPED = 0.25
# A page under a picture with less text than this has a stamp or a number, but no text layer.
_FEW_LETTERS = 100
# A document with less text than this for each scanned page is a scan with a cover sheet or stamps.
_STAMP_LETTERS = 20
_MOST_BROKEN = 0.5
_LEAST_STAMPS = 3
_NUMBER = re.compile(r"\d+")
_PRIVATE = re.compile("[\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]")


class Defect(StrEnum):
    """Why the text layer of a page cannot be used."""

    UNMAPPED = "glyphs without a Unicode value"
    NONSENSE = "a wrong Unicode map, or recognition in a wrong language"
    PICTURE = "no text layer"


BROKEN = frozenset({Defect.UNMAPPED, Defect.NONSENSE})
"""Defects of pages whose text is worse than none."""
_BLANK_HINT = "Get a copy that has text, or leave the file out of the source."


def find_defects(pages: Iterable[PageReading]) -> dict[int, Defect]:
    """Judge every page by itself, then the others together, for many pages are too short to be judged.

    Returns:
        The defects by page number; good pages and blank ones have none.
    """
    pages = list(pages)
    stamps = _stamps(pages)
    defects: dict[int, Defect] = {}
    others: dict[int, TextQuality] = {}
    for page in pages:
        quality = quality_of(page.texts)
        if page.dropped + _private(page) > _MOST_DROPPED * (page.glyphs + page.dropped):
            defects[page.number] = Defect.UNMAPPED
        elif quality.is_nonsense(page=True):
            defects[page.number] = Defect.NONSENSE
        else:
            others[page.number] = quality
            if page.pictured and _own_letters(page, stamps) < _FEW_LETTERS:
                defects[page.number] = Defect.PICTURE
    whole = TextQuality()
    for quality in others.values():
        whole.update(quality)
    if whole.is_nonsense():
        defects |= {number: Defect.NONSENSE for number, quality in others.items() if quality.words}
    return defects


def _stamps(pages: Sequence[PageReading]) -> frozenset[str]:
    """Texts, digits aside, that stand on every other page: what a portal prints on its scans."""
    least = max(_LEAST_STAMPS, len(pages) / 2)
    counts = Counter(text for page in pages for text in {_masked(text) for text in page.texts})
    return frozenset(text for text, count in counts.items() if count >= least)


def _own_letters(page: PageReading, stamps: frozenset[str]) -> int:
    return sum(len(text) for text in page.texts if _masked(text) not in stamps)


def _masked(text: str) -> str:
    return _NUMBER.sub("#", text)


def _private(page: PageReading) -> int:
    """How many characters have a value that means something to one font only, or nothing at all."""
    return sum(len(_PRIVATE.findall(text)) for text in page.texts)


def check_text_layer(
    pages: Sequence[PageReading], defects: Mapping[int, Defect], path: str, settings: ExtractionSettings
) -> None:
    """Refuse a document that has no text, or mostly text that is worse than none.

    Args:
        pages: Its pages.
        defects: What is wrong with them, recognition done.
        path: Path of the document.
        settings: Whether recognition is on.

    Raises:
        EmptyDocumentError: It has no usable text layer.
    """
    reason = _fault(pages, defects)
    if reason is None:
        return
    hint = (
        "Set RUBRICA_OCR=auto to have such pages recognised, or recognise the file with OCR yourself"
        " (ocrmypdf --force-ocr, for example) or export it anew with embedded Unicode fonts."
        if settings.ocr == "off"
        else "Recognition found nothing that reads like text either; get a better copy."
    )
    raise EmptyDocumentError(reason, document=path, stage="extract", hint=hint if defects else _BLANK_HINT)


def _fault(pages: Sequence[PageReading], defects: Mapping[int, Defect]) -> str | None:
    filled = [page for page in pages if page.glyphs or page.dropped or page.number in defects]
    broken = [page for page in filled if defects.get(page.number) in BROKEN]
    pictures = sum(defect is Defect.PICTURE for defect in defects.values())
    stamps = _stamps(pages)
    usable = sum(_own_letters(page, stamps) for page in filled if page not in broken)
    if broken and (len(broken) > _MOST_BROKEN * len(filled) or not usable):
        return _broken(broken, len(filled), defects)
    if pictures and usable <= _STAMP_LETTERS * pictures:
        where = f"any of its {pictures}" if pictures == len(pages) else f"{pictures} of its {len(pages)}"
        return f"The PDF has no text layer on {where} page(s); it looks scanned."
    if not any(page.glyphs for page in pages):
        return f"The PDF has no text: its {len(pages)} page(s) are blank."
    return None


def _broken(broken: Sequence[PageReading], filled: int, defects: Mapping[int, Defect]) -> str:
    kind = Counter(defects[page.number] for page in broken).most_common(1)[0][0]
    if kind is Defect.UNMAPPED:
        glyphs, dropped = sum(page.glyphs for page in broken), sum(page.dropped for page in broken)
        share = (dropped + sum(map(_private, broken))) / (glyphs + dropped)
        return f"The PDF has no usable text layer: {share:.0%} of its glyphs have no Unicode value."
    return (
        f"The PDF has no usable text layer: on {len(broken)} of {filled} page(s) the letters form no words"
        f" ({kind.value})."
    )
