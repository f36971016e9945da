"""Another generation is made equal to the live one, killed or not, whoever writes meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from indexing.catalog import Generation
from indexing.catalog.generations import GenerationState
from indexing.generations import begin
from pipeline import converging
from pipeline.converging import Converged, converge, failures_of
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.errors import FatalError, RubricaError
from rubrica.settings import Settings
from tests.support.git_repository import Repository
from tests.support.rebuilding import BAG, QUICK, SHORT, assert_sound, contents, use_quick_embedders

pytestmark = pytest.mark.integration

Make = Callable[..., Settings]

TEXT = "# О чём: {word}\n\n" + "\n\n".join(
    f"{{word}} номер {n} осматривают до начала сезона и после каждого шторма, а записи хранят три года."
    for n in range(4)
)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    use_quick_embedders(monkeypatch)


@pytest.fixture
def services(make_settings: Make) -> Iterator[Services]:
    with Services(make_settings(**QUICK)) as services:
        yield services


def write(repository: Repository, *words: str, **texts: str) -> str:
    for word in words:
        repository.write(f"{word}.md", TEXT.format(word=word))
    for name, text in texts.items():
        repository.write(f"{name}.md", text)
    return repository.commit()


def ingest(services: Services, place: Path, **request: Any) -> dict[str, Any]:
    spec = declare_source(services, str(place), SourceOptions(name="norms"))
    return run_here(services, IngestRequest(spec.name, **request), new_run_id("norms"), lambda *_: None)


@contextmanager
def building(make_settings: Make, **overrides: Any) -> Iterator[tuple[Services, Generation]]:
    """Services with other settings, and a generation that was begun with them."""
    with Services(make_settings(**QUICK | overrides)) as other:
        alias = other.settings.indexing.alias
        yield other, begin(alias, other.catalog, other.store, other.embedder, other.blueprint)


def clean_build(make_settings: Make, place: Path, **overrides: Any) -> list[tuple[str, str, int, int, str]]:
    """What an index holds that was built with these settings from the head at once."""
    settings = make_settings(**QUICK | overrides, alias=f"clean_{abs(hash(tuple(overrides))) % 10**9}")
    with Services(settings) as clean:
        ingest(clean, place)
        return contents(clean, clean.live.generation)


@pytest.mark.parametrize("overrides", [SHORT, BAG])
def test_it_equals_a_clean_build_and_then_costs_nothing(
    services: Services, repository: Repository, make_settings: Make, overrides: dict[str, Any]
) -> None:
    write(repository, "якорь", "настил", "лебёдка", пусто="")
    ingest(services, repository.path)
    with building(make_settings, **overrides) as (other, target):
        done = converge(other, target)
        assert (done.documents, done.failed, done.missing) == (4, 0, 0)
        assert converge(other, target) == Converged()
        assert_sound(other, target)
        assert contents(other, target) != contents(services, services.live.generation)
        built = contents(other, target)
    assert built == clean_build(make_settings, repository.path, **overrides)


def test_nothing_is_read_again_while_extraction_stays_the_same(
    services: Services, repository: Repository, make_settings: Make
) -> None:
    write(repository, "якорь", "настил")
    ingest(services, repository.path)
    repository.path.rename(repository.path.with_name("gone"))
    with building(make_settings, **SHORT) as (other, target):
        assert converge(other, target).documents == 2


def test_what_was_not_kept_is_read_at_the_revision_that_is_indexed(
    services: Services, repository: Repository, make_settings: Make
) -> None:
    write(repository, "якорь", "настил")
    ingest(services, repository.path)
    expected = clean_build(make_settings, repository.path, **SHORT)
    services.workspace.delete("documents")
    write(repository, якорь="Совсем другой текст.")
    with building(make_settings, **SHORT) as (other, target):
        assert converge(other, target) == Converged(documents=2, embedded=len(expected))
        assert contents(other, target) == expected


def test_a_folder_that_moved_on_keeps_what_is_indexed_until_it_is_ingested(
    services: Services, tmp_path: Path, make_settings: Make
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "якорь.md").write_text(TEXT.format(word="якорь"))
    (folder / "лот.md").write_text(TEXT.format(word="лот"))
    ingest(services, folder)
    (folder / "якорь.md").write_text("Новый текст про якорь.")
    with building(make_settings, **SHORT, ocr="off") as (other, target):
        done = converge(other, target)
        assert (done.documents, done.failed, done.missing) == (2, 0, 0)
        texts = " ".join(row[-1] for row in contents(other, target))
        assert "якорь номер 3" in texts
        ingest(services, folder)
        assert "якорь номер 3" not in " ".join(row[-1] for row in contents(other, target))
        assert_sound(other, target)


class _KilledError(RuntimeError):
    pass


@pytest.mark.parametrize(
    "call", ["indexing.store.store.VectorStore.upsert", "indexing.catalog.indexed.IndexedDocuments.save"]
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_cut_off_in_the_middle_it_goes_on_and_leaves_no_orphan(
    services: Services,
    repository: Repository,
    make_settings: Make,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    when: str,
) -> None:
    write(repository, "багор", "якорь", "настил", "трос")
    ingest(services, repository.path)
    with building(make_settings, **SHORT) as (other, target):
        with monkeypatch.context() as patch:
            patch.setattr(call, _deadly(call, when, nth=2))
            with pytest.raises(_KilledError):
                converge(other, target)
        # The document that was being written is removed before anybody tries again.
        (repository.path / "настил.md").unlink()
        (repository.path / "якорь.md").unlink()
        repository.commit()
        ingest(services, repository.path)
        converge(other, target)
        assert_sound(other, target)
        assert {row[0] for row in contents(other, target)} == {"багор.md", "трос.md"}


def _deadly(call: str, when: str, nth: int) -> Callable[..., Any]:
    from pkgutil import resolve_name

    original = resolve_name(call)
    calls = 0

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == nth and when == "before":
            raise _KilledError
        result = original(*args, **kwargs)
        if calls == nth:
            raise _KilledError
        return result

    return wrapped


def test_a_commit_that_lands_before_the_write_is_not_overwritten(
    services: Services, repository: Repository, make_settings: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, "якорь", "настил")
    ingest(services, repository.path)
    original = converging._Converging._write
    landed: list[str] = []

    def write_late(self: Any, live: Any, *rest: Any) -> Converged:
        if not landed:
            landed.append(live.path)
            (repository.path / "настил.md").unlink()
            write(repository, якорь="# Якорь\n\nГруз якоря весит сорок килограммов.")
            ingest(services, repository.path)
        return original(self, live, *rest)

    with building(make_settings, **SHORT) as (other, target):
        monkeypatch.setattr(converging._Converging, "_write", write_late)
        converge(other, target)
        assert_sound(other, target)
        built = contents(other, target)
        assert converge(other, target) == Converged()
    assert built == clean_build(make_settings, repository.path, **SHORT)


def test_a_document_that_only_the_target_cannot_take_is_told_and_not_tried_again(
    services: Services, repository: Repository, make_settings: Make
) -> None:
    write(repository, "якорь", щётка="Тут лежит щётка.")
    ingest(services, repository.path)
    with building(make_settings, embedder="fussy") as (other, target):
        assert converge(other, target).failed == 1
        [failure] = failures_of(other, target).values()
        assert (failure.path, failure.reason) == ("щётка.md", "A passage is too long.")
        assert other.catalog.failures.find() == []
        assert converge(other, target) == Converged()
        write(repository, щётка="Теперь её нет.")
        ingest(services, repository.path)
        assert failures_of(other, target) == {}
        assert "щётка.md" in {row[0] for row in contents(other, target)}


def test_a_failed_document_keeps_its_last_good_version_and_an_emptied_one_does_not(
    services: Services, repository: Repository, make_settings: Make
) -> None:
    repository.write("опись.csv", "имя,вес\nякорь,40\n")
    write(repository, "настил")
    ingest(services, repository.path)
    repository.write("опись.csv", b"PK\x03\x04 broken" * 10)
    write(repository, настил=" \n")
    ingest(services, repository.path)
    failed = {record.failure.path for record in services.catalog.failures.find()}
    assert "настил.md" in failed
    with building(make_settings, **SHORT) as (other, target):
        converge(other, target)
        live = {row[0] for row in contents(services, services.live.generation)}
        assert {row[0] for row in contents(other, target)} == live
        assert converge(other, target) == Converged()
        assert {record.failure.path for record in other.catalog.failures.find()} == failed


def test_a_dropped_target_stops_the_work(
    services: Services, repository: Repository, make_settings: Make
) -> None:
    write(repository, "якорь")
    ingest(services, repository.path)
    with building(make_settings, **SHORT) as (other, target):
        other.catalog.generations.end(target.id, GenerationState.DROPPED, note="It was cancelled.")
        with pytest.raises(FatalError, match="It was cancelled"):
            converge(other, target)


def test_trouble_with_a_follower_does_not_stop_the_ingestion(
    services: Services, repository: Repository, make_settings: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, "якорь")
    ingest(services, repository.path)
    with building(make_settings, **SHORT) as (other, target):

        def fail(*_: Any, **__: Any) -> Converged:
            raise RubricaError("No space is left.")

        with monkeypatch.context() as patch:
            patch.setattr("pipeline.steps.mirror_step.converge", fail)
            write(repository, "настил")
            assert ingest(services, repository.path)["state"] == "success"
        assert "No space is left" in other.catalog.generations.get(target.id).note  # type: ignore[union-attr]
        converge(other, target)
        assert {row[0] for row in contents(other, target)} == {"якорь.md", "настил.md"}


def test_the_mirror_does_not_count_in_the_run(
    services: Services, repository: Repository, make_settings: Make
) -> None:
    write(repository, "якорь")
    ingest(services, repository.path)
    with building(make_settings, **SHORT) as (other, target):
        write(repository, "настил")
        result = ingest(services, repository.path)
        live = [row for row in contents(services, services.live.generation) if row[0] == "настил.md"]
        mirrored = [row for row in contents(other, target) if row[0] == "настил.md"]
        assert len(mirrored) > len(live) == result["chunks_written"] == result["chunks_embedded"]
        assert {row[0] for row in contents(other, target)} == {"настил.md"}
