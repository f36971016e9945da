"""A scorer of a few thousand weights, and documents made up of words that go together."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import torch

from chunking.scorers import scorer_folder
from training.documents import Sentence, StructuredDocument
from training.export import export_scorer
from training.network import BoundaryNetwork, read_config

TOPICS = (
    *("бетон раствор цемент щебень опалубка", "насос труба давление клапан расход"),
    *("slab beam column rebar joint", "fire smoke alarm hydrant exit"),
)


@pytest.fixture(scope="session")
def tiny_scorer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scorer folder with the bundled tokenizer and a network that has learnt nothing."""
    folder = tmp_path_factory.mktemp("tiny")
    bundled = scorer_folder("boundary-ru-en")
    config = json.loads((bundled / "config.json").read_text())
    config |= {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_bytes((bundled / "tokenizer.json").read_bytes())
    torch.manual_seed(3)
    network = BoundaryNetwork(read_config(folder))
    with torch.no_grad():
        for (
            weight
        ) in network.parameters():  # the exporter keeps one of equal vectors, and fresh ones are equal
            weight.add_(torch.randn_like(weight) * 0.01)
    export_scorer(network, folder, folder)
    return folder


def made_up(name: str, seed: int, language: str = "ru") -> StructuredDocument:
    """A document whose sections have topics of their own."""
    dice = random.Random(seed)
    topics = TOPICS[:2] if language == "ru" else TOPICS[2:]
    sentences = [
        Sentence(str(section), 10 * section + paragraph, _sentence(topics[section % 2], dice))
        for section in range(4)
        for paragraph in range(3)
        for _ in range(3)
    ]
    return StructuredDocument(name, language, tuple(sentences))


def _sentence(topic: str, dice: random.Random) -> str:
    return " ".join(dice.choices(topic.split(), k=7)).capitalize() + "."


@pytest.fixture(scope="session")
def documents() -> list[StructuredDocument]:
    return [made_up(f"handbook:{i}.md", i, "ru" if i % 2 else "en") for i in range(40)]
