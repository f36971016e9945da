"""An edit costs what it changed: through the whole pipeline, to the chunk."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.model import Chunk
from rubrica.settings import Settings
from tests.support.git_repository import Repository
from tests.support.index_contents import in_milvus, in_postgres, milvus_rows, vectors
from tests.support.indexing import DigestEmbedder

pytestmark = pytest.mark.integration

SOURCE = "norms"
SMALL: dict[str, Any] = {"strategy": "heading", "max_tokens": 40, "min_tokens": 0}
"""Sections are chunks, so an edit in one moves no border of another."""

SECTIONS = [
    f"## Место {n}\n\nМесто номер {n} осматривают до начала сезона и после шторма. Журнал ведёт смотритель."
    for n in range(1, 13)
]

PAGE = (
    "На странице {n} речь идёт о месте номер {n}, о его лодках, вёслах, спасательных кругах и о том,"
    " кто за ними смотрит зимой и летом, когда вода стоит низко."
)


def text_of(*paragraphs: str, title: str = "Причалы") -> str:
    return "\n\n".join([f"# {title}", *paragraphs]) + "\n"


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> DigestEmbedder:
    """The one that the settings name; what it embedded is cached for this test alone."""
    embedder = DigestEmbedder()
    embedder.revision = uuid.uuid4().hex
    monkeypatch.setattr("indexing.embedders.factory.build_embedder", lambda _: embedder)
    return embedder


@pytest.fixture
def services(embedder: DigestEmbedder, make_settings: Callable[..., Settings]) -> Iterator[Services]:
    with Services(make_settings(**SMALL)) as services:
        yield services


class Index:
    """A repository and the index of it; what every run costs is known."""

    def __init__(self, services: Services, repository: Repository, embedder: DigestEmbedder) -> None:
        self.services = services
        self.repository = repository
        self.embedder = embedder

    def commit(self, services: Services | None = None) -> dict[str, Any]:
        """Commit what was written, bring the index up to date; both databases agree."""
        self.repository.commit()
        self.embedder.embedded.clear()
        used = services or self.services
        spec = declare_source(used, str(self.repository.path), SourceOptions(name=SOURCE))
        asked = IngestRequest(spec.name, allow_removals=True)
        run = run_here(used, asked, new_run_id(spec.name), lambda *_: None)
        assert run["chunks_embedded"] == len(self.embedder.embedded) == run["embed_cache_misses"]
        assert run["chunks_written"] == run["chunks_embedded"] + run["embed_cache_hits"]
        assert in_postgres(used, SOURCE) == in_milvus(used, SOURCE)
        return run

    def write(self, path: str, *paragraphs: str, title: str = "Причалы") -> dict[str, Any]:
        self.repository.write(path, text_of(*paragraphs, title=title))
        return self.commit()

    def move(self, old: str, new: str) -> None:
        target = self.repository.path / new
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.repository.path / old).rename(target)

    def chunks(self, path: str) -> list[Chunk]:
        id_ = self.services.catalog.documents.ids_by_path(SOURCE)[path]
        return self.services.catalog.chunks.of_document(self.services.live.generation.id, id_)


@pytest.fixture
def index(services: Services, repository: Repository, embedder: DigestEmbedder) -> Index:
    return Index(services, repository, embedder)


def costs(run: dict[str, Any], *names: str) -> list[int]:
    return [run[name] for name in names or ("chunks_written", "chunks_kept", "chunks_removed")]


def test_an_edit_at_the_top_embeds_it_alone_and_moves_the_rest_in_place(index: Index) -> None:
    first = index.write("a.md", *SECTIONS)
    before = index.chunks("a.md")
    assert costs(first) == [len(before), 0, 0]
    run = index.write("a.md", "## Лодки\n\nСовсем новый первый раздел о причалах и лодках.", *SECTIONS)
    after = index.chunks("a.md")
    kept = {chunk.id: chunk for chunk in before}
    moved = [chunk for chunk in after if chunk.id in kept]
    # The first chunk also holds the title, which now stands above another section.
    assert (len(before), len(after), len(moved)) == (12, 13, 11)
    assert costs(run) == [2, 11, 1]
    assert run["chunks_embedded"] == 2
    assert all(chunk.start > kept[chunk.id].start for chunk in moved)
    assert [chunk.ordinal for chunk in moved] == list(range(2, 13))
    stored = {
        row["chunk_id"]: (row["ordinal"], row["char_start"], row["char_end"])
        for row in milvus_rows(index.services)
    }
    assert stored == {chunk.id: (chunk.ordinal, chunk.start, chunk.end) for chunk in after}


def test_a_page_before_the_others_moves_their_pages(index: Index) -> None:
    pages = [PAGE.format(n=n) for n in range(1, 6)]
    index.repository.write("a.txt", "\f".join(pages))
    index.commit()
    before = {chunk.id: chunk.page_from for chunk in index.chunks("a.txt")}
    index.repository.write("a.txt", "\f".join([PAGE.format(n="ноль"), *pages]))
    run = index.commit()
    after = index.chunks("a.txt")
    moved = {chunk.id: chunk.page_from for chunk in after if chunk.id in before}
    assert list(before.values()) == [1, 2, 3, 4, 5]
    assert list(moved.values()) == [2, 3, 4, 5, 6]
    assert costs(run, "chunks_embedded", "chunks_kept") == [1, 5]
    collection = index.services.live.generation.collection
    rows = index.services.store.fetch(collection, list(moved))
    assert {id_: row["page_from"] for id_, row in rows.items()} == moved


def test_a_rename_embeds_nothing(index: Index) -> None:
    index.write("a.md", *SECTIONS)
    before = index.chunks("a.md")
    index.move("a.md", 'старое/б "в".md')
    run = index.commit()
    assert costs(run, "moved", "changed", "added", "removed") == [1, 0, 0, 0]
    assert costs(run) == [0, 0, 0]
    assert index.chunks('старое/б "в".md') == before


def test_names_that_are_swapped_embed_nothing(index: Index) -> None:
    index.write("a.md", *SECTIONS[:6])
    index.write("b.md", *SECTIONS[6:])
    texts = {path: [chunk.text for chunk in index.chunks(path)] for path in ("a.md", "b.md")}
    index.move("a.md", "c.md")
    index.move("b.md", "a.md")
    index.move("c.md", "b.md")
    run = index.commit()
    assert costs(run, "added", "removed", "chunks_embedded") == [0, 0, 0]
    assert [chunk.text for chunk in index.chunks("a.md")] == texts["b.md"]
    assert [chunk.text for chunk in index.chunks("b.md")] == texts["a.md"]


def test_a_document_that_moved_and_was_edited_embeds_what_is_new(index: Index) -> None:
    """Its content changed, so it is born anew under its new name; its vectors are known."""
    index.write("a.md", *SECTIONS)
    before = index.chunks("a.md")
    index.move("a.md", "b.md")
    run = index.write("b.md", *SECTIONS, "## Конец\n\nПоследний раздел, которого прежде не было.")
    assert costs(run, "added", "removed", "moved") == [1, 1, 0]
    assert costs(run, "chunks_removed") == [len(before)]
    assert costs(run, "chunks_embedded", "embed_cache_hits") == [1, len(before)]


def test_an_emptied_document_loses_its_chunks_and_gets_them_back_for_nothing(index: Index) -> None:
    index.write("a.md", *SECTIONS)
    count = len(index.chunks("a.md"))
    index.repository.write("a.md", " \n")
    assert costs(index.commit()) == [0, 0, count]
    assert in_milvus(index.services, SOURCE) == []
    back = index.write("a.md", *SECTIONS)
    assert costs(back, "chunks_written", "chunks_embedded", "embed_cache_hits") == [count, 0, count]


def test_the_same_text_twice_is_two_chunks_and_one_vector(index: Index) -> None:
    twin = "## Дважды\n\nЭтот раздел стоит в документе дважды, и оба раза он один и тот же, до точки."
    run = index.write("a.md", SECTIONS[0], twin, SECTIONS[1], twin)
    chunks = index.chunks("a.md")
    texts = [chunk.text for chunk in chunks]
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert len(set(texts)) == len(texts) - 1
    assert costs(run, "chunks_written", "chunks_embedded") == [len(texts), len(set(texts))]
    copy = index.write("b.md", SECTIONS[0], twin, SECTIONS[1], twin)
    assert costs(copy, "chunks_written", "chunks_embedded") == [len(texts), 0]
    fewer = index.write("a.md", SECTIONS[0], twin, SECTIONS[1])
    assert fewer["chunks_embedded"] == 0
    assert len(index.chunks("a.md")) == len(texts) - 1


def test_a_new_title_embeds_all_chunks_that_say_it(index: Index) -> None:
    """The context line is part of what is embedded."""
    index.write("a.md", *SECTIONS)
    count = len(index.chunks("a.md"))
    run = index.write("a.md", *SECTIONS, title="Пристани")
    assert costs(run) == [len(index.chunks("a.md")), 0, count]
    assert run["chunks_embedded"] == count


def test_settings_that_change_no_chunk_embed_nothing(
    index: Index, make_settings: Callable[..., Settings]
) -> None:
    first = index.write("a.md", *SECTIONS)
    with Services(make_settings(**SMALL, embed_batch=1, vector_cache_mb=64, scorer_threads=1)) as other:
        run = index.commit(other)
    assert costs(run, "changed", "chunks_written", "chunks_embedded") == [0, 0, 0]
    assert first["chunks_written"] == len(index.chunks("a.md"))


def test_another_index_of_the_same_text_is_built_without_the_model(
    index: Index, make_settings: Callable[..., Settings]
) -> None:
    """So is a new generation: where other settings cut the same chunk, its vector is known."""
    first = index.write("a.md", *SECTIONS)
    made = index.services.live.generation.collection
    uri = index.services.settings.services.milvus_uri
    with Services(make_settings(**SMALL, alias=f"t_{uuid.uuid4().hex}")) as other:
        again = index.commit(other)
        copied = vectors(other.store, other.live.generation.collection, uri)
    assert costs(again, "chunks_written", "chunks_embedded") == [first["chunks_written"], 0]
    assert copied == vectors(index.services.store, made, uri)
    with Services(make_settings(**SMALL | {"context_line": False}, alias=f"t_{uuid.uuid4().hex}")) as bare:
        # The first chunk holds the title anyway.
        assert index.commit(bare)["chunks_embedded"] == first["chunks_written"] - 1
