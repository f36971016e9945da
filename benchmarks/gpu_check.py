"""Checks and times the Hugging Face scorer on a GPU; without one it says so and ends well.

Run it with ``python -m benchmarks.gpu_check [--model NAME_OR_FOLDER]``; two minutes at most, nothing but this
repository is needed. Without a model it makes one of the size and the kind of ``BAAI/bge-reranker-v2-m3``
(XLM-RoBERTa large, random weights, a vocabulary of words): as fast as the real one, and as sensitive to
precision as random weights are. With ``--small`` it is as small as the bundled scorer.

It ends with 1 when scores leave the tolerance, when the order of the pairs changes them beyond it, or when
attention is not SDPA.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from rich.console import Console
from rich.table import Table
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaForSequenceClassification

from chunking.scorers.base import Pair
from chunking.scorers.huggingface import HuggingFacePairScorer
from rubrica.protocols import NoProgress

_WORDS = tuple(f"слово{number}" for number in range(4000))
_SIZES = {
    "large": {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16},
    "small": {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12},
}
_WINDOW = 96
_CHECKED, _TIMED = 256, 4096
_BUDGETS = (4_096, 16_384, 65_536, 262_144)
# Spreads of the float32 scores that a score may be off. Wide, for random weights spread their scores
# little: what is looked for are gross faults, as a mask or an order gone wrong.
_TOLERANCE = {"float32": 0.05, "float16": 0.4, "bfloat16": 1.5}
_MIB = 2**20

Scores = npt.NDArray[np.float32]


def main() -> int:
    """Check, time and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_check", description=__doc__)
    parser.add_argument("--model", default="", help="a cross-encoder's name or folder")
    parser.add_argument("--small", action="store_true", help="make a small model")
    parser.add_argument("--device", default="cuda", help="cpu runs through the same code, slowly")
    parser.add_argument("--pairs", type=int, default=_TIMED, help="pairs of each timed run")
    arguments = parser.parse_args()
    console = Console(width=110)
    if arguments.device.startswith("cuda") and not torch.cuda.is_available():
        console.print("Skipped: torch finds no GPU here.")
        return 0
    with _model(arguments.model, "small" if arguments.small else "large") as name:
        return check(name, arguments.device, arguments.pairs, console)


def check(name: str, device: str, timed: int, console: Console) -> int:
    """Compare and time one model; 0 when everything is within its tolerance."""
    if device.startswith("cuda"):
        console.print(f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}")
    exact = HuggingFacePairScorer(name, device=device, dtype="float32")
    pairs = make_pairs(exact, max(timed, _CHECKED))
    few = pairs[:_CHECKED]
    # One pair a call: nothing padded, nothing beside it.
    reference = np.concatenate([_score(exact, [pair]) for pair in few])
    faults: list[str] = []
    for dtype, tolerance in _TOLERANCE.items():
        scorer = HuggingFacePairScorer(name, device=device, dtype=dtype)
        off, summary = deviation(scorer, few, reference)
        attention = scorer._model.config._attn_implementation  # noqa: SLF001 - has no public name
        console.print(f"{dtype}: {summary}, {attention} attention")
        if off > tolerance:
            faults.append(f"{dtype} is off by {off:.3f} spreads; {tolerance} are tolerated.")
        if attention != "sdpa":
            faults.append(f"{dtype} runs {attention} attention, not SDPA.")
    console.print(speed_table(name, device, pairs[:timed]))
    for fault in faults:
        console.print(f"[bold]Failed:[/bold] {fault}")
    console.print("All within tolerance." if not faults else f"{len(faults)} faults.")
    return 1 if faults else 0


def make_pairs(scorer: HuggingFacePairScorer, count: int) -> list[Pair]:
    """Pairs of 10 to 96 tokens a side."""
    dice = np.random.default_rng(1)
    texts = [" ".join(dice.choice(_WORDS, size)) for size in dice.integers(10, _WINDOW, 2 * count)]
    sides = [tokens[:_WINDOW] for tokens in scorer.encode(texts)]
    return list(zip(sides[::2], sides[1::2], strict=True))


def deviation(scorer: HuggingFacePairScorer, pairs: Sequence[Pair], reference: Scores) -> tuple[float, str]:
    """How far batched scores are off float32, pairs in order and shuffled, in spreads; and that in words."""
    scores = _score(scorer, pairs)
    order = np.random.default_rng(2).permutation(len(pairs))
    shuffled = np.empty_like(scores)
    shuffled[order] = _score(scorer, [pairs[i] for i in order])
    spread = float(reference.std()) or 1.0
    off, moved = (float(np.abs(other - reference).max()) / spread for other in (scores, shuffled))
    agreeing = float(np.corrcoef(scores, reference)[0, 1])
    summary = f"off by {off:.4f} spreads at most, shuffled {moved:.4f}, correlation {agreeing:.5f}"
    return max(off, moved), summary


def speed_table(name: str, device: str, pairs: Sequence[Pair]) -> Table:
    """Pairs a second and memory by precision and tokens of a batch."""
    tokens = sum(len(left) + len(right) + 4 for left, right in pairs)
    table = Table("precision", "batch tokens", "pairs/s", "tokens/s", "peak MiB", title=f"{len(pairs)} pairs")
    for dtype in ("bfloat16", "float16", "float32"):
        for budget in _BUDGETS:
            scorer = HuggingFacePairScorer(name, device=device, dtype=dtype, batch_tokens=budget)
            _score(scorer, pairs[:_CHECKED])
            seconds, memory = _timed(scorer, pairs, device)
            figures = f"{len(pairs) / seconds:,.0f}", f"{tokens / seconds:,.0f}", f"{memory:,.0f}"
            table.add_row(dtype, f"{budget:,}", *figures)
    return table


def _timed(scorer: HuggingFacePairScorer, pairs: Sequence[Pair], device: str) -> tuple[float, float]:
    on_gpu = device.startswith("cuda")
    if on_gpu:
        torch.cuda.synchronize(device)
        torch.cuda.reset_peak_memory_stats(device)
    begun = time.perf_counter()
    _score(scorer, pairs)
    seconds = time.perf_counter() - begun
    return seconds, torch.cuda.max_memory_allocated(device) / _MIB if on_gpu else 0.0


def _score(scorer: HuggingFacePairScorer, pairs: Sequence[Pair]) -> Scores:
    return scorer.score(pairs, NoProgress())


@contextmanager
def _model(name: str, size: str) -> Iterator[str]:
    if name:
        yield name
        return
    with tempfile.TemporaryDirectory() as folder:
        make_model(Path(folder), size)
        yield folder


def make_model(folder: Path, size: str) -> None:
    """Save an XLM-RoBERTa with random weights that knows only our words."""
    special = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    tokenizer = Tokenizer(models.Unigram([*special, *((f"▁{word}", -5.0) for word in _WORDS)], unk_id=3))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    wrapped = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, model_input_names=["input_ids", "attention_mask"], **names
    )
    wrapped.save_pretrained(folder)
    torch.manual_seed(1)
    sizes: dict[str, Any] = {"intermediate_size": 4 * _SIZES[size]["hidden_size"], "num_labels": 1}
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        max_position_embeddings=514,
        type_vocab_size=1,
        **sizes | _SIZES[size],
    )
    XLMRobertaForSequenceClassification(config).save_pretrained(folder)


if __name__ == "__main__":
    sys.exit(main())
