"""An ingestion from commit to answer, on real services."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from indexing.writer import IndexWriter
from pipeline import steps
from pipeline.artefacts import RunFolder
from pipeline.ingestion import OnProgress, SourceOptions, declare_source, new_run_id, run_here
from pipeline.searching import find
from pipeline.services import Services
from pipeline.steps import IngestRequest
from pipeline.steps.runner import run_with
from rubrica.errors import (
    EncryptedDocumentError,
    LockLostError,
    RunFailedError,
    ServiceUnavailableError,
    TransientError,
)
from rubrica.settings import Settings
from sources.factory import open_source
from tests.fixtures.redis import RedisServer
from tests.integration.pipeline.conftest import Ingest
from tests.support.git_repository import Repository
from tests.support.indexing import DigestEmbedder

pytestmark = pytest.mark.integration

PIER = """# Причалы

## 5 Нагрузки

5.1 Расчётная нагрузка на причал принимается равной 4 кПа. Для причалов с прокатом лодок её увеличивают.

5.2 Снеговую нагрузку зимой не учитывают, если настил убирают на берег.
"""
WINCH = """# The winch

## Maintenance

The rope of the winch is greased every three months. A rope with ten broken wires is replaced.
"""


def _paths(services: Services, query: str) -> list[str]:
    return [hit.path for hit in find(services, query)]


def _truncated_docx() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<w:document/>" * 200)
    return buffer.getvalue()[:150]


def _encrypted_pdf() -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, encrypt=StandardEncryption("secret"))
    canvas.drawString(72, 720, "The winch is locked.")
    canvas.save()
    return buffer.getvalue()


@pytest.fixture
def two_documents(repository: Repository) -> Repository:
    repository.write("нормы/причалы.md", PIER)
    repository.write("winch.md", WINCH)
    repository.commit()
    return repository


def test_a_commit_becomes_an_answer(services: Services, two_documents: Repository, ingest: Ingest) -> None:
    head = two_documents.commit()
    result = ingest()
    assert (result["state"], result["added"], result["failed"]) == ("success", 2, 0)
    assert result["to_revision"] == head
    # Another test may have embedded the same text: they share the cache.
    assert result["chunks_written"] == result["chunks_embedded"] + result["embed_cache_hits"] > 0
    best = find(services, "Какова расчётная нагрузка на причал?")[0]
    assert best.path == "нормы/причалы.md"
    assert "5.1" in best.clauses
    assert best.text in PIER or best.text.split("\n")[0] in PIER


def test_a_run_tells_how_good_its_chunks_are(
    services: Services, two_documents: Repository, ingest: Ingest
) -> None:
    two_documents.write("copy.md", WINCH)
    two_documents.commit()
    quality = ingest()["quality"]
    assert (quality["documents"], quality["tables_torn"], quality["clauses_torn"]) == (3, 0, 0)
    assert quality["chunks"] == len(services.catalog.chunks.ids(services.generation.id))
    assert quality["duplicates_elsewhere"] == 2 * len(
        services.catalog.chunks.of_document(
            services.generation.id, services.catalog.documents.ids_by_path("norms")["copy.md"]
        )
    )
    whole = services.catalog.quality.of_generation(services.generation.id)
    assert (whole.documents, whole.chunks) == (3, quality["chunks"])
    assert ingest()["quality"] is None
    (two_documents.path / "copy.md").unlink()
    two_documents.commit()
    ingest()
    assert services.catalog.quality.of_generation(services.generation.id).documents == 2


def test_an_unchanged_repository_costs_nothing(two_documents: Repository, ingest: Ingest) -> None:
    ingest()
    again = ingest()
    assert again["state"] == "success"
    costs = ("added", "changed", "moved", "removed", "pairs_scored", "chunks_embedded", "chunks_written")
    assert {name: again[name] for name in costs} == dict.fromkeys(costs, 0)


def test_renamed_and_removed_documents(services: Services, two_documents: Repository, ingest: Ingest) -> None:
    ingest(allow_removals=True)
    (two_documents.path / "winch.md").rename(two_documents.path / 'лебёдка "новая".md')
    (two_documents.path / "нормы/причалы.md").unlink()
    two_documents.commit()
    result = ingest()
    assert (result["moved"], result["removed"], result["chunks_embedded"]) == (1, 1, 0)
    assert _paths(services, "When is the rope greased?") == ['лебёдка "новая".md']
    assert "нормы/причалы.md" not in _paths(services, "нагрузка на причал")


def test_a_file_born_again_under_an_old_name_is_another_document(
    services: Services, two_documents: Repository, ingest: Ingest
) -> None:
    ingest()
    first = services.catalog.documents.ids_by_path("norms")["winch.md"]
    (two_documents.path / "winch.md").unlink()
    two_documents.commit()
    ingest()
    two_documents.write("winch.md", WINCH)
    two_documents.commit()
    assert ingest()["added"] == 1
    assert services.catalog.documents.ids_by_path("norms")["winch.md"] != first
    assert _paths(services, "When is the rope greased?").count("winch.md") == 1


def test_bad_documents_are_reported_and_harm_no_other(
    services: Services, two_documents: Repository, ingest: Ingest
) -> None:
    two_documents.write("пусто.md", "")
    two_documents.write("обрыв.docx", _truncated_docx())
    two_documents.write("слово.txt", "щ" * 20_000)
    two_documents.write("fake.pdf", b"%PDF-1.7\nnothing follows")
    two_documents.write("замок.pdf", _encrypted_pdf())
    head = two_documents.commit()
    result = ingest()
    assert (result["state"], result["failed"], result["added"]) == ("warning", 4, 7)
    assert services.catalog.sources.last_revision(services.generation.id, "norms") == head
    failures = {item.failure.path: item.failure for item in services.catalog.failures.find("norms")}
    assert set(failures) == {"пусто.md", "обрыв.docx", "fake.pdf", "замок.pdf"}
    assert failures["замок.pdf"].error == "EncryptedDocumentError"
    assert all(failure.reason and failure.stage == "extract" for failure in failures.values())
    assert "нормы/причалы.md" in _paths(services, "Какова расчётная нагрузка на причал?")
    assert any(hit.path == "слово.txt" for hit in find(services, "щ" * 50, k=50))
    # They did not change, so they are not tried again; a retry asks for them.
    assert ingest()["failed"] == 0
    services.catalog.failures.retry("norms")
    assert ingest()["failed"] == 4


def test_a_mended_document_leaves_the_list(
    services: Services, two_documents: Repository, ingest: Ingest
) -> None:
    two_documents.write("обрыв.md", "")
    two_documents.commit()
    assert ingest()["failed"] == 1
    two_documents.write("обрыв.md", "Причал осматривают каждую весну.")
    two_documents.commit()
    assert ingest()["failed"] == 0
    assert services.catalog.failures.find("norms") == []


def test_an_emptied_document_loses_its_chunks(
    services: Services, two_documents: Repository, ingest: Ingest
) -> None:
    ingest()
    two_documents.write("winch.md", " \n")
    two_documents.commit()
    result = ingest()
    assert result["chunks_removed"] > 0
    assert "winch.md" not in _paths(services, "When is the rope greased?")


def test_the_removal_guard_stops_before_it_removes(
    services: Services, two_documents: Repository, ingest: Ingest
) -> None:
    ingest()
    two_documents.clear()
    two_documents.commit()
    with pytest.raises(RunFailedError, match=r"would remove 2 of 2.*--allow-removals"):
        ingest()
    assert len(set(_paths(services, "нагрузка rope"))) == 2
    assert ingest(allow_removals=True)["removed"] == 2
    assert _paths(services, "нагрузка rope") == []


def test_a_rewritten_history_embeds_only_what_is_new(
    services: Services, two_documents: Repository, ingest: Ingest
) -> None:
    ingest()
    two_documents.write("новое.md", "Круги красят в красный и белый цвет.")
    two_documents.git("add", "--all")
    two_documents.git("commit", "--quiet", "--amend", "--message", "rewritten")
    result = ingest()
    assert (result["added"], result["changed"], result["removed"]) == (1, 0, 0)
    assert result["chunks_embedded"] == 1


CLAUSE = (
    "{n}.1 Место номер {n} осматривают до начала сезона и после каждого шторма.\n\n"
    "{n}.2 Лодку номер {n} красят летом под навесом. Краску наносят в два слоя, а сохнет она сутки.\n\n"
    "{n}.3 Журнал места {n} ведёт смотритель. Записи хранят три года в сухом шкафу у дежурного.\n"
)


def test_an_edit_scores_and_embeds_only_what_it_touched(two_documents: Repository, ingest: Ingest) -> None:
    text = "\n".join(f"## {n} Место {n}\n\n" + CLAUSE.format(n=n) for n in range(1, 31))
    two_documents.write("длинный.md", text)
    two_documents.commit()
    first = ingest()
    two_documents.write("длинный.md", text.replace("Лодку номер 15 красят", "Лодку номер 15 сушат"))
    two_documents.commit()
    second = ingest()
    assert second["changed"] == 1
    assert 0 < second["pairs_scored"] < first["pairs_scored"] / 10
    assert second["pair_cache_hits"] > 0
    assert second["pair_cache_misses"] == second["pairs_scored"]
    assert 0 < second["chunks_embedded"] == second["chunks_written"] < second["chunks_kept"]


def _run(services: Services, on_progress: OnProgress = lambda *_: None) -> dict[str, Any]:
    return run_here(services, IngestRequest("norms"), new_run_id("norms"), on_progress)


def test_a_changed_setting_waits_for_a_new_index_and_is_named(
    services: Services, make_settings: Callable[..., Settings], two_documents: Repository, ingest: Ingest
) -> None:
    assert ingest()["drift"] == []
    before = services.catalog.chunks.ids(services.generation.id)
    two_documents.write("copy.md", WINCH)
    two_documents.commit()
    with Services(make_settings(max_tokens=40, min_tokens=8)) as other:
        result = _run(other)
        assert (result["added"], result["changed"]) == (1, 0)
        assert "RUBRICA_MAX_TOKENS was 512 and is 40" in result["drift"]
        copies = other.catalog.documents.ids_by_path("norms")
        generation = other.live.generation.id
        texts = [
            [chunk.text for chunk in other.catalog.chunks.of_document(generation, copies[path])]
            for path in ("copy.md", "winch.md")
        ]
    assert texts[0] == texts[1]
    assert before < services.catalog.chunks.ids(services.generation.id)


def test_an_embedder_that_cannot_be_loaded_breaks_neither_search_nor_ingestion(
    make_settings: Callable[..., Settings], two_documents: Repository, ingest: Ingest
) -> None:
    ingest()
    two_documents.write("круги.md", "Круг весит не менее 2,5 кг.")
    two_documents.commit()
    with Services(make_settings(embedder=str(two_documents.path / "no model"))) as other:
        result = _run(other)
        assert (result["state"], result["added"]) == ("success", 1)
        assert "no model" in " ".join(result["drift"])
        assert _paths(other, "Сколько весит круг?")[0] == "круги.md"


def test_another_version_of_the_embedder_is_refused_before_anything_is_written(
    make_settings: Callable[..., Settings], two_documents: Repository, ingest: Ingest
) -> None:
    ingest()
    with Services(make_settings()) as other:
        other.__dict__["embedder"] = DigestEmbedder()
        with pytest.raises(RunFailedError, match="rubrica reindex"):
            _run(other)


@pytest.mark.parametrize("killed_at", [None, "chunk"])
def test_a_run_without_redis_is_green_and_says_so(
    killed_at: str | None,
    make_settings: Callable[..., Settings],
    two_documents: Repository,
    redis_server: RedisServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Redis is down from the start, or dies when the second batch is chunked."""
    sentences = " ".join(f"Лодку номер {n} красят весной, а сушат её летом под навесом." for n in range(40))
    two_documents.write("лодки.md", f"# Лодки\n\n{sentences}\n")
    two_documents.write("вёсла.md", f"# Вёсла\n\n{sentences.replace('Лодку', 'Весло')}\n")
    two_documents.commit()
    if killed_at is None:
        redis_server.kill()

    def kill_in_the_middle(step: str, done: int, total: int) -> None:
        if step == killed_at and done > 3:
            redis_server.kill()

    with Services(make_settings(redis_url=redis_server.url, batch_pairs=10)) as services:
        declare_source(services, str(two_documents.path), SourceOptions(name="norms"))
        result = _run(services, kill_in_the_middle)
    assert (result["state"], result["failed"], result["added"]) == ("success", 0, 4)
    assert result["pair_cache_errors"] > 0
    assert result["pairs_scored"] > 0
    assert "pair cache" in capsys.readouterr().out.replace("_", " ")


