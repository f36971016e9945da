"""From a trained network to a folder that ``RUBRICA_SCORER`` names: ONNX in int8, tokenizer, sizes."""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from chunking.scorers.onnx import OnnxPairScorer
from rubrica.errors import FatalError
from rubrica.log import get_logger
from rubrica.protocols import NoProgress
from training.network import BoundaryNetwork, collate, read_config, read_template
from training.weights import WEIGHTS, save_weights

MODEL = "model_int8.onnx"
_INPUTS = ["input_ids", "attention_mask", "token_type_ids"]
_OPSET = 17
_MOST_DRIFT = 0.5  # of a logit, by int8; seen: 0.2
_SAMPLES = (
    ("Толщина защитного слоя бетона не менее 20 мм.", "Для плит её увеличивают до 30 мм."),
    ("Толщина защитного слоя бетона не менее 20 мм.", "Сборная Бразилии выиграла чемпионат."),
    ("The slab is cast in one pass.", "Joints are cut within a day."),
    ("The slab is cast in one pass.", "Photosynthesis turns light into sugar."),
)


class _Exported(nn.Module):
    """The network with the output shape ``[batch, 1]`` that the scorer reads."""

    def __init__(self, network: BoundaryNetwork) -> None:
        super().__init__()
        self.m = network  # its parameters are called m.… in the file: training.weights reads them there

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        logits: Tensor = self.m(input_ids, attention_mask, token_type_ids)
        return logits.unsqueeze(-1)


def export_scorer(network: BoundaryNetwork, tokenizer_of: Path, out: Path) -> None:
    """Write a scorer folder and check that it scores as the network does.

    Weights are quantised per output channel; activations when a pair is run, over the whole batch:
    a folder is run one pair a call.

    Args:
        network: The trained network.
        tokenizer_of: Scorer folder whose tokenizer it was trained with.
        out: Folder to write to; made when missing.

    Raises:
        FatalError: In int8 the network scores otherwise than before.
    """
    out.mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        if (tokenizer_of / name).is_file() and tokenizer_of.resolve() != out.resolve():
            shutil.copyfile(tokenizer_of / name, out / name)
    config = json.loads((tokenizer_of / "config.json").read_text(encoding="utf-8"))
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    save_weights(network, out / WEIGHTS)
    portable = _portable(network, out)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "model.onnx"
        _write_onnx(portable, whole)
        _quantise(whole, out / MODEL)
    _check(portable, out)


def _portable(network: BoundaryNetwork, folder: Path) -> BoundaryNetwork:
    """A copy on the CPU whose attention is spelled out: onnxruntime knows that form."""
    portable = BoundaryNetwork(read_config(folder, attention="eager"))
    portable.load_state_dict({name: value.cpu() for name, value in network.state_dict().items()})
    return portable.eval()


def _write_onnx(network: BoundaryNetwork, path: Path) -> None:
    example = torch.ones(2, 8, dtype=torch.int64)
    axes = {name: {0: "batch", 1: "sequence"} for name in _INPUTS} | {"logits": {0: "batch"}}
    with warnings.catch_warnings():
        # The exporter by tracing is old and says so, at length; the new one wants a package more.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _Exported(network),
            (example, example, torch.tensor([[0] * 4 + [1] * 4] * 2)),
            str(path),
            input_names=_INPUTS,
            output_names=["logits"],
            dynamic_axes=axes,
            opset_version=_OPSET,
            dynamo=False,
        )


def _quantise(whole: Path, quantised: Path) -> None:
    from onnxruntime.quantization import (  # type: ignore[import-untyped]  # noqa: PLC0415 - needs onnx
        QuantType,
        quantize_dynamic,
    )

    logging.disable(logging.WARNING)  # it advises a step for pictures, through the root logger
    try:
        quantize_dynamic(
            whole,
            quantised,
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=["MatMul", "Gather"],
        )
    finally:
        logging.disable(logging.NOTSET)


def _check(network: BoundaryNetwork, out: Path) -> None:
    scorer = OnnxPairScorer(out, threads=1)
    encoded = [scorer.encode(sample) for sample in _SAMPLES]
    pairs = [(left, right) for left, right in encoded]
    with torch.inference_mode():
        expected = network(*collate(pairs, read_template(out), network.padding)).numpy()
    drift = float(np.abs(expected - scorer.score(pairs, NoProgress())).max())
    get_logger(__name__).info("scorer exported", drift=round(drift, 3))
    if not drift < _MOST_DRIFT:
        raise FatalError(f"In int8 the scorer is off by {drift:.2f}.", hint="Train from other weights.")
