"""A history replayed commit by commit ends as a clean ingestion of its head, for what each commit changed."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.settings import Settings
from tests.support.git_repository import Repository
from tests.support.index_contents import in_milvus, in_postgres
from tests.support.indexing import DigestEmbedder

pytestmark = pytest.mark.integration

SHARED = Path(os.environ.get("RUBRICA_SHARED", Path(__file__).parents[4] / "shared")) / "data" / "docs"
SUFFIXES = (".md", ".html", ".docx", ".csv", ".txt")
QUICK: dict[str, Any] = {"strategy": "heading", "max_tokens": 48, "min_tokens": 0, "redis_url": ""}


def markdown(name: str, *numbers: int) -> str:
    sections = [
        f"## {name} {n}\n\n{name} номер {n} осматривают весной. Запись {n} хранят три года." for n in numbers
    ]
    return "\n\n".join([f"# {name}", *sections]) + "\n"


def html(name: str, *numbers: int) -> str:
    sections = "".join(
        f"<h2>{name} {n}</h2><p>The {name} number {n} is greased in spring. Record {n} is kept.</p>"
        for n in numbers
    )
    return f"<html><head><title>{name}</title></head><body><h1>{name}</h1>{sections}</body></html>"


def plain(*numbers: int) -> str:
    return "\n\n".join(
        f"Извещение {n}. Работы на пирсе {n} начинают утром и кончают вечером." for n in numbers
    )


def real_files() -> dict[str, bytes]:
    """The smallest real file of some formats, where there are any."""
    found: dict[str, bytes] = {}
    files = (path for path in SHARED.rglob("*") if path.is_file() and path.stat().st_size > 2_000)
    for path in sorted(files, key=lambda path: (path.stat().st_size, path.name)):
        if path.suffix in SUFFIXES:
            found.setdefault(f"real/{path.suffix[1:]}{path.suffix}", path.read_bytes())
    return found


class Tree:
    """The work tree, as a person edits it."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.write = repository.write

    def move(self, old: str, new: str) -> None:
        target = self.repository.path / new
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.repository.path / old).rename(target)

    def swap(self, one: str, other: str) -> None:
        self.move(one, "swapping")
        self.move(other, one)
        self.move("swapping", other)

    def remove(self, path: str) -> None:
        (self.repository.path / path).unlink()


Edit = Callable[[Tree], Any]


def _begin(tree: Tree) -> None:
    tree.write("нормы/причал.md", markdown("Причал", *range(1, 9)))
    tree.write("лебёдка.md", markdown("Лебёдка", *range(1, 7)))
    tree.write("site/winch.html", html("winch", 1, 2, 3, 4))
    tree.write("notices/one.txt", plain(1, 2, 3))
    tree.write("журнал.csv", "место,глубина\n" + "\n".join(f"{n},{n}.5" for n in range(20)))


def _rename_and_edit(tree: Tree) -> None:
    tree.move("notices/one.txt", "notices/two.txt")
    tree.write("notices/two.txt", plain(1, 2, 3, 4, 5))


def _chain(tree: Tree) -> None:
    """A name is handed on: a → b, b → c."""
    tree.move("нормы/причал-2.md", "нормы/причал-3.md")
    tree.move("лебёдка.md", "нормы/причал-2.md")


def _real(tree: Tree) -> None:
    for path, content in real_files().items():
        tree.write(path, content)


def _edit_real(tree: Tree) -> None:
    path = tree.repository.path / "real/md.md"
    if path.exists():
        tree.write("real/md.md", "Новое начало настоящего документа.\n\n" + path.read_text(encoding="utf-8"))
    tree.write("readme.md", markdown("Описание", 1))