def test_a_source_is_ingested_by_one_run_at_a_time(
    make_settings: Callable[..., Settings], services: Services, two_documents: Repository, ingest: Ingest
) -> None:
    ingest()
    assert services.catalog.locks.acquire("norms", "another", ttl_s=600)
    with Services(make_settings(lock_timeout_s=0)) as other, pytest.raises(RunFailedError, match="another"):
        _run(other)
    # The owner was killed: its lock runs out, and the next run takes over.
    assert services.catalog.locks.refresh("norms", "another", ttl_s=0.5)
    assert ingest()["state"] == "success"
    assert services.catalog.locks.owner("norms") is None


def test_a_run_that_is_started_again_is_judged_anew(
    services: Services, two_documents: Repository, ingest: Ingest
) -> None:
    """As Airflow does when somebody clears a failed run: the same id, and a source that is gone."""
    declare_source(services, str(two_documents.path), SourceOptions(name="norms"))
    run_with(services, steps.plan, "again", run_with(services, steps.detect, "again", IngestRequest("norms")))
    with pytest.raises(RunFailedError, match="2 documents were neither indexed nor reported"):
        run_with(services, steps.verdict, "again")
    ingest()
    two_documents.path.rename(two_documents.path.with_name("moved"))
    with pytest.raises(RunFailedError, match="no git repository"):
        run_here(services, IngestRequest("norms"), "again", lambda *_: None)
    assert services.catalog.locks.owner("norms") is None


