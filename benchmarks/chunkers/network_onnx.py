"""The float32 network as ONNX, so that onnxruntime can run the same network as torch."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import torch

from benchmarks.chunkers.network import BoundaryScorer


def onnx_folder(folder: Path) -> Path:
    """The float32 network for onnxruntime, exported on first use beside its folder.

    Args:
        folder: What ``float32_scorer`` made.
    """
    target = folder.with_name(f"{folder.name}-onnx-2")
    if (target / "config.json").exists():
        return target
    target.mkdir(exist_ok=True)
    model = BoundaryScorer.from_pretrained(folder, attn_implementation="eager")
    model.train(mode=False)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    example = torch.ones(2, 8, dtype=torch.long)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter's own, about tracing
        torch.onnx.export(
            _Logits(model),
            (example, example, example),
            str(target / "model.onnx"),
            input_names=names,
            output_names=["logits"],
            dynamic_axes={name: {0: "batch", 1: "tokens"} for name in names} | {"logits": {0: "batch"}},
            opset_version=17,
            dynamo=False,
        )
    _fuse_attention(target / "model.onnx", model.config)
    for name in ("tokenizer.json", "config.json"):
        shutil.copy(folder / name, target / name)
    return target


def _fuse_attention(path: Path, config: Any) -> None:
    """Put one operator in the place of each attention's twenty; worth about a tenth on 440 tokens.

    Pairs are run one at a time, so nothing is masked; without a mask the operator never holds the whole
    matrix of attention.
    """
    from onnxruntime.transformers import optimizer  # type: ignore[import-untyped]  # noqa: PLC0415 - needs onnx
    from onnxruntime.transformers.fusion_options import (  # type: ignore[import-untyped]  # noqa: PLC0415
        AttentionMaskFormat,
        FusionOptions,
    )

    options = FusionOptions("bert")
    options.use_multi_head_attention = True
    options.attention_mask_format = AttentionMaskFormat.NoMask
    options.enable_skip_layer_norm = options.enable_bias_skip_layer_norm = False
    options.enable_embed_layer_norm = options.enable_bias_gelu = False
    fused = optimizer.optimize_model(
        str(path),
        model_type="bert",
        num_heads=config.num_attention_heads,
        hidden_size=config.hidden_size,
        opt_level=0,
        optimization_options=options,
    )
    fused.save_model_to_file(str(path))


class _Logits(torch.nn.Module):
    def __init__(self, model: BoundaryScorer) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(ids, mask, types).logits
        return logits
