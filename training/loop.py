"""The training loop: seeded, resumable, stopped early on held-out documents."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from chunking.scorers.base import PairTemplate
from chunking.scorers.devices import choose_device
from rubrica.errors import ConfigurationError
from rubrica.log import get_logger
from rubrica.protocols import NoProgress, Progress
from training.network import BoundaryNetwork, collate
from training.pairs import Example, PairSampler

_log = get_logger(__name__)
_HEAD_FACTOR = 10  # the scalars of the head move by whole units, weights by hundredths
_WARM_UP = 20
_PART = 8  # pairs
_CLIP = 1.0
_FLOOR = 0.01  # of the learning rate, at the end


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """How to train.

    Attributes:
        pairs: Pairs to see.
        minutes: Time to take at most, counted over all its runs; 0 sets no limit. Where it ends the
            training, the outcome depends on how fast the machine is.
        groups: Groups of a batch; a group has up to nine pairs.
        learning_rate: Peak for AdamW; it falls along a cosine to a hundredth.
        frozen_layers: Lowest layers that stay as they are, like the embeddings: less to forget.
        rank_weight: Weight of the ranking inside a group beside the loss of each pair.
        seed: Seed of pairs and head.
        check_every: Steps between two looks at the held-out pairs, and two checkpoints.
        patience: Looks without a better loss before it stops.
        precision: "bfloat16", "float32", or "auto": bfloat16 where the processor computes in it.
        device: "auto", "cpu" or "cuda".
        threads: Threads on the CPU; 0 means torch's own choice.
    """

    pairs: int = 40_000
    minutes: float = 0.0
    groups: int = 4
    learning_rate: float = 1.5e-5
    frozen_layers: int = 3
    rank_weight: float = 0.5
    seed: int = 1
    check_every: int = 50
    patience: int = 6
    precision: str = "auto"
    device: str = "auto"
    threads: int = 0


@dataclass(slots=True)
class TrainState:
    """How far it has come: all that a checkpoint holds beside weights and optimizer."""

    step: int = 0
    pairs: int = 0
    seconds: float = 0.0
    best: float = math.inf
    stale: int = 0
    history: list[dict[str, float]] = field(default_factory=list)


class Trainer:
    """Trains a network in place."""

    def __init__(
        self,
        network: BoundaryNetwork,
        template: PairTemplate,
        options: TrainOptions,
        *,
        checkpoint: Path | None = None,
        origin: str = "",
        progress: Progress | None = None,
    ) -> None:
        """Prepare to train; a checkpoint that exists is gone on from.

        Args:
            network: Weights to start with.
            template: How the tokenizer puts a pair together.
            options: How to train.
            checkpoint: File that training can be taken up from; ``None`` keeps none.
            origin: Digest of what it starts from and learns from; a checkpoint of another is refused.
            progress: Hears of every pair.

        Raises:
            ConfigurationError: There is no such device, or the checkpoint is of another run.
        """
        if options.threads:
            torch.set_num_threads(options.threads)
        self._device = choose_device(options.device, setting="--device")
        self._precision = _precision(options.precision, self._device)
        self._network = network.to(self._device)
        self._template = template
        self._options = options
        self._checkpoint = checkpoint
        self._origin = origin
        self._progress = progress or NoProgress()
        self._dice = random.Random(options.seed)  # noqa: S311 - draws examples, no secrets
        self._optimizer = _optimizer(network, options)
        self._best = _copy(network)
        self.state = TrainState()
        if checkpoint is not None and checkpoint.is_file():
            self._resume(checkpoint)

    def train(self, sampler: PairSampler, held_out: Sequence[Example]) -> TrainState:
        """Train to the end or until the held-out pairs stop getting better; the best weights stay.

        Args:
            sampler: Draws the pairs to learn from.
            held_out: Pairs of documents that are not learned from.

        Returns:
            What was seen, and the loss at every look.
        """
        if not self.state.history:
            self._look(held_out)
        while self._done < 1 and self.state.stale < self._options.patience:
            started = time.monotonic()
            batch = sampler.draw(self._options.groups, self._dice)
            self._learn(batch)
            self.state.seconds += time.monotonic() - started
            self._progress.advance(len(batch))
            if self.state.step % self._options.check_every == 0:
                self._look(held_out)
        if self.state.history[-1]["step"] != self.state.step:
            self._look(held_out)
        self._network.load_state_dict(self._best)
        return self.state

    @property
    def _done(self) -> float:
        """How much of the pairs or of the time is used up, the larger share."""
        limit = 60 * self._options.minutes
        time_used = self.state.seconds / limit if limit else 0.0
        return min(1.0, max(self.state.pairs / self._options.pairs, time_used))

    def _learn(self, batch: Sequence[Example]) -> None:
        self._network.train()
        self._schedule()
        self._optimizer.zero_grad()
        self._loss(batch).backward()  # type: ignore[no-untyped-call]
        trained = [weight for weight in self._network.parameters() if weight.requires_grad]
        nn.utils.clip_grad_norm_(trained, _CLIP)
        self._optimizer.step()
        self.state.step += 1
        self.state.pairs += len(batch)

    def _schedule(self) -> None:
        share = _FLOOR + (1 - _FLOOR) * (1 + math.cos(math.pi * self._done)) / 2
        rate = self._options.learning_rate * share * min(1, (self.state.step + 1) / _WARM_UP)
        for group in self._optimizer.param_groups:
            group["lr"] = rate * group["factor"]

    def _loss(self, batch: Sequence[Example]) -> Tensor:
        return pair_loss(self._logits(batch), batch, self._options.rank_weight)

    def _logits(self, batch: Sequence[Example]) -> Tensor:
        """Logits ``[batch]``, run in parts of like lengths: padded to the longest, half would be padding."""
        lengths = [self._template.length(example.pair) for example in batch]
        order = sorted(range(len(batch)), key=lengths.__getitem__)
        parts = [self._run([batch[i] for i in order[at : at + _PART]]) for at in range(0, len(order), _PART)]
        return torch.cat(parts)[torch.tensor(order).argsort()]

    def _run(self, part: Sequence[Example]) -> Tensor:
        inputs = collate([example.pair for example in part], self._template, self._network.padding)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._precision is torch.bfloat16):
            logits: Tensor = self._network(*(tensor.to(self._device) for tensor in inputs)).float()
        return logits

    @torch.inference_mode()
    def _look(self, held_out: Sequence[Example]) -> None:
        self._network.eval()
        losses = [self._loss(batch).item() * len(batch) for batch in _batches(held_out)]
        loss = sum(losses) / max(1, len(held_out))
        state = self.state
        state.history.append({"step": state.step, "pairs": state.pairs, "loss": round(loss, 4)})
        _log.info("held-out pairs", step=state.step, loss=round(loss, 4))
        if loss < state.best:
            state.best, state.stale = loss, 0
            self._best = _copy(self._network)
        else:
            state.stale += 1
        if self._checkpoint is not None:
            self._save(self._checkpoint)

    def _save(self, path: Path) -> None:
        content = {
            "options": asdict(self._options),
            "origin": self._origin,
            "state": asdict(self.state),
            "dice": self._dice.getstate(),
            "network": self._network.state_dict(),
            "best": self._best,
            "optimizer": self._optimizer.state_dict(),
        }
        # Killed while it writes, the last whole checkpoint must be there still.
        fresh = path.with_suffix(".new")
        torch.save(content, fresh)
        fresh.replace(path)

    def _resume(self, path: Path) -> None:
        content: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        if (content["options"], content.get("origin")) != (asdict(self._options), self._origin):
            raise ConfigurationError(
                f"{path} is the checkpoint of a run with other options, documents or another first scorer.",
                hint="Give the same again, name another folder, or remove the file to begin anew.",
            )
        self.state = TrainState(**content["state"])
        self._dice.setstate(content["dice"])
        self._network.load_state_dict(content["network"])
        self._optimizer.load_state_dict(content["optimizer"])
        self._best = content["best"]
        self._progress.advance(self.state.pairs)


def pair_loss(logits: Tensor, batch: Sequence[Example], rank_weight: float) -> Tensor:
    """Cross-entropy against the targets, and how wrongly each group is ranked.

    Cuts are chosen inside one document, so inside a group every pair with a higher target should have
    the higher logit; a pair of pairs weighs as much as its targets differ (RankNet, Burges et al. 2005).

    Args:
        logits: One per example, ``[batch]``.
        batch: The examples.
        rank_weight: Weight of the ranking.
    """
    targets = torch.tensor([example.target for example in batch], device=logits.device)
    groups = torch.tensor([example.group for example in batch], device=logits.device)
    loss = nn.functional.binary_cross_entropy_with_logits(logits, targets)
    above = (targets[:, None] - targets[None]).clamp(min=0) * (groups[:, None] == groups[None])
    wrong = nn.functional.softplus(logits[None] - logits[:, None])
    return loss + rank_weight * (above * wrong).sum() / above.sum().clamp(min=1)


def _batches(examples: Sequence[Example], groups: int = 8) -> Iterator[list[Example]]:
    """Examples by groups: a group is never torn, for its ranking counts."""
    batch: list[Example] = []
    for example in examples:
        if batch and example.group != batch[-1].group and example.group % groups == 0:
            yield batch
            batch = []
        batch.append(example)
    if batch:
        yield batch


def _optimizer(network: BoundaryNetwork, options: TrainOptions) -> torch.optim.AdamW:
    network.bert.embeddings.requires_grad_(False)
    for layer in network.bert.encoder.layer[: options.frozen_layers]:
        layer.requires_grad_(False)
    scalars = [network.scale, network.bias]
    known = {id(scalar) for scalar in scalars}
    weights = [item for item in network.parameters() if item.requires_grad and id(item) not in known]
    groups = [{"params": weights, "factor": 1}, {"params": scalars, "factor": _HEAD_FACTOR}]
    return torch.optim.AdamW(groups, lr=options.learning_rate, weight_decay=0.01)


def _copy(network: BoundaryNetwork) -> dict[str, Tensor]:
    return {name: value.detach().cpu().clone() for name, value in network.state_dict().items()}


def _precision(wanted: str, device: torch.device) -> torch.dtype:
    if wanted != "auto":
        return torch.bfloat16 if wanted == "bfloat16" else torch.float32
    if device.type == "cuda":
        fast = torch.cuda.is_bf16_supported()
    else:
        can = torch.cpu.get_capabilities()
        fast = bool(can.get("avx512_bf16") or can.get("amx_bf16"))
    return torch.bfloat16 if fast else torch.float32