def _planned(services: Services, repository: Repository, run_id: str) -> list[str]:
    """A run up to its plan; returns its batches."""
    declare_source(services, str(repository.path), SourceOptions(name="norms"))
    request = IngestRequest("norms", allow_removals=True)
    return run_with(services, steps.plan, run_id, run_with(services, steps.detect, run_id, request))


def test_a_run_that_is_started_again_in_vain_leaves_what_others_did_since(
    make_settings: Callable[..., Settings], services: Services, two_documents: Repository, ingest: Ingest
) -> None:
    """The plan of its first try is done by others, who are further by now."""
    ingest()
    two_documents.write("winch.md", WINCH.replace("three", "four"))
    two_documents.commit()
    _planned(services, two_documents, "again")
    with pytest.raises(RunFailedError, match="1 documents were neither indexed nor reported"):
        run_with(services, steps.verdict, "again")
    ingest()
    two_documents.write("лодки.md", "# Лодки\n\nЛодку красят весной.\n")
    head = two_documents.commit()
    ingest()
    assert services.catalog.locks.acquire("norms", "another", ttl_s=600)
    with Services(make_settings(lock_timeout_s=0)) as other:
        with pytest.raises(TransientError, match="'another' is still working"):
            run_with(other, steps.detect, "again", IngestRequest("norms"))
        assert run_with(other, steps.retire, "again") == []
        with pytest.raises(RunFailedError, match="'another' is still working"):
            run_with(other, steps.verdict, "again")
    assert services.catalog.sources.last_revision(services.live.generation.id, "norms") == head
    assert services.catalog.locks.owner("norms") == "another"


