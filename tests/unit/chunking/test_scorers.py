from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

import chunking
from chunking.scorers import build_pair_scorer
from chunking.scorers.base import Pair, PairTemplate
from chunking.scorers.onnx import OnnxPairScorer
from chunking.scorers.parallel import score_each
from rubrica.errors import ConfigurationError
from rubrica.protocols import NoProgress
from rubrica.settings import ChunkingSettings
from tests.support.words import WORDS

FOLDER = Path(chunking.__file__).parent / "models" / "boundary-ru-en"
SCORER = OnnxPairScorer(FOLDER, threads=2)
TOKENIZER = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))


@pytest.fixture(scope="module")
def scorer() -> OnnxPairScorer:
    return SCORER


@pytest.fixture(scope="module")
def pairs(scorer: OnnxPairScorer) -> list[Pair]:
    dice = random.Random(2)
    texts = [" ".join(dice.choices(WORDS, k=dice.randint(1, 30))).capitalize() + "." for _ in range(400)]
    encoded = scorer.encode(texts)
    return list(zip(encoded[::2], encoded[1::2], strict=True))


def test_200_pairs_alone_in_batches_and_shuffled_give_equal_bits(
    scorer: OnnxPairScorer, pairs: list[Pair]
) -> None:
    together = scorer.score(pairs, NoProgress())
    alone = np.concatenate([scorer.score([pair], NoProgress()) for pair in pairs])
    batches = [scorer.score(pairs[i : i + 32], NoProgress()) for i in range(0, len(pairs), 32)]
    order = random.Random(3).sample(range(len(pairs)), len(pairs))
    shuffled = np.empty_like(together)
    shuffled[order] = OnnxPairScorer(FOLDER, threads=5).score([pairs[i] for i in order], NoProgress())
    assert len({score.tobytes() for score in together}) > 190
    assert together.tobytes() == alone.tobytes()
    assert together.tobytes() == np.concatenate(batches).tobytes()
    assert together.tobytes() == shuffled.tobytes()


def test_the_longest_pairs_are_scored_first_and_each_keeps_its_place() -> None:
    pairs = [
        (np.zeros(left, np.int32), np.zeros(right, np.int32)) for left, right in ((2, 3), (9, 1), (4, 4))
    ]
    asked: list[int] = []

    def logit(pair: Pair) -> float:
        asked.append(len(pair[0]) + len(pair[1]))
        return float(asked[-1])

    assert score_each(logit, pairs, 1, NoProgress()).tolist() == [5, 10, 8]
    assert asked == [10, 8, 5]


def test_it_knows_what_belongs_together(scorer: OnnxPairScorer) -> None:
    left, right, other = scorer.encode(
        [
            "Толщина стены из кирпича должна быть не менее 250 мм.",
            "Кирпичные стены большей толщины армируют сеткой.",
            "The committee elected a new chairman in May.",
        ]
    )
    same, turn = scorer.score([(left, right), (left, other)], NoProgress())
    assert same > turn


@settings(deadline=None)
@given(
    left=st.lists(st.text(max_size=12), min_size=1, max_size=4),
    right=st.lists(st.text(max_size=12), min_size=1, max_size=4),
)
def test_joined_units_equal_the_tokenizers_own_pair(left: list[str], right: list[str]) -> None:
    # Where normalisation (NFKC) itself makes or eats white space, units are not words any more.
    sides = [[" ".join(unit.split()) for unit in side if unit.isalnum()] for side in (left, right)]
    expected = TOKENIZER.encode(" ".join(sides[0]), " ".join(sides[1]))
    joined = [np.concatenate([*SCORER.encode(side), np.empty(0, np.int32)]) for side in sides]
    ids, types = SCORER._template.assemble((joined[0], joined[1]))
    assert ids.tolist() == expected.ids
    assert types.tolist() == expected.type_ids


