from __future__ import annotations

import json

import numpy as np

from indexing.store.rows import full_row, scalar_row, searchable_attributes
from tests.support.indexing import make_chunks, make_document


def test_text_and_words_are_cut_by_bytes() -> None:
    document = make_document("d", ["ы" * 40_000])
    row = full_row(document, make_chunks(document)[0], np.zeros(4, dtype=np.float32))
    assert row["text"] == "ы" * 32_767
    assert len(row["terms"].encode()) <= 65_535


def test_headings_are_cut_in_number_and_length() -> None:
    document = make_document("d", ["текст"])
    [chunk] = make_chunks(document)
    from dataclasses import replace

    row = scalar_row(document, replace(chunk, heading_path=("ы" * 600, *("б" for _ in range(50)))))
    assert len(row["heading_path"]) == 32
    assert row["heading_path"][0] == "ы" * 512


def test_largest_attributes_are_left_out_first() -> None:
    attributes = {"standard": "СП 1", "abstract": "ы" * 50_000, "keywords": ["слово"] * 10, "year": 2026}
    kept = searchable_attributes(attributes)
    assert kept == {"standard": "СП 1", "keywords": ["слово"] * 10, "year": 2026}
    many = searchable_attributes({f"k{i}": "x" * 1000 for i in range(200)})
    assert 50 < len(many) < 60
    assert len(json.dumps(many).encode()) <= 65_536
    assert many == searchable_attributes({f"k{i}": "x" * 1000 for i in reversed(range(200))})
