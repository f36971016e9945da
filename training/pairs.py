"""Pairs of text with a target from the structure of documents.

The windows are made as inference makes them (``chunking.windows``), most at its default size, some of other
sizes so that the network does not learn one length by heart.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from chunking.scorers.base import Pair, PairScorer, TokenIds
from chunking.windows import cut_windows
from training.documents import StructuredDocument

WINDOW_TOKENS = 96
_OTHER_SIZES = (48, 64, 128)
_OTHER_SIZE = 0.2
_REACH = 24  # sentences on each side that a window is looked for in
_FAR = 3  # paragraphs between two stretches of one document that are called far
_LANGUAGES = {"en": 0.55, "ru": 0.45}
_KINDS = {"prose": 0.9, "raw": 0.1}


class Relation(StrEnum):
    """How the text right of a cut relates to the text left of it."""

    SAME_PARAGRAPH = "same paragraph"
    NEXT_PARAGRAPH = "next paragraph"
    NEXT_SECTION = "next section"
    FAR_AWAY = "far away"
    OTHER_DOCUMENT = "other document"


TARGETS = {
    Relation.SAME_PARAGRAPH: 1.0,
    Relation.NEXT_PARAGRAPH: 0.6,
    Relation.NEXT_SECTION: 0.1,
    Relation.FAR_AWAY: 0.05,
    Relation.OTHER_DOCUMENT: 0.0,
}
"""Probability that both sides belong together."""

QUOTAS = {
    Relation.SAME_PARAGRAPH: 3,
    Relation.NEXT_PARAGRAPH: 1,
    Relation.NEXT_SECTION: 1,
    Relation.FAR_AWAY: 1,
    Relation.OTHER_DOCUMENT: 3,
}
"""Pairs of each kind in a group."""


@dataclass(frozen=True, slots=True)
class Example:
    """A pair, how its sides relate, and the group whose pairs share their left document."""

    pair: Pair
    relation: Relation
    group: int

    @property
    def target(self) -> float:
        """Probability that both sides belong together."""
        return TARGETS[self.relation]


@dataclass(frozen=True, slots=True)
class EncodedDocument:
    """A document as the tokens of its sentences.

    Attributes:
        tokens: Tokens of each sentence.
        sections: Section of each sentence.
        paragraphs: Paragraph of each sentence.
        cuts: Per relation, the sentences that follow the one before them by it.
        openings: The sentences that open a paragraph.
    """

    tokens: tuple[TokenIds, ...]
    sections: tuple[str, ...]
    paragraphs: tuple[int, ...]
    cuts: dict[Relation, tuple[int, ...]]
    openings: tuple[int, ...]


def encode(document: StructuredDocument, scorer: PairScorer) -> EncodedDocument:
    """Tokenize a document and sort its cuts."""
    sentences = document.sentences
    cuts: dict[Relation, list[int]] = defaultdict(list)
    for i in range(1, len(sentences)):
        before, after = sentences[i - 1], sentences[i]
        if before.section != after.section:
            cuts[Relation.NEXT_SECTION].append(i)
        elif before.paragraph != after.paragraph:
            cuts[Relation.NEXT_PARAGRAPH].append(i)
        else:
            cuts[Relation.SAME_PARAGRAPH].append(i)
    openings = sorted({0, *cuts[Relation.NEXT_SECTION], *cuts[Relation.NEXT_PARAGRAPH]})
    return EncodedDocument(
        tokens=tuple(scorer.encode([sentence.text for sentence in sentences])),
        sections=tuple(sentence.section for sentence in sentences),
        paragraphs=tuple(sentence.paragraph for sentence in sentences),
        cuts={relation: tuple(found) for relation, found in cuts.items()},
        openings=tuple(openings),
    )


class PairSampler:
    """Draws groups of pairs; a group's pairs share their left document, so they can be ranked."""

    def __init__(self, documents: Sequence[tuple[StructuredDocument, EncodedDocument]]) -> None:
        """Sort the documents by language and kind.

        Args:
            documents: Documents and their tokens; a document is drawn more often the more sentences
                of it follow another in a paragraph, by the root of their number.
        """
        self._cells: dict[tuple[str, str], list[EncodedDocument]] = defaultdict(list)
        for document, encoded in documents:
            self._cells[document.language, document.kind].append(encoded)
        self._shares = {cell: _LANGUAGES.get(cell[0], 0.5) * _KINDS[cell[1]] for cell in sorted(self._cells)}
        self._weights = {cell: [_weight(encoded) for encoded in found] for cell, found in self._cells.items()}

    def draw(self, groups: int, dice: random.Random) -> list[Example]:
        """Examples of so many groups, one group after the other."""
        return [example for group in range(groups) for example in self._group(group, dice)]

    def _group(self, group: int, dice: random.Random) -> list[Example]:
        cell = dice.choices(list(self._shares), list(self._shares.values()))[0]
        pool = self._cells[cell]
        document = dice.choices(pool, self._weights[cell])[0]
        wanted = [relation for relation, quota in QUOTAS.items() for _ in range(quota)]
        pairs = [(_pair(document, relation, pool, dice), relation) for relation in wanted]
        return [Example(pair, relation, group) for pair, relation in pairs if pair is not None]


def _weight(document: EncodedDocument) -> float:
    return math.sqrt(1 + len(document.cuts.get(Relation.SAME_PARAGRAPH, ())))


def _pair(
    document: EncodedDocument, relation: Relation, pool: Sequence[EncodedDocument], dice: random.Random
) -> Pair | None:
    if relation is Relation.FAR_AWAY:
        return _far_pair(document, dice)
    if relation is Relation.OTHER_DOCUMENT:
        other = dice.choice(pool)
        return _stitched(document, _opening(document, dice), other, dice.choice(other.openings), dice)
    cuts = document.cuts.get(relation, ())
    if not cuts:
        return None
    cut = dice.choice(cuts)
    return _stitched(document, cut, document, cut, dice)


def _far_pair(document: EncodedDocument, dice: random.Random) -> Pair | None:
    cut = _opening(document, dice)
    here = document.paragraphs[cut - 1]
    far = [i for i in document.openings if abs(document.paragraphs[i] - here) > _FAR]
    return _stitched(document, cut, document, dice.choice(far), dice) if far else None


def _opening(document: EncodedDocument, dice: random.Random) -> int:
    """Where a paragraph ends: any that opens but the first, whose left side would be empty."""
    return dice.choice(document.openings[1:])


def _stitched(
    left: EncodedDocument, end: int, right: EncodedDocument, start: int, dice: random.Random
) -> Pair:
    before = left.tokens[max(0, end - _REACH) : end]
    after = right.tokens[start : start + _REACH]
    size = dice.choice(_OTHER_SIZES) if dice.random() < _OTHER_SIZE else WINDOW_TOKENS
    return cut_windows([*before, *after], [len(before) - 1], size)[0]
