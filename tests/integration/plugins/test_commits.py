"""Commits drive the index: a real push, a real hook, the running Airflow, a changed search result."""

from __future__ import annotations

import hashlib
import hmac
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from pipeline.airflow_client import AirflowClient, DagRun
from pipeline.services import Services
from pipeline.stack import LocalStack
from rubrica.settings import Settings
from tests.support.command_line import CommandLine
from tests.support.git_repository import Repository

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.timeout(1200)]

ROOT = Path(__file__).parents[3]
SECRET = "секрет-webhook"
OWN_SECRET = "own-secret"
_PATIENCE_S = 500.0


class Remote:
    """A bare repository, and a work tree that pushes to it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.bare = Repository(folder / f"{name}.git", "--bare")
        self.work = Repository(folder / f"{name} work")
        for key, value in (("user.name", "Анна"), ("user.email", "anna@example.org")):
            self.work.git("config", key, value)
        self.work.git("remote", "add", "origin", str(self.bare.path))

    def push(self, files: Mapping[str, str], branch: str = "main") -> str:
        """Commit files and push them; a file without content is removed."""
        for name, content in files.items():
            if content:
                self.work.write(name, content)
            else:
                (self.work.path / name).unlink()
        commit = self.work.commit()
        self.work.git("push", "--quiet", "--force", "origin", f"HEAD:refs/heads/{branch}")
        return commit


@dataclass(frozen=True)
class Rig:
    """A running stack and the repositories that it watches."""

    home: Path
    url: str
    pushed: Remote
    polled: Remote

    @property
    def settings(self) -> Settings:
        return Settings(home=self.home)

    @property
    def hooks(self) -> str:
        return f"{self.url}/rubrica-hooks"

    def airflow(self) -> AirflowClient:
        return AirflowClient.from_settings(self.settings.services)

    def run(self, run_id: str) -> DagRun:
        with self.airflow() as client:
            return client.wait("ingest", run_id, timeout_s=_PATIENCE_S)

    def revision(self, source: str) -> str:
        """What the live index has reached."""
        with Services(self.settings) as services:
            generation = services.catalog.generations.live(services.settings.indexing.alias)
            return services.catalog.sources.last_revision(generation.id, source) if generation else ""

    def late(self, source: str) -> bool:
        """Whether an alarm was opened because a run took too long."""
        with Services(self.settings) as services:
            return f"deadline/ingest/{source}" in {
                known.said.cause for known in services.catalog.alarms.all()
            }

    def runs(self) -> int:
        with self.airflow() as client:
            return sum(1 for _ in client.runs("ingest"))


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = tmp_path_factory.mktemp("коммиты")
    home = folder / "дом"
    home.mkdir()
    pushed, polled = Remote(folder, "pushed"), Remote(folder, "polled")
    (home / "settings.env").write_text(
        f"RUBRICA_WEBHOOK_SECRET={SECRET}\nRUBRICA_WEBHOOK_MAX_MB=1\nPOLLED_SECRET={OWN_SECRET}\n"
        "RUBRICA_INGEST_DEADLINE_S=1\nRUBRICA_RECALL_SCHEDULE=\nRUBRICA_REINDEX_SCHEDULE=\nRUBRICA_RECONCILE_SCHEDULE=\n"
    )
    _declare(home, pushed=str(pushed.bare.path))
    stack = LocalStack(home)
    try:
        info = stack.up()
        _pause(home, "recall_check", "alarms")
        _install_hook(pushed, f"{info.airflow_url}/rubrica-hooks/github", folder)
        yield Rig(home, info.airflow_url, pushed, polled)
    finally:
        stack.purge()


def _declare(home: Path, *, pushed: str, polled: str = "") -> None:
    letters = f"  letters: {{folder: '{home}', poll: never}}"
    lines = ["sources:", f"  pushed: {{git: '{pushed}', poll: never}}", letters]
    if polled:
        lines.append(f"  polled: {{git: '{polled}', poll: 1s, webhook_secret_env: POLLED_SECRET}}")
    unfinished = home / "sources.new"
    unfinished.write_text("\n".join(lines) + "\n")
    unfinished.replace(home / "sources.yaml")


def _pause(home: Path, *dags: str) -> None:
    """Keep what follows each ingestion from taking the machine's time."""
    with AirflowClient.from_settings(Settings(home=home).services) as client:
        for dag in dags:
            client.wait_for_dag(dag)
            client._call("PATCH", f"/api/v2/dags/{dag}", json={"is_paused": True})


