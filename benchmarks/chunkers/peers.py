"""Other people's chunkers: own defaults but the limit, tokens counted by the one embedder's tokenizer."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import version

from benchmarks.chunkers.align import Printed, locate
from benchmarks.chunkers.chonkie_embeddings import same_embedder
from benchmarks.chunkers.model import Contender, Cutter, Cutting, GaveUpError, Piece
from benchmarks.chunkers.workshop import Workshop
from rubrica.identity import digest
from rubrica.model import Document

_CLOSE = 0.004
_CLOSE_IF_DEAR = 0.03
_PERCENTILE = 0.8
_PERCENTILE_LIMIT = 100

# One document's text and language in, its chunks out.
SplitText = Callable[[str, str], Sequence[str]]


def installed(modules: Sequence[str]) -> bool:
    """Whether modules can be imported here."""
    return all(importlib.util.find_spec(module) is not None for module in modules)


def peer(
    name: str, split: Callable[[int, Workshop], SplitText], module: str, package: str, *, dear: bool = False
) -> Contender:
    """A peer as a contender.

    Args:
        name: Its name in the tables.
        split: Gives its splitter for a limit in tokens.
        module: What it is imported from.
        package: Whose version decides what it gives.
        dear: A try takes minutes: a mean within 3 % of the target will do.
    """
    build = partial(_build, name=name, split=split, package=package)
    return Contender(name, build, requires=(module,), close=_CLOSE_IF_DEAR if dear else _CLOSE, dear=dear)


def _build(
    limit: int,
    workshop: Workshop,
    name: str,
    split: Callable[[int, Workshop], SplitText],
    package: str,
) -> Cutter:
    made: list[SplitText] = []

    def texts_of(document: Document) -> list[str]:
        made_by = f"{name}, {package} {version(package)}"
        key = digest("chunks/2", made_by, str(limit), document.language, document.text)
        known = workshop.memory.text(key) if workshop.remember else None
        if known is not None:
            return list(json.loads(known))
        if not made:
            made.append(split(limit, workshop))
        try:
            texts = list(made[0](document.text, document.language))
        except NotImplementedError as error:
            raise GaveUpError(f"{name} on {document.path}: {error}") from error
        if workshop.remember:
            workshop.memory.keep_text(key, json.dumps(texts, ensure_ascii=False))
        return texts

    def cut(documents: Sequence[Document]) -> Cutting:
        pieces: list[Piece] = []
        for ordinal, document in enumerate(documents):
            texts = [text for text in map(str.strip, texts_of(document)) if text]
            spans = locate(Printed(document.text), texts)
            found = zip(spans, texts, strict=True)
            pieces += [Piece(ordinal, start, end, text) for (start, end), text in found]
        return Cutting(tuple(pieces))

    return cut


def _langchain(limit: int, workshop: Workshop) -> SplitText:
    make = import_module("langchain_text_splitters").RecursiveCharacterTextSplitter
    splitter = make(chunk_size=limit, chunk_overlap=0, length_function=workshop.tokens)
    return lambda text, _: splitter.split_text(text)


def _semchunk(limit: int, workshop: Workshop) -> SplitText:
    chunk = import_module("semchunk").chunkerify(workshop.tokens, limit)
    return lambda text, _: chunk(text)


def _semantic_text_splitter(limit: int, workshop: Workshop) -> SplitText:
    splitter = import_module("semantic_text_splitter").TextSplitter.from_callback(workshop.tokens, limit)
    return lambda text, _: splitter.chunks(text)


def _chonkie(kind: str, limit: int, workshop: Workshop) -> SplitText:
    chunker = getattr(import_module("chonkie"), kind)(chunk_size=limit, tokenizer=workshop.tokens)
    return lambda text, _: [chunk.text for chunk in chunker.chunk(text)]


def _chonkie_semantic(limit: int, workshop: Workshop) -> SplitText:
    # Its chunks hardly follow the limit: the percentile of minima that it cuts at (0.8 by default) keeps
    # them at 50 to 100 tokens. So that it reaches the others' mean, the percentile falls as limits rise.
    percentile = min(_PERCENTILE, _PERCENTILE * _PERCENTILE_LIMIT / limit)
    make = import_module("chonkie").SemanticChunker
    chunker = make(embedding_model=same_embedder(workshop), chunk_size=limit, threshold=percentile)
    return lambda text, _: [chunk.text for chunk in chunker.chunk(text)]


def _smart_chunker(limit: int, workshop: Workshop) -> SplitText:
    from benchmarks.chunkers.smart_chunker_shim import build_smart_chunker  # noqa: PLC0415 - imports torch

    split: SplitText = build_smart_chunker(limit, workshop)
    return split


PEERS = (
    peer("LangChain recursive", _langchain, "langchain_text_splitters", "langchain-text-splitters"),
    peer("semchunk", _semchunk, "semchunk", "semchunk"),
    peer(
        "semantic-text-splitter", _semantic_text_splitter, "semantic_text_splitter", "semantic-text-splitter"
    ),
    peer("chonkie recursive", partial(_chonkie, "RecursiveChunker"), "chonkie", "chonkie"),
    peer("chonkie sentence", partial(_chonkie, "SentenceChunker"), "chonkie", "chonkie"),
    peer("chonkie semantic", _chonkie_semantic, "chonkie", "chonkie"),
    peer("smart_chunker 0.0.5", _smart_chunker, "smart_chunker", "smart-chunker", dear=True),
)
