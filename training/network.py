"""The network of the boundary scorer: a joint encoder with a head that compares both sides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from chunking.scorers.base import Pair, PairTemplate

# The head starts as a cosine; of e5's states it lies between 0.7 and 1, so these spread it around 0.
_SCALE, _SHIFT = 8.0, -6.0


class BoundaryNetwork(nn.Module):
    """Says whether two stretches of text belong together.

    Both sides are read jointly. The head compares the mean state of the left with the mean state of
    the right by their cosine, and adds what it learns from their product, their difference and the
    first token.
    """

    def __init__(self, config: BertConfig) -> None:
        """Make the network with random weights.

        Args:
            config: Sizes of the encoder; its dropout is not used: it costs twice the time on the CPU.
        """
        super().__init__()
        self.config = config
        self.bert = BertModel(config, add_pooling_layer=False)
        width = config.hidden_size
        self.mix = nn.Linear(3 * width, width)
        self.out = nn.Linear(width, 1)
        self.scale = nn.Parameter(torch.tensor(_SCALE))
        self.bias = nn.Parameter(torch.tensor(_SHIFT))
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    @property
    def padding(self) -> int:
        """Token that fills up the shorter pairs of a batch."""
        return self.config.pad_token_id or 0

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Logits ``[batch]`` of pairs ``[batch, sequence]``; higher: both sides belong together."""
        states = self.bert(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        left = _mean(states, (1 - token_type_ids) * attention_mask)
        right = _mean(states, token_type_ids * attention_mask)
        cosine = nn.functional.cosine_similarity(left.float(), right.float()).to(states.dtype)
        features = torch.cat([left * right, (left - right).abs(), states[:, 0]], dim=-1)
        learned: Tensor = self.out(nn.functional.gelu(self.mix(features))).squeeze(-1)
        return self.scale * cosine + self.bias + learned


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def read_config(folder: Path, *, attention: str = "sdpa") -> BertConfig:
    """The encoder's sizes from a scorer's ``config.json``.

    Args:
        folder: Holds ``config.json``.
        attention: ``sdpa`` for speed, ``eager`` for an export that onnxruntime understands.
    """
    config = BertConfig.from_json_file(folder / "config.json")
    config.attention_probs_dropout_prob = config.hidden_dropout_prob = 0.0
    config._attn_implementation = attention  # noqa: SLF001 - the only way without loading weights
    return config


def read_template(folder: Path) -> PairTemplate:
    """How the tokenizer of a scorer's folder puts a pair together."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    pair = tokenizer.encode("left", "right")
    left, right = (tokenizer.encode(side, add_special_tokens=False).ids for side in ("left", "right"))
    return PairTemplate.from_example(pair.ids, pair.type_ids, left, right)


def collate(pairs: Sequence[Pair], template: PairTemplate, padding: int) -> tuple[Tensor, Tensor, Tensor]:
    """Input ids, attention mask and segment numbers of a batch, padded at the right."""
    batch = template.assemble_batch(pairs, padding)
    mask = (np.arange(batch.ids.shape[1]) < batch.lengths[:, None]).astype(np.int64)
    return torch.from_numpy(batch.ids), torch.from_numpy(mask), torch.from_numpy(batch.types)