def _install_hook(remote: Remote, url: str, folder: Path) -> None:
    secret = folder / "secret"
    secret.write_text(f"{SECRET}\n")
    remote.bare.git("config", "rubrica.url", url)
    remote.bare.git("config", "rubrica.secretFile", str(secret))
    hooks = remote.bare.path / "hooks"
    hooks.mkdir(exist_ok=True)
    shutil.copy(ROOT / "examples" / "hooks" / "post-receive", hooks)


@pytest.fixture
def rubrica(rig: Rig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    monkeypatch.setenv("RUBRICA_HOME", str(rig.home))
    return CommandLine(monkeypatch, capsys)


def _until(what: str, true: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not true():
        assert time.monotonic() < end, f"{what} did not happen within {_PATIENCE_S:g} s"
        time.sleep(0.5)


def _first(rubrica: CommandLine, query: str) -> str:
    hits = rubrica("search", query, "-k", "1", "--json").objects
    return str(hits[0]["text"]) if hits else ""


def _payload(remote: Remote, commit: str, ref: str = "refs/heads/main", **more: Any) -> bytes:
    repository = {"clone_url": remote.bare.url, "default_branch": "main"}
    return json.dumps({"ref": ref, "after": commit, "repository": repository} | more).encode()


def _post(
    rig: Rig, body: Any, *, secret: str = SECRET, place: str = "github", signed: bytes | None = None
) -> httpx.Response:
    content = signed if signed is not None else body
    signature = hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "push",
        "X-Hub-Signature-256": f"sha256={signature}",
    }
    with httpx.Client(trust_env=False, timeout=30) as client:
        return client.post(f"{rig.hooks}/{place}", content=body, headers=headers)


def test_a_push_changes_what_a_search_finds(rig: Rig, rubrica: CommandLine) -> None:
    first = rig.pushed.push(
        {
            "круги.md": "# Круги\n\n3.2 Спасательный круг весит не менее 2,5 кг.\n",
            "лодки.md": "# Лодки\n\n4.1 Лодку красят каждую весну.\n",
            "вёсла.md": "# Вёсла\n\n5.1 Весло делают из ели.\n",
        }
    )
    _until("the first commit's ingestion", lambda: rig.revision("pushed") == first)
    assert "2,5 кг" in _first(rubrica, "Сколько весит спасательный круг?")
    assert rig.run(f"git__pushed__{first}").state == "success"
    _until("the alarm that it took over a second", lambda: rig.late("pushed"))


def test_a_failed_commit_runs_again_when_it_is_told_again(rig: Rig, rubrica: CommandLine) -> None:
    commit = rig.pushed.push({"лодки.md": "", "вёсла.md": ""})  # more than the removal guard allows
    run_id = f"git__pushed__{commit}"
    assert rig.run(run_id).state == "failed"

    again = _post(rig, _payload(rig.pushed, commit))
    assert (again.status_code, again.json()["outcome"]) == (202, "restarted"), again.text
    assert again.json()["runs"] == [
        {"source": "pushed", "revision": commit, "outcome": "restarted", "run_id": run_id}
    ]
    assert rig.run(run_id).state == "failed"
    with rig.airflow() as client:
        tries = {task.task_id: task.try_number for task in client.tasks("ingest", run_id)}
    assert (tries["detect"], tries["verdict"]) == (2, 2)

    mended = rig.pushed.push(
        {
            "круги.md": "# Круги\n\n3.2 Спасательный круг весит не менее 4 кг.\n",
            "лодки.md": "# Лодки\n\n4.1 Лодку красят летом.\n",
        }
    )
    _until("the ingestion of what was mended", lambda: rig.revision("pushed") == mended)
    assert "4 кг" in _first(rubrica, "Сколько весит спасательный круг?")


def test_what_is_told_again_runs_once(rig: Rig) -> None:
    before, head = rig.runs(), rig.revision("pushed")
    again = _post(rig, _payload(rig.pushed, head))
    assert (again.status_code, again.json()["outcome"]) == (200, "indexed")

    # Old deliveries are sent again, at once: one run reads the branch once more, and finds them to be old.
    old = rig.pushed.work.git("rev-parse", "HEAD~2")
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: _post(rig, _payload(rig.pushed, old)), range(6)))
    assert sorted(answer.json()["outcome"] for answer in answers) == ["restarted", *["running"] * 5]
    assert rig.run(f"git__pushed__{old}").state == "success"
    assert rig.revision("pushed") == head
    stale = _post(rig, _payload(rig.pushed, old))
    assert (stale.status_code, stale.json()["outcome"]) == (200, "stale")
    assert rig.runs() == before


