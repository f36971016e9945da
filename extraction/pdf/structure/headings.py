"""Finds the headings, the title and the clauses, and so decides what each block is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from extraction.clauses import find_misprinted, find_name, find_number, find_roman, names_part
from extraction.numbering import number_clauses
from extraction.pdf.structure.contents import find_contents
from extraction.pdf.structure.draft import Draft, is_keyword
from extraction.pdf.structure.items import Item
from extraction.pdf.structure.kinds import items_of
from extraction.pdf.structure.looks import is_prominent, is_sentence, may_be_heading, page_styles, stands_out
from extraction.pdf.structure.passages import passages_of
from extraction.pdf.structure.title import find_title
from extraction.pdf.text.paragraphs import Block, Style

_LONGEST_NAMED = 200
_LONGEST_PLAIN = 120
# Lines on title pages that stand out are no headings: nothing to speak of follows them.
_FRONT_PAGES = 10
_FRONT_TEXT = 100
_FEWEST_NUMBERED = 3
_SIGNATURE = re.compile(
    r"(?:[А-ЯЁA-Z]\.\s?){2}[А-ЯЁA-Z][\w-]+|[А-ЯЁ]\.[А-ЯЁ]{3,}|.*\s(?:[А-ЯЁA-Z]\.\s?){2}[А-ЯЁA-Z][\w-]+"
)


def classify(blocks: Sequence[Block], texts: Sequence[str], style: Style) -> list[Item]:
    """Decide what each block is.

    Args:
        blocks: All blocks of a document.
        texts: The text of each, its lines joined.
        style: The document's body style.
    """
    draft = Draft(blocks, texts, style, page_styles(blocks, style), contents=find_contents(blocks, texts))
    draft.clauses = number_clauses(passages_of(draft))
    draft.headings = _find_headings(draft)
    draft.title = find_title(blocks, texts, draft.headings, style, numbered=set(draft.clauses))
    draft.headings -= _front(draft) | {draft.title}
    return list(items_of(draft))


def _find_headings(draft: Draft) -> set[int]:
    candidates = [
        i
        for i, (block, text) in enumerate(zip(draft.blocks, draft.texts, strict=True))
        if i not in draft.contents and may_be_heading(block, text)
    ]
    found = {i for i in candidates if i in draft.clauses and _heads_clause(i, draft)}
    found |= _like_siblings([i for i in candidates if i in draft.clauses and i not in found], found, draft)
    for i in candidates:
        if i not in draft.clauses and (is_keyword(draft.texts[i]) or _heads_unnumbered(i, draft)):
            found.add(i)
    return found


def _heads_unnumbered(i: int, draft: Draft) -> bool:
    return not _opens_other_number(draft.texts[i]) and stands_out(
        i, draft.blocks, draft.texts, draft.style_of(i)
    )


def _opens_other_number(text: str) -> bool:
    """Whether a text opens with a number that is no clause: that of an example, a row, a reference."""
    name = find_name(text)
    return text[0].isdigit() or (name is not None and not names_part(name))


def _heads_clause(i: int, draft: Draft) -> bool:
    """Whether a numbered block is a heading and not a clause of running text."""
    clause, text = draft.clauses[i], draft.texts[i]
    block = draft.blocks[i]
    if _is_named(text):
        return (len(text) <= _LONGEST_NAMED and not is_sentence(text)) or block.bold
    rest = _title_of(text)
    if not (rest[:1].isupper() or rest[:1] in '«"“'):
        return False
    if is_prominent(block, text, draft.style_of(i)):
        return True
    return _is_plain_title(i, draft) and _has_children(i, clause, draft)


def _is_named(text: str) -> bool:
    return find_name(text) is not None or find_roman(text) is not None


def _title_of(text: str) -> str:
    """What follows the number."""
    opening = find_number(text) or next(find_misprinted(text), None)
    return opening.rest if opening else text


def _is_plain_title(i: int, draft: Draft) -> bool:
    """Whether a block in the type of the body reads as a title."""
    text = draft.texts[i]
    if text.endswith((".", ",", ";", ":")) or len(text) > _LONGEST_PLAIN or is_sentence(text):
        return False
    return len(draft.blocks[i].lines) <= 2 and len(_title_of(text)) >= 3


def _has_children(i: int, clause: str, draft: Draft) -> bool:
    following = next((draft.clauses[j] for j in range(i + 1, len(draft.texts)) if j in draft.clauses), "")
    return following.startswith(f"{clause}.")


def _like_siblings(rest: Sequence[int], found: set[int], draft: Draft) -> set[int]:
    """Plain titles whose siblings are headings: «2 Нормативные ссылки» beside «3 Общие положения»."""
    parents = {draft.clauses[i].rpartition(".")[0] for i in found if not _is_named(draft.texts[i])}
    return {
        i
        for i in rest
        if draft.clauses[i].rpartition(".")[0] in parents
        and _title_of(draft.texts[i])[:1].isupper()
        and _is_plain_title(i, draft)
        and i + 1 < len(draft.texts)
        and i + 1 not in draft.clauses
    }


def _front(draft: Draft) -> set[int]:
    """What stands out but heads nothing: lines of title pages in numbered documents, and signatures."""
    numbered = sorted(draft.clauses)
    signed = {i for i in draft.headings if any(map(_is_signature, draft.texts[i : i + 2]))}
    signed -= draft.clauses.keys()
    if len(numbered) < _FEWEST_NUMBERED:
        return signed
    ordered = sorted(i for i in draft.headings if i <= numbered[0])
    return signed | {i for i, end in pairwise([*ordered, numbered[0]]) if _heads_nothing(i, end, draft)}


def _is_signature(text: str) -> bool:
    return len(text) <= _LONGEST_PLAIN and _SIGNATURE.fullmatch(text) is not None


def _heads_nothing(i: int, end: int, draft: Draft) -> bool:
    if i in draft.clauses or draft.blocks[i].lines[0].page > _FRONT_PAGES:
        return False
    if is_keyword(draft.texts[i]):
        return False
    return sum(len(text) for text in draft.texts[i + 1 : end]) < _FRONT_TEXT
