"""The bundled scorer's network in float32, so that both sides can be given one and the same.

The recipe keeps its weights as a torch state with a head of its own. Here it becomes a folder that
``transformers`` loads as a cross-encoder: smart_chunker by its ordinary constructor, ours as any
Hugging Face scorer.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    BertConfig,
    BertModel,
    BertPreTrainedModel,
    logging,
)
from transformers.modeling_outputs import SequenceClassifierOutput

from rubrica.errors import ConfigurationError

_WEIGHTS = "recipe/scorer.pt"
_TOKENIZER = "boundary-ru-en"
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")


class BoundaryConfig(BertConfig):  # type: ignore[no-untyped-call]
    """A BERT with another head."""

    model_type = "rubrica-boundary"


class BoundaryScorer(BertPreTrainedModel):  # type: ignore[no-untyped-call]
    """Compares the mean states of both sides: a scaled cosine, and what a layer learned to add to it."""

    config_class = BoundaryConfig

    def __init__(self, config: BoundaryConfig) -> None:
        super().__init__(config)
        size = config.hidden_size
        self.bert = BertModel(config, add_pooling_layer=False)
        self.mix = nn.Linear(3 * size, size)
        self.out = nn.Linear(size, 1)
        self.scale = nn.Parameter(torch.tensor(8.0))
        self.bias = nn.Parameter(torch.tensor(-6.0))
        self.post_init()  # type: ignore[no-untyped-call]

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        **_: Any,
    ) -> SequenceClassifierOutput:
        """Logits ``[pairs, 1]``; ``token_type_ids`` tell the right side (1) from the left (0)."""
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        encoded = self.bert(input_ids=input_ids, attention_mask=mask, token_type_ids=types)
        states = encoded.last_hidden_state
        left, right = _mean(states, mask * (1 - types)), _mean(states, mask * types)
        cosine = nn.functional.cosine_similarity(left, right)
        features = torch.cat([left * right, (left - right).abs(), states[:, 0]], dim=-1)
        learned = self.out(nn.functional.gelu(self.mix(features))).squeeze(-1)
        return SequenceClassifierOutput(logits=(self.scale * cosine + self.bias + learned).unsqueeze(-1))


def _mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def register() -> None:
    """Tell ``transformers`` of the network; it never runs code out of a model's folder for us."""
    # It warns of what is meant here: a BERT's configuration, texts longer than the model reads.
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    AutoConfig.register(BoundaryConfig.model_type, BoundaryConfig, exist_ok=True)
    AutoModelForSequenceClassification.register(BoundaryConfig, BoundaryScorer, exist_ok=True)


def float32_scorer(models: Path, cache: Path) -> Path:
    """A folder with the network in float32, made on first use.

    Args:
        models: Holds ``recipe/scorer.pt`` and ``boundary-ru-en`` with its tokenizer.
        cache: Where the folder is kept.

    Raises:
        ConfigurationError: The weights are not there.
    """
    register()
    folder = cache / "boundary-float32"
    if (folder / "tokenizer.json").exists():
        return folder
    weights = models / _WEIGHTS
    if not weights.is_file():
        raise ConfigurationError(
            f"The weights {weights} are missing.", hint="Point --data at the data; models lie beside it."
        )
    config = BoundaryConfig.from_pretrained(models / _TOKENIZER, num_labels=1)
    model = BoundaryScorer(config)
    state = torch.load(weights, map_location="cpu", weights_only=True)
    model.load_state_dict({name: tensor.float() for name, tensor in state.items()})
    model.save_pretrained(folder)
    for name in _TOKENIZER_FILES:
        shutil.copy(models / _TOKENIZER / name, folder / name)
    return folder
