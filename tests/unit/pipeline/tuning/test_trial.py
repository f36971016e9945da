from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from indexing.recall.model import GoldenQuestion, GoldenSpan
from pipeline.tuning.corpus import build_corpus, corpus_of_folder
from pipeline.tuning.ranking import ChunkSearch
from pipeline.tuning.space import current_values
from pipeline.tuning.trial import Outcome, TrialRunner
from rubrica.errors import ConfigurationError
from tests.support.indexing import make_chunks, make_document
from tests.support.tuning import NOUNS, corpus, settings
from tests.support.vectors import BagEmbedder


def test_a_trial_counts_what_it_finds_and_costs(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    embedder = BagEmbedder()
    found = TrialRunner(corpus(), chosen, embedder).run(current_values(chosen.chunking))
    assert found.metrics["recall@5"] == 1.0
    assert len(found.questions) == len(NOUNS)
    assert found.chunks == len(embedder.texts)
    assert found.tokens == sum(map(embedder.counter.count, embedder.texts)) == found.cost
    assert found.pairs == 0
    assert found.quality == 1.0 + found.metrics["mrr"] / 1000


def test_an_outcome_survives_json(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    found = TrialRunner(corpus(), chosen, BagEmbedder()).run(current_values(chosen.chunking))
    assert Outcome.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_a_trial_s_values_are_stronger_than_the_settings(tmp_path: Path) -> None:
    runner = TrialRunner(corpus(), settings(tmp_path), BagEmbedder())
    values = current_values(settings(tmp_path).chunking)
    small, large = runner.run(values), runner.run(values | {"max_tokens": 200, "min_tokens": 100})
    assert large.chunks < small.chunks


def test_sentences_that_a_strategy_embeds_are_paid_for(tmp_path: Path) -> None:
    runner = TrialRunner(corpus(), settings(tmp_path), BagEmbedder())
    values = current_values(settings(tmp_path).chunking)
    semantic = runner.run(values | {"strategy": "semantic"})
    again = runner.run(values | {"strategy": "semantic"})
    assert semantic.tokens == again.tokens > runner.run(values).tokens


def test_the_search_finds_by_words_what_no_vector_tells() -> None:
    document = make_document("d", ["Причал из досок", "Лебёдка в сарае", "Якорь на дне"])
    chunks = make_chunks(document)
    same = np.full((3, 4), 0.5, dtype=np.float32)
    search = ChunkSearch([(document, chunks)], same, lambda _: same[0])
    hits = search("лебёдки", 2)
    assert [hit.rank for hit in hits] == [1, 2]
    assert hits[0].text == "Лебёдка в сарае"
    assert search("nothing known", 5)[0].score == pytest.approx(0.5)
    assert [hit.chunk_id for hit in search("?", 3)] == sorted(chunk.id for chunk in chunks)


def test_a_label_that_stands_nowhere_is_stale() -> None:
    document = make_document("d", ["Причал из досок держит лодку у берега реки."])
    good = GoldenQuestion("a", "Что?", "a.md", (GoldenSpan(quote="держит лодку у берега"),))
    gone = GoldenQuestion("b", "Что?", "a.md", (GoldenSpan(quote="совсем другие слова о другом деле"),))
    found = build_corpus([document], [good, gone], {("", "a.md"): "d"})
    assert [item.id for item in found.questions] == ["a"]
    assert found.stale == 1
    with pytest.raises(ConfigurationError, match="None of the questions"):
        build_corpus([document], [gone], {("", "a.md"): "d"})


def test_a_folder_s_files_are_named_by_their_paths_below_it(tmp_path: Path) -> None:
    folder = tmp_path / "норма"
    (folder / "x").mkdir(parents=True)
    (folder / "x" / "a.md").write_text("# T\n\nПричал из досок держит лодку у берега реки.\n")
    (folder / "b.md").write_text("# Другое\n\nНичего.\n")
    asked = [GoldenQuestion("a", "Что?", "x/a.md", (GoldenSpan(quote="держит лодку у берега"),))]
    found = corpus_of_folder(folder, asked, settings(tmp_path))
    assert [document.id for document in found.documents] == ["x/a.md"]
    everything = corpus_of_folder(folder, asked, settings(tmp_path), everything=True)
    assert [document.id for document in everything.documents] == ["b.md", "x/a.md"]
    assert everything.digest != found.digest
    with pytest.raises(ConfigurationError, match="no folder"):
        corpus_of_folder(folder / "nosuch", asked, settings(tmp_path))
