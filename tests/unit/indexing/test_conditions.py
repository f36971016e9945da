from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexing.search.conditions import Condition


def test_nothing_is_asked() -> None:
    assert list(Condition().expressions()) == [""]
    assert list(Condition("page_from > 1").expressions()) == ["page_from > 1"]


def test_no_id_passes() -> None:
    assert list(Condition("page_from > 1", ids=()).expressions()) == []


@given(st.lists(st.text("abc", min_size=1), max_size=4, unique=True))
def test_few_ids_make_one_expression(ids: list[str]) -> None:
    listed = ", ".join(f'"{id_}"' for id_ in ids)
    expected = [f"(page_from > 1) and (chunk_id in [{listed}])"] if ids else []
    assert list(Condition("page_from > 1", "chunk_id", tuple(ids)).expressions()) == expected


def test_every_id_is_in_one_of_many_expressions() -> None:
    ids = tuple(f"{number:06d}" for number in range(12_001))
    parts = list(Condition(ids=ids).expressions())
    assert len(parts) == 3
    assert [id_ for part in parts for id_ in part.split('"')[1::2]] == list(ids)
