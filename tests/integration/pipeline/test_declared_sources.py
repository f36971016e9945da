"""Sources of every kind, declared in a file, on real services and a real web server."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]
import pytest

from pipeline.declaring import EXAMPLE, overview, sync_declared
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.errors import ConfigurationError, RunFailedError, SourceError, SourceUnavailableError
from rubrica.log import configure_logging
from rubrica.model import SourceSpec
from tests.support.command_line import CommandLine
from tests.support.git_repository import Repository
from tests.support.web_site import WebSite, web_site

pytestmark = pytest.mark.integration

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def site() -> Iterator[WebSite]:
    with web_site() as site:
        yield site


@pytest.fixture
def bucket() -> Iterator[str]:
    root = f"memory://{uuid.uuid4().hex}/norms"
    yield root
    fsspec.filesystem("memory").rm(root, recursive=True)


@pytest.fixture
def run(services: Services) -> Run:
    def run(place: str, options: SourceOptions | None = None, **request: Any) -> dict[str, Any]:
        spec = declare_source(services, place, options or SourceOptions())
        return run_here(services, IngestRequest(spec.name, **request), new_run_id(spec.name), lambda *_: None)

    return run


@pytest.fixture
def rubrica(
    services: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandLine:
    settings = services.settings
    monkeypatch.setenv("RUBRICA_HOME", str(settings.home))
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", settings.services.postgres_url.get_secret_value())
    monkeypatch.setenv("RUBRICA_REDIS_URL", settings.services.redis_url.get_secret_value())
    monkeypatch.setenv("RUBRICA_MILVUS_URI", settings.services.milvus_uri)
    monkeypatch.setenv("RUBRICA_ALIAS", settings.indexing.alias)
    return CommandLine(monkeypatch, capsys)


def declare(services: Services, text: str) -> Path:
    path = services.settings.home / "sources.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def counted(result: dict[str, Any]) -> tuple[int, ...]:
    return tuple(result[name] for name in ("added", "changed", "moved", "removed", "failed"))


def test_a_site_is_followed(services: Services, run: Run, site: WebSite) -> None:
    pages = {
        "/ring.md": "Спасательный круг весит 2,5 кг.",
        "/belt.md": "Пояс весит 1 кг.",
        "/a.md": "Шлюпка.",
    }
    for target, text in pages.items():
        site.write(target, f"# Нормы\n\n{text}\n")
    location = site.sitemap(*pages)
    declare(services, f"sources: {{site: {{http: '{location}'}}}}")

    assert counted(run("site")) == (3, 0, 0, 0, 0)
    site.requests()
    again = run("site")
    assert counted(again) == (0, 0, 0, 0, 0)
    assert site.requests() == {"GET 200": 1, "HEAD 304": 3}

    site.write("/belt.md", "# Нормы\n\nПояс весит 900 г.\n")
    site.write("/new.md", "# Новое\n\nНовая норма.\n")
    site.sitemap("/ring.md", "/belt.md", "/new.md")
    assert counted(run("site")) == (1, 1, 0, 1, 0)
    [known] = services.catalog.sources.all(services.live.generation.id)
    assert known.last_revision != again["to_revision"]


def test_a_site_that_is_busy_removes_nothing(services: Services, run: Run, site: WebSite) -> None:
    site.write("/a.md", "# А\n\nТекст.\n")
    site.write("/b.md", "# Б\n\nТекст.\n")
    location = site.sitemap("/a.md", "/b.md")
    assert counted(run(location)) == (2, 0, 0, 0, 0)
    [known] = services.catalog.sources.all(services.live.generation.id)
    site.write("/sitemap.xml", "<html><body>Sign in</body></html>")
    with pytest.raises(RunFailedError, match="no sitemap"):
        run(location)
    site.sitemap("/a.md", "/b.md")
    site.fail("/b.md", *[503] * 8, Retry_After="0")
    with pytest.raises(RunFailedError, match="503"):
        run(location)
    assert services.catalog.sources.all(services.live.generation.id) == [known]
    assert services.catalog.indexed.counts(services.live.generation.id) == {(known.spec.name, "indexed"): 2}


def test_an_object_storage_is_followed(services: Services, run: Run, bucket: str) -> None:
    storage = fsspec.filesystem("memory")
    for name in ("a", "b", "c"):
        storage.pipe(f"{bucket}/{name}.md", f"# {name}\n\nТекст {name}.\n".encode())
    assert counted(run(bucket, SourceOptions(name="bucket"))) == (3, 0, 0, 0, 0)
    assert counted(run("bucket")) == (0, 0, 0, 0, 0)
    storage.pipe(f"{bucket}/a.md", "# a\n\nДругой текст.\n".encode())
    storage.rm(f"{bucket}/b.md")
    assert counted(run("bucket")) == (0, 1, 0, 1, 0)
    storage.rm(bucket, recursive=True)
    storage.pipe(f"{bucket}-other/x.md", b"x")
    with pytest.raises(RunFailedError, match="holds no document"):
        run("bucket")
    storage.pipe(f"{bucket}/c.md", b"x")


def test_the_file_wins_and_never_removes(services: Services, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text("text")
    declare_source(services, str(tmp_path / "one"), SourceOptions(name="letters"))
    path = declare(
        services, f"sources: {{letters: {{folder: {tmp_path}/two}}, more: {{folder: {tmp_path}/one}}}}"
    )
    assert [(item.spec.name, item.state) for item in overview(services)] == [
        ("letters", "changed"),
        ("more", "declared"),
    ]
    done = sync_declared(services)
    assert (done.added, done.changed, done.unchanged, done.undeclared) == (("more",), ("letters",), (), ())
    assert sync_declared(services).unchanged == ("letters", "more")
    spec = services.catalog.sources.get("letters")
    assert spec is not None
    assert spec.location == str(tmp_path / "two")
    # A command cannot say otherwise, and finds the declared name for a declared place.
    with pytest.raises(ConfigurationError, match=r"declared in .*sources\.yaml"):
        declare_source(services, "letters", SourceOptions(include=["*.md"]))
    with pytest.raises(ConfigurationError, match="declared in"):
        declare_source(services, str(tmp_path), SourceOptions(name="more"))
    assert declare_source(services, str(tmp_path / "two"), SourceOptions()).name == "letters"

    declare(services, "sources: {}")
    assert sync_declared(services).undeclared == ("letters", "more")
    assert services.catalog.sources.get("letters") == spec
    path.write_text("sources: {letters: {foldr: x}}")
    with pytest.raises(ConfigurationError, match="Did you mean `folder`"):
        sync_declared(services)


def test_what_is_not_given_stays_as_it_was(services: Services, rubrica: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "drafts").mkdir(parents=True)
    for name in ("a.txt", "b.md", "secret.txt", "drafts/d.txt"):
        (folder / name).write_text(f"Текст {name}.")
    started = ("--name", "norms", "--include", "*.txt", "--exclude", "/secret.txt", "--here", "--json")
    assert rubrica("ingest", str(folder), *started).objects[-1]["added"] == 2
    again = rubrica("ingest", "norms", "--exclude", "drafts/", "--here", "--json", "--allow-removals")
    assert (again.objects[-1]["added"], again.objects[-1]["removed"]) == (0, 1)
    assert "still leaves out /secret.txt; --exclude '!/secret.txt' takes it back." in again.err
    # Told by its address, it is the same source; another name makes another one, which knows no options.
    said: list[str] = []
    spec = declare_source(services, str(folder), SourceOptions(include=["*.md"]), said.append)
    assert (spec.name, spec.include, spec.exclude) == ("norms", ("*.md",), ("drafts/", "/secret.txt"))
    assert said == ["The source 'norms' no longer asks for *.txt."]
    assert declare_source(services, str(folder), SourceOptions(kind="folder")) == spec
    other = declare_source(services, str(folder), SourceOptions(name="other"))
    assert (other.include, other.exclude) == ((), ())
    # It moved: what was left out stays so.
    folder.rename(tmp_path / "moved")
    moved = declare_source(services, str(tmp_path / "moved"), SourceOptions(name="norms"))
    assert (moved.location, moved.exclude) == (str(tmp_path / "moved"), spec.exclude)


def test_a_branch_stays_and_options_of_a_place_do_not_move(
    services: Services, repository: Repository, site: WebSite
) -> None:
    repository.write("a.md", "text")
    repository.commit()
    repository.git("branch", "release")
    place = str(repository.path)
    assert declare_source(services, place, SourceOptions(name="norms", branch="release")).branch == "release"
    spec = declare_source(services, "norms", SourceOptions(exclude=["drafts/"]))
    assert (spec.branch, spec.exclude) == ("release", ("drafts/",))
    assert declare_source(services, place, SourceOptions(branch="release", include=["*.md"])).name == "norms"
    main = declare_source(services, place, SourceOptions(include=["*.md"]))
    assert (main.name == "norms", main.branch) == (False, "")

    old, new = (site.listing(f"/{folder}/", "a.md") for folder in ("old", "new"))
    for folder in ("old", "new"):
        site.write(f"/{folder}/a.md", "text")
    services.catalog.sources.register(SourceSpec("site", "http", old, options={"depth": 2}))
    here = declare_source(services, "site", SourceOptions(exclude=["drafts/"]))
    assert (here.options, here.exclude) == ({"depth": 2}, ("drafts/",))
    there = declare_source(services, new, SourceOptions(name="site", kind="http"))
    assert (there.location, there.options, there.exclude) == (new, {}, ("drafts/",))


def test_a_declared_place_is_not_read_otherwise_under_its_address(services: Services, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    declare(services, f"sources: {{letters: {{folder: {tmp_path}/one, exclude: [drafts/]}}}}")
    with pytest.raises(ConfigurationError, match=r"'letters' is declared in"):
        declare_source(services, str(tmp_path / "one"), SourceOptions(exclude=["old/"]))
    assert declare_source(services, str(tmp_path / "one"), SourceOptions(kind="folder")).name == "letters"
    assert [source.spec.exclude for source in services.catalog.sources.all()] == [("drafts/",)]


def test_the_file_takes_no_single_document_back_in_silence(
    services: Services, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one").mkdir()
    declare_source(services, str(tmp_path / "one"), SourceOptions(name="letters", exclude=["/a.md", "old/"]))
    declare(services, f"sources: {{letters: {{folder: {tmp_path}/one}}}}")
    configure_logging(json_lines=True)
    assert sync_declared(services).changed == ("letters",)
    assert '"documents": ["/a.md"]' in capsys.readouterr().err


def test_options_reach_the_catalog_and_back(services: Services, site: WebSite) -> None:
    site.write("/files/a.md", "text")
    base = site.listing("/files/", "a.md")
    options = "{depth: 2, recheck_hours: 0}"
    declare(services, f"sources: {{files: {{http: '{base}', auth_env: FILES_LOGIN, options: {options}}}}}")
    spec = declare_source(services, "files", SourceOptions())
    assert services.catalog.sources.get("files") == spec
    assert spec.options == {"depth": 2, "recheck_hours": 0, "auth_env": "FILES_LOGIN"}
    assert sync_declared(services).unchanged == ("files",)


def test_what_cannot_be_read_is_not_watched(services: Services, site: WebSite) -> None:
    with pytest.raises(SourceError, match="There is nothing at"):
        declare_source(services, f"{site.origin}/sitemap.xml", SourceOptions())
    site.listing("/files/", "a.md")
    site.write("/files/a.md", "text")
    with pytest.raises((SourceError, SourceUnavailableError)) as caught:
        declare_source(services, f"{site.origin}/files/", SourceOptions())
    assert "--kind http" in str(caught.value)
    assert services.catalog.sources.all() == []
    assert declare_source(services, f"{site.origin}/files/", SourceOptions(kind="http")).kind == "http"


def test_the_commands(
    services: Services,
    rubrica: CommandLine,
    site: WebSite,
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "example" in rubrica("sources", "check").out
    assert "example" in rubrica("sources", "sync").out
    repository.write("круги.md", "# Круги\n\nКруг весит 2,5 кг.\n")
    repository.commit()
    site.write("/a.md", "text")
    declare(
        services,
        f"sources:\n  norms: {{git: '{repository.path}', poll: 90s, webhook_secret_env: NORMS_HOOK}}\n"
        f"  site: {{http: '{site.sitemap('/a.md')}', poll: never}}\n",
    )
    monkeypatch.setenv("NORMS_HOOK", "hunter2")
    checked = rubrica("sources", "check", "--json")
    assert (checked.code, [(item["name"], item["documents"]) for item in checked.objects]) == (
        0,
        [("norms", 1), ("site", 1)],
    )
    shown = rubrica("sources", "--json").objects
    assert [(item["name"], item["state"], item["poll_s"], item["webhook"]) for item in shown] == [
        ("norms", "declared", 90, True),
        ("site", "declared", None, False),
    ]
    del site.pages["/sitemap.xml"]
    broken = rubrica("sources", "check")
    assert broken.code == 1
    assert "✓ norms" in broken.out
    assert "There is nothing at" in broken.out

    assert rubrica("sources", "sync", "--json").objects == [
        {"type": "sources", "added": ["norms", "site"], "changed": [], "unchanged": [], "undeclared": []}
    ]
    run = rubrica("ingest", "norms", "--here", "--json")
    assert (run.code, run.objects[-1]["added"]) == (0, 1)
    declare(services, "sources: {}")
    [norms, _] = rubrica("sources", "--json").objects
    assert (norms["state"], norms["indexed"], norms["poll_s"]) == ("not in the file", 1, None)
    table = rubrica("sources")
    assert "norms" in table.out
    assert "hunter2" not in table.out + table.err
    declare(services, "sources: {norms: {giit: x}}")
    wrong = rubrica("sources", "check")
    assert wrong.code == 2
    assert "Did you mean `git`?" in wrong.err


def test_the_example_is_valid(services: Services, rubrica: CommandLine) -> None:
    printed = rubrica("sources", "example").out
    assert printed == EXAMPLE
    declare(services, printed)
    assert sync_declared(services).added == ("norms", "letters", "site", "bucket")
