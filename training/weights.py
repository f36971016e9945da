"""Weights to start from: a scorer in int8, a checkpoint, or multilingual-e5-small."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from rubrica.errors import ConfigurationError
from training.network import BoundaryNetwork, read_config

WEIGHTS = "weights.pt"
"""Half-precision weights beside an exported scorer, to train on from."""

_MODEL = "model_int8.onnx"


def load_network(scorer: Path, weights: Path | None = None) -> BoundaryNetwork:
    """A network to go on from.

    Args:
        scorer: Folder of a scorer in ONNX: gives the sizes and, with nothing better, the weights.
        weights: File of half-precision weights; by default ``weights.pt`` in ``scorer``, and where
            there is none, the int8 weights of its ONNX file, scaled back.

    Raises:
        ConfigurationError: A file is missing or belongs to another network.
    """
    network = BoundaryNetwork(read_config(scorer))
    path = weights or scorer / WEIGHTS
    kept = weights is not None or path.is_file()
    state = _read(path) if kept else dict(dequantised(scorer / _MODEL))
    try:
        network.load_state_dict({name: value.float() for name, value in state.items()})
    except RuntimeError as error:
        raise ConfigurationError(
            f"The weights in {path} are of another network than {scorer}.",
            hint="Give a folder that this command wrote.",
        ) from error
    return network


def save_weights(network: BoundaryNetwork, path: Path) -> None:
    """Write the weights in half precision."""
    torch.save({name: value.half() for name, value in network.state_dict().items()}, path)


def _read(path: Path) -> dict[str, Tensor]:
    if not path.is_file():
        raise ConfigurationError(f"There are no weights at {path}.", hint="Check the path.")
    state: dict[str, Tensor] = torch.load(path, map_location="cpu", weights_only=True)
    return state


def dequantised(path: Path) -> Iterator[tuple[str, Tensor]]:
    """Parameters of an int8 model that ``training.export`` wrote, scaled back to float32.

    A matrix product's node carries the path of its module, which is the parameter's name; it holds
    the weight transposed. Vectors and tables of embeddings keep their names.

    Yields:
        Name and value of each parameter of ``BoundaryNetwork``.
    """
    import onnx  # noqa: PLC0415 - needed to go on from int8 weights and to export

    graph = onnx.load(path).graph
    stored = {item.name: onnx.numpy_helper.to_array(item) for item in graph.initializer}
    for name, value in stored.items():
        table = name.removesuffix("_quantized")
        if name.startswith("m.") and name.endswith(".weight_quantized"):
            yield table.removeprefix("m."), _scaled(stored, table)
        elif name.startswith("m.") and not name.endswith(("_scale", "_zero_point", "_quantized")):
            yield name.removeprefix("m."), torch.from_numpy(value.copy())
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            module = node.name.split("/MatMul")[0].split("/Gemm")[0].strip("/").replace("/", ".")
            weight = _scaled(stored, node.input[1].removesuffix("_quantized"))
            yield f"{module.removeprefix('m.')}.weight", weight.T.contiguous()


def _scaled(stored: dict[str, npt.NDArray[np.generic]], name: str) -> Tensor:
    steps = stored[f"{name}_quantized"].astype(np.float32)
    zero = stored[f"{name}_zero_point"].astype(np.float32)
    scale = stored[f"{name}_scale"].astype(np.float32)
    return torch.from_numpy((steps - zero) * scale)