@pytest.mark.parametrize("stage", ["detect", "plan"])
def test_a_run_whose_new_plan_failed_is_red_whatever_an_old_one_says(
    stage: str, services: Services, two_documents: Repository
) -> None:
    for batch in _planned(services, two_documents, "again"):
        run_with(
            services,
            steps.index,
            "again",
            run_with(services, steps.chunk, "again", run_with(services, steps.extract, "again", batch)),
        )
    note = {"stage": stage, "error": "StackDownError", "reason": "PostgreSQL did not answer."}
    RunFolder(services.workspace, "again").write(f"errors/{stage}-0.json", note)
    with pytest.raises(RunFailedError, match="PostgreSQL did not answer"):
        run_with(services, steps.verdict, "again")
    assert services.catalog.sources.last_revision(services.live.generation.id, "norms") == ""


def test_a_verdict_that_is_broken_off_behind_its_end_stands(
    services: Services, two_documents: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run has given its lock back by then; tried again, it must not be taken for one that lost it."""
    for batch in _planned(services, two_documents, "once"):
        chunked = run_with(services, steps.chunk, "once", run_with(services, steps.extract, "once", batch))
        run_with(services, steps.index, "once", chunked)
    run_with(services, steps.retire, "once")

    def fail(*_: Any, **__: Any) -> None:
        raise ServiceUnavailableError("PostgreSQL did not answer.")

    with monkeypatch.context() as broken:
        broken.setattr("pipeline.steps.verdict_step.note_run_passed", fail)
        with pytest.raises(ServiceUnavailableError):
            run_with(services, steps.verdict, "once")
    generation = services.live.generation.id
    services.catalog.sources.set_last_revision(generation, "norms", "later")
    assert run_with(services, steps.verdict, "once")["state"] == "success"
    assert services.catalog.sources.last_revision(generation, "norms") == "later"
    assert not RunFolder(services.workspace, "once").has("plan.json")


def test_a_run_that_lost_the_lock_of_its_source_changes_nothing_more(
    services: Services, two_documents: Repository, ingest: Ingest
) -> None:
    ingest()
    (two_documents.path / "winch.md").unlink()
    two_documents.write("нормы/причалы.md", PIER.replace("4 кПа", "5 кПа"))
    two_documents.commit()
    [batch] = _planned(services, two_documents, "slow")
    extracted = run_with(services, steps.extract, "slow", batch)
    chunked = run_with(services, steps.chunk, "slow", extracted)
    services.catalog.locks.release("norms", "slow")
    assert services.catalog.locks.acquire("norms", "another", ttl_s=600)
    delta = RunFolder(services.workspace, "slow").key("delta.json")
    before = services.catalog.chunks.ids(services.live.generation.id)
    for call in (
        lambda: run_with(services, steps.plan, "slow", delta),
        lambda: run_with(services, steps.extract, "slow", batch),
        lambda: run_with(services, steps.chunk, "slow", extracted),
        lambda: run_with(services, steps.index, "slow", chunked),
        lambda: run_with(services, steps.retire, "slow"),
    ):
        with pytest.raises(LockLostError, match="lost the lock of 'norms'"):
            call()
    assert services.catalog.chunks.ids(services.live.generation.id) == before
    with pytest.raises(RunFailedError, match="lost the lock of 'norms'"):
        run_with(services, steps.verdict, "slow")
    assert services.catalog.locks.owner("norms") == "another"


def test_a_lock_that_is_lost_between_two_documents_stops_the_writing(
    services: Services, two_documents: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    [batch] = _planned(services, two_documents, "slow")
    chunked = run_with(services, steps.chunk, "slow", run_with(services, steps.extract, "slow", batch))
    write = IndexWriter.write_document

    def lose(*arguments: Any, **options: Any) -> Any:
        services.catalog.locks.release("norms", "slow")
        return write(*arguments, **options)

    monkeypatch.setattr(IndexWriter, "write_document", lose)
    with pytest.raises(LockLostError):
        run_with(services, steps.index, "slow", chunked)
    known = services.catalog.indexed.known_marks(
        services.live.generation.id, "norms", services.live.config_sig
    )
    assert len([mark for mark in known.values() if mark]) == 1


def test_what_another_run_may_have_indexed_is_not_set_aside(
    services: Services, two_documents: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    [batch] = _planned(services, two_documents, "slow")

    def lose(*_: Any) -> bytes:
        services.catalog.locks.release("norms", "slow")
        raise EncryptedDocumentError("It is encrypted.")

    monkeypatch.setattr("pipeline.steps.extract_step.open_source", lambda *_: SimpleNamespace(read=lose))
    with pytest.raises(LockLostError):
        run_with(services, steps.extract, "slow", batch)
    assert services.catalog.failures.find("norms") == []


def test_a_source_that_is_lost_while_it_is_listed_is_not_planned(
    services: Services, two_documents: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare_source(services, str(two_documents.path), SourceOptions(name="norms"))

    def lose(*arguments: Any) -> Any:
        services.catalog.locks.release("norms", "slow")
        return open_source(*arguments)

    monkeypatch.setattr("pipeline.steps.detect_step.open_source", lose)
    with pytest.raises(LockLostError):
        run_with(services, steps.detect, "slow", IngestRequest("norms"))
    assert not RunFolder(services.workspace, "slow").has("delta.json")