HISTORY: dict[str, Edit] = {
    "the first documents": _begin,
    "an edit at the top": lambda tree: tree.write("нормы/причал.md", markdown("Причал", 99, *range(1, 9))),
    "an edit at the end": lambda tree: tree.write("notices/one.txt", plain(1, 2, 3, 4)),
    "a rename": lambda tree: tree.move("site/winch.html", 'site/old "winch".html'),
    "a copy": lambda tree: tree.write("копия.md", markdown("Лебёдка", *range(1, 7))),
    "two that swap names": lambda tree: tree.swap("нормы/причал.md", "лебёдка.md"),
    "a rename with an edit": _rename_and_edit,
    "a removal": lambda tree: tree.remove("копия.md"),
    "one that is emptied": lambda tree: tree.write("журнал.csv", " \n"),
    "one that turns binary": lambda tree: tree.write("лебёдка.md", b"\x00\x01\x02\xff" * 400),
    "a name born again": lambda tree: tree.write("копия.md", markdown("Копия", 1, 2)),
    "the binary one mended": lambda tree: tree.write("лебёдка.md", markdown("Лебёдка", *range(1, 6))),
    "the emptied one filled": lambda tree: tree.write("журнал.csv", "место,глубина\n1,2.5\n"),
    "a rename into a folder": lambda tree: tree.move("нормы/причал.md", "нормы/причал-2.md"),
    "a name handed on": _chain,
    "real documents": _real,
    "an edit of one of them": _edit_real,
    "nothing": lambda tree: None,
    "one that is emptied for good": lambda tree: tree.write("копия.md", ""),
}


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> DigestEmbedder:
    """The one that the settings name, without a cache: only what is kept in the index saves work."""
    embedder = DigestEmbedder()
    monkeypatch.setattr("indexing.embedders.factory.build_embedder", lambda _: embedder)
    return embedder


@pytest.fixture
def services(embedder: DigestEmbedder, make_settings: Callable[..., Settings]) -> Iterator[Services]:
    with Services(make_settings(**QUICK)) as services:
        yield services


def ingest(services: Services, repository: Repository, source: str) -> dict[str, Any]:
    spec = declare_source(services, str(repository.path), SourceOptions(name=source))
    asked = IngestRequest(spec.name, allow_removals=True)
    return run_here(services, asked, new_run_id(spec.name), lambda *_: None)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a commit changed in the repository, and what its run did.

    Attributes:
        touched: Chunks of the files that it wrote.
        held: Chunks of all files.
        run: The run's summary.
    """

    touched: int
    held: int
    run: dict[str, Any]


def replay(services: Services, repository: Repository, embedder: DigestEmbedder) -> dict[str, Cost]:
    """Make and ingest every commit; both databases agree after each."""
    tree = Tree(repository)
    costs: dict[str, Cost] = {}
    for name, edit in HISTORY.items():
        edit(tree)
        repository.commit(name)
        before = in_postgres(services, "norms") if costs else []
        embedder.embedded.clear()
        run = ingest(services, repository, "norms")
        after = in_postgres(services, "norms")
        assert after == in_milvus(services, "norms"), name
        assert run["chunks_embedded"] == len(embedder.embedded) == run["chunks_written"], name
        assert len(after) == len(before) + run["chunks_written"] - run["chunks_removed"], name
        costs[name] = Cost(_chunks_of_edited(repository, after), len(after), run)
    return costs


def _chunks_of_edited(repository: Repository, rows: list[tuple[str, int, int, int, str]]) -> int:
    """Chunks of the files whose content the last commit wrote."""
    raw = repository.git("show", "--name-only", "-z", "--format=", "--diff-filter=AM", "-M100%", "HEAD")
    edited = set(raw.split("\0"))
    return sum(path in edited for path, *_ in rows)


def test_a_replayed_history_ends_as_a_clean_ingestion(
    services: Services,
    repository: Repository,
    embedder: DigestEmbedder,
    make_settings: Callable[..., Settings],
) -> None:
    costs = replay(services, repository, embedder)
    with Services(make_settings(**QUICK, alias=f"clean_{uuid.uuid4().hex}")) as clean:
        ingest(clean, repository, "clean")
        expected = in_postgres(clean, "clean")
        assert in_milvus(clean, "clean") == expected
    assert in_postgres(services, "norms") == expected
    assert in_milvus(services, "norms") == expected
    assert len({row[0] for row in expected}) >= 7
    _assert_proportional(costs)


def _assert_proportional(costs: dict[str, Cost]) -> None:
    for name, cost in costs.items():
        assert cost.run["chunks_written"] + cost.run["chunks_kept"] <= cost.touched, name
    written = {name: cost.run["chunks_written"] for name, cost in costs.items()}
    free = ("a rename", "a rename into a folder", "nothing", "a removal", "one that is emptied")
    assert {name: written[name] for name in free} == dict.fromkeys(free, 0)
    assert written["an edit at the top"] == 2
    assert written["an edit at the end"] <= 2
    assert 3 * sum(written.values()) < sum(cost.held for cost in costs.values())
    states = {name: cost.run["state"] for name, cost in costs.items()}
    warned = {"one that is emptied", "one that turns binary", "one that is emptied for good"}
    assert {name for name, state in states.items() if state == "warning"} == warned