@pytest.mark.parametrize(
    ("change", "status", "outcome"),
    [
        ({"secret": "guessed"}, 403, "forbidden"),
        ({"secret": OWN_SECRET}, 403, "forbidden"),
        ({"signed": b"{}"}, 403, "forbidden"),
        ({"body": b"x" * (2**20 + 1)}, 413, "too_large"),
        ({"body": b"{" * 5000}, 400, "not_a_push"),
        ({"body": b'{"ref": "refs/heads/main"}'}, 400, "not_a_push"),
        ({"place": "github/unknown"}, 404, "unknown"),
        ({"place": "github/letters"}, 404, "unknown"),
        ({"place": "sourceforge"}, 404, "unknown"),
    ],
)
def test_what_is_not_a_push_of_ours_is_refused(
    rig: Rig, change: dict[str, Any], status: int, outcome: str
) -> None:
    before = rig.runs()
    answer = _post(rig, **{"body": _payload(rig.pushed, "a" * 40)} | change)
    assert (answer.status_code, answer.json()["outcome"]) == (status, outcome)
    assert rig.runs() == before


def test_a_body_without_a_length_is_cut_at_the_limit(rig: Rig) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(20):
            yield b" " * 100_000

    answer = _post(rig, parts(), signed=b" " * 2_000_000)
    assert (answer.status_code, answer.json()["outcome"]) == (413, "too_large")


def test_other_branches_tags_and_deletions_start_nothing(rig: Rig) -> None:
    before = rig.runs()
    head = rig.pushed.work.git("rev-parse", "HEAD")
    for ref, commit in (("refs/heads/draft", head), ("refs/tags/v1", head), ("refs/heads/main", "0" * 40)):
        answer = _post(rig, _payload(rig.pushed, commit, ref))
        assert (answer.status_code, answer.json()["outcome"]) == (200, "ignored")
    assert rig.runs() == before


def test_a_polled_source_changes_what_a_search_finds(rig: Rig, rubrica: CommandLine) -> None:
    first = rig.polled.push({"якоря.md": "# Якоря\n\n7.1 Якорь опускают на глубину 12 метров.\n"})
    _declare(rig.home, pushed=str(rig.pushed.bare.path), polled=str(rig.polled.bare.path))
    _until("the first poll's ingestion", lambda: rig.revision("polled") == first)
    assert "12 метров" in _first(rubrica, "На какую глубину опускают якорь?")
    assert rig.run(f"git__polled__{first}").state == "success"


def test_a_source_with_a_secret_of_its_own_hears_no_other(rig: Rig) -> None:
    _declare(rig.home, pushed=str(rig.pushed.bare.path), polled=str(rig.polled.bare.path))
    head = rig.revision("polled")
    body = _payload(rig.polled, head)
    assert _post(rig, body).status_code == 404
    for place in ("github", "github/polled"):
        answer = _post(rig, body, secret=OWN_SECRET, place=place)
        assert (answer.status_code, answer.json()["outcome"]) == (200, "indexed")
    assert _post(rig, body, secret=OWN_SECRET, place="github/pushed").status_code == 404
