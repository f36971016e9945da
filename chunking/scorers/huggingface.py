"""Any cross-encoder for sequence classification from Hugging Face, with transformers and torch."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch  # noqa: TID253 - this module is imported only where such a model is asked for
from safetensors import SafetensorError
from transformers import (  # noqa: TID253
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)

from chunking.scorers.base import Pair, PairTemplate, TokenIds
from chunking.scorers.devices import choose_device
from chunking.scorers.parallel import score_each
from rubrica.errors import ConfigurationError
from rubrica.log import get_logger
from rubrica.protocols import Progress

_WEIGHTS_AND_CONFIG = ("*.json", "*.safetensors", "*.bin", "*.model", "*.txt")
_DIGEST_CHARS = 16
_COMMIT_CHARS = 40
# These count positions from behind the padding token: https://huggingface.co/docs/transformers/model_doc/roberta
_OFFSET_POSITIONS = frozenset(
    {"camembert", "data2vec-text", "mpnet", "roberta", "xlm-roberta", "xlm-roberta-xl"}
)
_NO_LIMIT = 1 << 20

_log = get_logger(__name__)


class HuggingFacePairScorer:
    """Runs a cross-encoder on a GPU in batches, on the CPU one pair at a time.

    On the CPU a pair's bits may depend on the batch it is padded in, so there it is run alone on one
    thread: the same bits in any order. Model code from outside is never run.
    """

    def __init__(
        self,
        name: str,
        *,
        revision: str = "",
        device: str = "auto",
        dtype: str = "auto",
        batch_tokens: int = 16_384,
        threads: int = 0,
    ) -> None:
        """Prepare a scorer; nothing is loaded yet.

        Args:
            name: Name on the hub, or a folder.
            revision: Branch, tag or commit on the hub.
            device: "auto", "cpu", "cuda" or "cuda:N".
            dtype: "auto" (bfloat16 or float16 on CUDA, else float32), "float32", "bfloat16", "float16".
            batch_tokens: Tokens of one batch on a GPU, padding included.
            threads: Pairs scored at the same time on the CPU; 0 means one per core.

        Raises:
            ConfigurationError: The folder or the device does not exist.
        """
        folder = Path(name).expanduser()
        self._is_folder = folder.is_dir()
        if not self._is_folder and name.startswith(("/", ".", "~")):
            raise ConfigurationError(
                f"The scorer's folder {name} does not exist.", hint="Set RUBRICA_SCORER to another model."
            )
        self._name = str(folder) if self._is_folder else name
        self._wanted_revision = revision
        self._device = choose_device(device, setting="RUBRICA_SCORER_DEVICE")
        self._dtype = _dtype(dtype, self._device)
        self._batch_tokens = batch_tokens
        self._threads = threads

    @cached_property
    def signature(self) -> str:
        """Name, commit or digest of the files, device and precision."""
        name = Path(self._name).name if self._is_folder else self._name
        revision = _folder_digest(Path(self._name)) if self._is_folder else self._commit
        return f"{name}@{revision}/{self._device.type}/{str(self._dtype).removeprefix('torch.')}"

    @cached_property
    def room(self) -> int:
        """Tokens of both sides together that the model reads."""
        config = self._load(AutoConfig)
        positions = getattr(config, "max_position_embeddings", None) or _NO_LIMIT
        if config.model_type in _OFFSET_POSITIONS:
            positions -= config.pad_token_id + 1
        length = min(int(self._tokenizer.model_max_length), positions, _NO_LIMIT)
        return length - self._template.special_tokens

    def encode(self, texts: Sequence[str]) -> list[TokenIds]:
        """Tokens of each text, without special tokens."""
        led = [self._lead + text for text in texts]
        encoded = self._tokenizer(
            led,
            add_special_tokens=False,
            truncation=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )
        return [np.array(ids, dtype=np.int32) for ids in encoded["input_ids"]]

    def score(self, pairs: Sequence[Pair], progress: Progress) -> npt.NDArray[np.float32]:
        """Logits of the pairs."""
        # Loaded here, once: the threads would each load them.
        _ = self._template, self._model
        if self._device.type == "cpu":
            with _one_torch_thread():
                return score_each(self._logit, pairs, self._threads, progress)
        return self._score_batches(pairs, progress)

    def _logit(self, pair: Pair) -> float:
        return self._forward([pair]).item()

    def _score_batches(self, pairs: Sequence[Pair], progress: Progress) -> npt.NDArray[np.float32]:
        scores = np.empty(len(pairs), dtype=np.float32)
        # Without a padding token a batch cannot be padded.
        budget = 0 if self._tokenizer.pad_token_id is None else self._batch_tokens
        running: tuple[list[int], torch.Tensor] | None = None
        for batch in token_batches([self._template.length(pair) for pair in pairs], budget):
            queued = (batch, self._forward([pairs[i] for i in batch]))
            # The GPU works on the queued batch while the one before is fetched and the next is built.
            _fetch(running, scores, progress)
            running = queued
        _fetch(running, scores, progress)
        return scores

    @torch.inference_mode()
    def _forward(self, pairs: Sequence[Pair]) -> torch.Tensor:
        batch = self._template.assemble_batch(pairs, self._tokenizer.pad_token_id or 0)
        feed = {"input_ids": self._send(batch.ids)}
        # Without padding no mask is sent: with one, the library waits for the GPU to look whether it hides
        # anything, and takes a slower attention.
        if (mask := batch.mask) is not None:
            feed["attention_mask"] = self._send(mask)
        if "token_type_ids" in self._tokenizer.model_input_names:
            feed["token_type_ids"] = self._send(batch.types)
        logits: torch.Tensor = self._model(**feed).logits.float()
        return logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]

    def _send(self, array: npt.NDArray[np.int64]) -> torch.Tensor:
        tensor = torch.from_numpy(array)
        if self._device.type != "cuda":
            return tensor
        return tensor.pin_memory().to(self._device, non_blocking=True)

    @cached_property
    def _commit(self) -> str:
        """Commit of the model on the hub, so that tokenizer, model and scores belong together."""
        if len(self._wanted_revision) == _COMMIT_CHARS:
            return self._wanted_revision
        config = _from_pretrained(AutoConfig, self._name, revision=self._wanted_revision or None)
        return str(getattr(config, "_commit_hash", None) or self._wanted_revision or "unknown")

    def _load(self, factory: Any, **options: Any) -> Any:
        revision = None if self._is_folder or self._commit == "unknown" else self._commit
        return _from_pretrained(factory, self._name, revision=revision, **options)

    @cached_property
    def _tokenizer(self) -> Any:
        return self._load(AutoTokenizer)

    @cached_property
    def _lead(self) -> str:
        """What to put before a text so that the tokens of joined texts are the tokens joined.

        Byte-level tokenizers tell a word at the start of a text from the same word behind a space.
        """

        def tokens(text: str) -> list[int]:
            return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

        return "" if tokens("left right") == tokens("left") + tokens("right") else " "

    @cached_property
    def _template(self) -> PairTemplate:
        left, right = f"{self._lead}left", f"{self._lead}right"
        pair = self._tokenizer(left, right, return_token_type_ids=True)
        sides = self._tokenizer([left, right], add_special_tokens=False)["input_ids"]
        return PairTemplate.from_example(pair["input_ids"], pair["token_type_ids"], *sides)

    @cached_property
    def _model(self) -> Any:
        model, info = self._load(
            AutoModelForSequenceClassification, dtype=self._dtype, output_loading_info=True
        )
        if info["missing_keys"]:
            raise ConfigurationError(
                f"The model {self._name} is no trained cross-encoder: it lacks {min(info['missing_keys'])}.",
                hint="Set RUBRICA_SCORER to a model for sequence classification.",
            )
        if model.config.num_labels > 2:
            raise ConfigurationError(
                f"The model {self._name} has {model.config.num_labels} labels, a scorer has one or two.",
                hint="Set RUBRICA_SCORER to another model.",
            )
        # transformers takes SDPA by itself wherever the architecture has it.
        attention = model.config._attn_implementation  # noqa: SLF001 - has no public name
        _log.info("scorer_loaded", scorer=self.signature, attention=attention)
        return model.to(self._device).eval()


def token_batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Group pairs of like length so that a padded batch stays within a number of tokens.

    Args:
        lengths: Tokens of each pair.
        budget: Most tokens of a batch, padding included; a longer pair is a batch of its own.

    Yields:
        Indices into ``lengths``; each is in exactly one batch. The longest come first: if memory
        does not suffice, that shows at once.
    """
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


