from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from chunking.scorers.onnx import OnnxPairScorer
from chunking.windows import cut_windows
from tests.unit.training.conftest import made_up
from training.documents import StructuredDocument, usable
from training.pairs import (
    TARGETS,
    WINDOW_TOKENS,
    EncodedDocument,
    Example,
    PairSampler,
    Relation,
    encode,
)


def numbered(document: int, sections: int = 8) -> EncodedDocument:
    """A document whose tokens tell the document and the sentence: 1000 * document + sentence, ten of each."""
    count = 9 * sections
    paragraphs = [i // 3 for i in range(count)]
    cuts = {
        Relation.SAME_PARAGRAPH: tuple(i for i in range(count) if i % 3),
        Relation.NEXT_PARAGRAPH: tuple(i for i in range(3, count, 3) if i % 9),
        Relation.NEXT_SECTION: tuple(range(9, count, 9)),
    }
    return EncodedDocument(
        tokens=tuple(np.full(10, 1000 * document + i, dtype=np.int32) for i in range(count)),
        sections=tuple(str(i // 9) for i in range(count)),
        paragraphs=tuple(paragraphs),
        cuts=cuts,
        openings=tuple(range(0, count, 3)),
    )


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    shell = made_up("a", 1)
    documents = [(StructuredDocument("a", "ru", shell.sentences, "prose"), numbered(i)) for i in range(1, 20)]
    return PairSampler(documents).draw(200, random.Random(4))


def ends(example: Example) -> tuple[int, int, int, int]:
    """Document and sentence left of the cut, and right of it."""
    left, right = int(example.pair[0][-1]), int(example.pair[1][0])
    return left // 1000, left % 1000, right // 1000, right % 1000


def test_every_relation_is_what_it_says(examples: list[Example]) -> None:
    seen = set()
    for example in examples:
        document, last, other, first = ends(example)
        follows = document == other and first == last + 1
        seen.add(example.relation)
        match example.relation:
            case Relation.SAME_PARAGRAPH:
                assert follows
                assert last // 3 == first // 3
            case Relation.NEXT_PARAGRAPH:
                assert follows
                assert last // 3 != first // 3
                assert last // 9 == first // 9
            case Relation.NEXT_SECTION:
                assert follows
                assert last // 9 != first // 9
            case Relation.FAR_AWAY:
                assert document == other
                assert abs(last // 3 - first // 3) > 3
                assert first % 3 == 0
            case Relation.OTHER_DOCUMENT:
                assert last % 3 == 2
                assert first % 3 == 0
    assert seen == set(Relation)


def test_far_and_other_pairs_end_and_open_paragraphs_so_that_no_torn_sentence_gives_them_away(
    examples: list[Example],
) -> None:
    stitched = [e for e in examples if e.relation in {Relation.FAR_AWAY, Relation.OTHER_DOCUMENT}]
    assert all(ends(example)[1] % 3 == 2 and ends(example)[3] % 3 == 0 for example in stitched)


def test_a_group_shares_its_left_document_and_groups_come_one_after_the_other(
    examples: list[Example],
) -> None:
    groups: dict[int, set[int]] = {}
    for example in examples:
        groups.setdefault(example.group, set()).add(ends(example)[0])
    assert all(len(documents) == 1 for documents in groups.values())
    assert [example.group for example in examples] == sorted(example.group for example in examples)


def test_most_windows_are_those_of_inference(examples: list[Example]) -> None:
    tokens = numbered(0).tokens
    alike, sizes = [], set()
    for example in examples:
        document, last, other, first = ends(example)
        if document == other and first == last + 1 and 13 < first < len(tokens) - 13:
            left, right = cut_windows(tokens, [last], WINDOW_TOKENS)[0]
            alike.append(len(example.pair[0]) == len(left) and len(example.pair[1]) == len(right))
            sizes.add(len(example.pair[0]))
    assert 0.7 < sum(alike) / len(alike) < 0.9
    assert sizes == {48, 64, 96, 128}


def test_the_seed_decides(documents: list[StructuredDocument], tiny_scorer: Path) -> None:
    scorer = OnnxPairScorer(tiny_scorer)
    encoded = [(document, encode(document, scorer)) for document in usable(documents[:10])]

    def drawn(seed: int) -> list[bytes]:
        batch = PairSampler(encoded).draw(8, random.Random(seed))
        return [side.tobytes() for example in batch for side in example.pair]

    assert drawn(1) == drawn(1) != drawn(2)


def test_cuts_are_sorted_by_section_and_paragraph(tiny_scorer: Path) -> None:
    encoded = encode(made_up("a", 1), OnnxPairScorer(tiny_scorer))
    assert encoded.cuts[Relation.NEXT_SECTION] == (9, 18, 27)
    assert encoded.cuts[Relation.NEXT_PARAGRAPH] == (3, 6, 12, 15, 21, 24, 30, 33)
    assert len(encoded.cuts[Relation.SAME_PARAGRAPH]) == 24
    assert encoded.openings == tuple(range(0, 36, 3))


def test_the_farther_the_lower_the_target() -> None:
    values = [TARGETS[relation] for relation in Relation]
    assert values == sorted(values, reverse=True)