def test_joined_sentences_equal_the_tokenizers_own_pair(scorer: OnnxPairScorer) -> None:
    left = ["Нагрузка 0,5 кН/м² — по табл. 3.", "«Стены»: ½ кирпича…", "№\u00a05, 10\u202f000 шт."]
    right = ["See Fig. 3 (p. 5).", "Naïve café: ﬁne ①."]
    expected = TOKENIZER.encode(" ".join(left), " ".join(right))
    ids, types = scorer._template.assemble(
        (np.concatenate(scorer.encode(left)), np.concatenate(scorer.encode(right)))
    )
    assert ids.tolist() == expected.ids
    assert types.tolist() == expected.type_ids


def test_an_endless_word_is_encoded_whole(scorer: OnnxPairScorer) -> None:
    (ids,) = scorer.encode(["ы" * 20_000])
    assert len(ids) > scorer.room == 508


def test_empty_sides_have_a_score(scorer: OnnxPairScorer) -> None:
    (empty,) = scorer.encode([""])
    assert np.isfinite(scorer.score([(empty, empty)], NoProgress())).all()
    assert scorer.score([], NoProgress()).shape == (0,)


def test_signature_names_the_weights(scorer: OnnxPairScorer, tmp_path: Path) -> None:
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    (tmp_path / "model_int8.onnx").write_bytes(b"other weights")
    assert scorer.signature.startswith("boundary-ru-en@")
    assert OnnxPairScorer(tmp_path).signature != scorer.signature


def test_a_float32_model_is_taken_where_there_is_no_other(tmp_path: Path) -> None:
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    (tmp_path / "model.onnx").write_bytes((FOLDER / "model_int8.onnx").read_bytes())
    plain = OnnxPairScorer(tmp_path)
    assert "/float32" in plain.signature
    pair = [tuple(SCORER.encode(["Стены кирпичные.", "Крыша плоская."]))]
    assert plain.score(pair, NoProgress()) == SCORER.score(pair, NoProgress())  # type: ignore[arg-type]
    (tmp_path / "model_int8.onnx").write_bytes(b"other weights")
    assert "/int8" in OnnxPairScorer(tmp_path).signature


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"model_int8\.onnx"):
        OnnxPairScorer(tmp_path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model_int8.onnx", (FOLDER / "model_int8.onnx").read_bytes()[:1000]),
        ("tokenizer.json", b'{"model"'),
        ("config.json", b"{}"),
        ("config.json", b"["),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    for file in FOLDER.iterdir():
        (tmp_path / file.name).write_bytes(content if file.name == name else file.read_bytes())
    scorer = OnnxPairScorer(tmp_path)
    pair = tuple(SCORER.encode(["Стены.", "Крыша."]))
    with pytest.raises(ConfigurationError, match=name.replace(".", r"\.") + " is damaged") as caught:
        scorer.score([pair] * min(scorer.room, 1), NoProgress())  # type: ignore[list-item]
    assert "boundary-ru-en" in caught.value.hint


def test_the_default_path_loads_neither_torch_nor_transformers() -> None:
    code = """
import sys
from chunking.scoring import build_cut_scorer
from rubrica.settings import ChunkingSettings
scorer = build_cut_scorer(ChunkingSettings(), "")
assert "onnxruntime" not in sys.modules
(scores,) = scorer.score_cuts([["Стены кирпичные.", "Крыша плоская.", "The end."]])
assert scores.stats.pairs_scored == 2
heavy = {"torch", "transformers", "sentence_transformers", "huggingface_hub", "pymilvus", "airflow"}
print(sorted(heavy & {name.split(".")[0] for name in sys.modules}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_settings_choose_the_bundled_scorer() -> None:
    assert isinstance(build_pair_scorer(ChunkingSettings()), OnnxPairScorer)


def test_a_tokenizer_that_rewrites_a_pair_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="tokenizer"):
        PairTemplate.from_example([0, 7, 2, 8, 2], [0] * 5, [7], [9])
