from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexing.recall.model import Origin
from pipeline.golden import check_labels, import_file, sync_golden
from pipeline.recall import RecallRequest, chosen_sets, evaluate_set, searched_generation
from pipeline.services import Services
from rubrica.errors import ConfigurationError
from tests.support.git_repository import Repository

pytestmark = pytest.mark.integration

_OARS = "# Вёсла и багры\n\nВёсла хранят в сарае за причалом, лопастями вверх.\n"
_KEYS = "# Ключи\n\nКлючи от катеров выдаёт дежурный по станции под роспись.\n"
_GOLDEN = """\
- id: oars
  question: Где хранят вёсла?
  document: oars.md
  quote: Вёсла хранят в сарае за причалом
- id: keys
  question: Кто выдаёт ключи от катеров?
  document: keys.md
  quote: Ключи от катеров выдаёт дежурный по станции
"""


def _fill(repository: Repository, golden: str | None = _GOLDEN) -> None:
    repository.write("oars.md", _OARS)
    repository.write("keys.md", _KEYS)
    if golden is not None:
        repository.write("golden.yaml", golden)
    repository.commit("all")


def test_the_questions_of_a_repository_are_asked_and_stored(
    services: Services, repository: Repository, ingest: Callable[..., dict[str, Any]]
) -> None:
    _fill(repository)
    ingest()
    synced = sync_golden(services, "norms")
    assert (synced.name, synced.origin, synced.questions, synced.changed) == (
        "norms",
        Origin.REPOSITORY,
        2,
        True,
    )
    assert not sync_golden(services, "norms").changed
    (golden,) = chosen_sets(services)
    record = evaluate_set(services, golden)
    assert record.metrics["recall@5"] == record.metrics["labels_resolved"] == 1
    assert record.metrics["questions"] == 2
    assert record.generation_id == searched_generation(services).id
    assert record.revisions["norms"] == repository.git("rev-parse", "HEAD").strip()
    stored = services.catalog.evaluations.get(record.id)
    assert stored is not None
    assert stored.answers == record.answers
    for mode in ("dense", "sparse"):
        unsaved = evaluate_set(services, golden, RecallRequest(mode), save=False)
        assert unsaved.id == 0
        assert unsaved.metrics["recall@5"] == 1

    # The passage moves and its lines break anew: the label follows; the other one is gone.
    repository.write("oars.md", "# Всё\n\nДругое.\n\n" + _OARS.replace("в сарае за", "в са-\nрае\nза"))
    repository.write("keys.md", "# Ключи\n\nЗамки открывает начальник.\n")
    repository.commit("edit")
    assert not sync_golden(services, "norms").changed  # the index is behind
    ingest()
    record = evaluate_set(services, golden)
    assert record.metrics["recall@5"] == 1
    assert record.metrics["labels_resolved"] == 0.5
    located = check_labels(services, golden)
    assert [bool(item.stale) for item in located] == [False, True]


def test_a_source_without_questions_gets_some_until_it_has_its_own(
    services: Services, repository: Repository, ingest: Callable[..., dict[str, Any]]
) -> None:
    _fill(repository, golden=None)
    ingest()
    synced = sync_golden(services, "norms")
    assert (synced.name, synced.origin) == ("norms.bootstrap", Origin.BOOTSTRAP)
    assert not sync_golden(services, "norms").changed
    (golden,) = chosen_sets(services)
    assert evaluate_set(services, golden).metrics["recall@5"] == 1
    _fill(repository)
    ingest()
    sync_golden(services, "norms")
    assert [item.name for item in services.catalog.golden.summaries()] == ["norms"]


def test_a_broken_golden_yaml_leaves_the_stored_questions(
    services: Services, repository: Repository, ingest: Callable[..., dict[str, Any]]
) -> None:
    _fill(repository)
    ingest()
    sync_golden(services, "norms")
    repository.write("golden.yaml", "- question: Где?\n")
    repository.commit("slip")
    ingest()
    with pytest.raises(ConfigurationError, match=r"golden\.yaml, line 1: 'document' is missing"):
        sync_golden(services, "norms")
    golden = services.catalog.golden.get("norms")
    assert golden is not None
    assert len(golden.questions) == 2


def test_offsets_of_an_imported_file_become_words(
    services: Services, repository: Repository, ingest: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    _fill(repository, golden=None)
    ingest()
    row = {"question": "Где вёсла?", "document": "oars", "start": 15, "end": 47}
    file = tmp_path / "asked.jsonl"
    file.write_text(json.dumps(row))
    golden = import_file(services, file, "mine", source="norms")
    (span,) = golden.questions[0].spans
    assert len(span.quote) == 32
    assert span.start == 15
    repository.write("oars.md", "# Новое начало\n\nЕщё один абзац.\n\n" + _OARS)
    repository.commit("shift")
    ingest()
    (item,) = check_labels(services, golden)
    (place,) = item.places
    assert place.document.text[slice(*place.span)] == span.quote.rstrip(".,").strip()


def test_nothing_to_search_or_to_ask(services: Services) -> None:
    with pytest.raises(ConfigurationError, match="index is empty"):
        searched_generation(services)
    with pytest.raises(ConfigurationError, match="no golden questions"):
        chosen_sets(services)
    with pytest.raises(ConfigurationError, match="no golden set 'x'"):
        chosen_sets(services, ["x"])
    with pytest.raises(ConfigurationError, match="no source named"):
        sync_golden(services, "x")