@contextmanager
def _one_torch_thread() -> Iterator[None]:
    """Let every call run on its own thread only: how many there are cannot change a sum's order."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _fetch(
    running: tuple[list[int], torch.Tensor] | None, scores: npt.NDArray[np.float32], progress: Progress
) -> None:
    if running is not None:
        batch, logits = running
        scores[batch] = logits.cpu().numpy()
        progress.advance(len(batch))


def _dtype(name: str, device: torch.device) -> torch.dtype:
    if name != "auto":
        return {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[name]
    if device.type != "cuda":
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16


def _from_pretrained(factory: Any, name: str, **options: Any) -> Any:
    try:
        with _quiet_hub():
            return factory.from_pretrained(name, trust_remote_code=False, **options)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        first_line = str(error).strip().split("\n", 1)[0]
        raise ConfigurationError(
            f"The scorer {name} cannot be loaded: {first_line}",
            hint="Set RUBRICA_SCORER to a model that is on this machine or can be downloaded, or to "
            "boundary-ru-en, which is bundled.",
        ) from error


@contextmanager
def _quiet_hub() -> Iterator[None]:
    """Without the library's own lines about each try to connect: the error that follows says it once."""
    logger = logging.getLogger("huggingface_hub")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _folder_digest(folder: Path) -> str:
    state = hashlib.sha256()
    files = {path for pattern in _WEIGHTS_AND_CONFIG for path in folder.glob(pattern)}
    for path in sorted(files):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").digest()
        state.update(path.name.encode() + b"\0" + content)
    return state.hexdigest()[:_DIGEST_CHARS]
