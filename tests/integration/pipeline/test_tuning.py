"""Studies in a real PostgreSQL, and the command over a real index."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pipeline.tuning.space import Space, Values, current_values
from pipeline.tuning.storage import open_storage
from pipeline.tuning.study import Study
from pipeline.tuning.trial import Outcome, TrialRunner
from rubrica.errors import ServiceUnavailableError, StackDownError
from rubrica.settings import Settings
from tests.support.command_line import CommandLine
from tests.support.tuning import QUICK, corpus, settings
from tests.support.vectors import BagEmbedder

pytestmark = pytest.mark.integration

SPACE = Space(QUICK)

_SLOW = """
import sys, time
from pathlib import Path
from pipeline.tuning.space import Space
from pipeline.tuning.storage import open_storage
from pipeline.tuning.study import Study
from tests.support.tuning import QUICK, outcome

def run(values):
    if len(tried) == 2:
        Path(sys.argv[2]).touch()
        time.sleep(600)
    tried.append(values)
    return outcome(values["max_tokens"], 0.5, **values)

tried = []
with open_storage(sys.argv[1]) as storage:
    Study(storage, "s", "x").search(Space(QUICK), run, trials=5)
"""


def test_results_are_in_a_schema_of_their_own(database_url: str, tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    runner = TrialRunner(corpus(), chosen, BagEmbedder())
    with open_storage(database_url) as storage:
        study = Study(storage, "s", "x")
        study.try_current(current_values(chosen.chunking), runner.run)
        study.search(SPACE, runner.run, trials=3)
    with open_storage(database_url) as storage:
        kept = Study(storage, "s", "x")
        assert kept.candidates == study.candidates
        assert [item.number for item in kept.candidates] == [0, 1, 2]
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "SELECT table_schema, count(*) FROM information_schema.tables"
            " WHERE table_name IN ('studies', 'trials', 'trial_values') GROUP BY 1"
        ).fetchall()
    assert rows == [("tuning", 3)]


def test_killed_a_study_goes_on_with_the_trial_that_was_cut_short(database_url: str, tmp_path: Path) -> None:
    third = tmp_path / "third"
    process = subprocess.Popen([sys.executable, "-c", _SLOW, database_url, str(third)])
    deadline = time.monotonic() + 120
    while not third.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert third.exists()
    tried: list[Values] = []

    def run(values: Values) -> Outcome:
        tried.append(values)
        return TrialRunner(corpus(), settings(tmp_path), BagEmbedder()).run(values)

    with open_storage(database_url) as storage:
        cut_short = storage.get_all_trials(storage.get_study_id_from_name("s"))[-1].params
        study = Study(storage, "s", "x")
        assert study.done == 2
        study.search(SPACE, run, trials=4)
        assert study.done == 4
    assert {name: tried[0][name] for name in ("strategy", "max_tokens", "overlap")} == {
        name: cut_short[name] for name in ("strategy", "max_tokens", "overlap")
    }


def test_without_postgresql_it_says_so() -> None:
    with pytest.raises(StackDownError, match="No PostgreSQL"), open_storage(""):
        pass
    with pytest.raises(ServiceUnavailableError), open_storage("postgresql://127.0.0.1:1/none"):
        pass


@pytest.fixture
def rubrica(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    make_settings: Callable[..., Settings],
    tmp_path: Path,
) -> CommandLine:
    services = make_settings().services
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", services.postgres_url.get_secret_value())
    monkeypatch.setenv("RUBRICA_REDIS_URL", services.redis_url.get_secret_value())
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def norm(tmp_path: Path) -> Path:
    folder = tmp_path / "norm"
    folder.mkdir()
    asked: list[dict[str, Any]] = []
    lines = ["# Station rules", ""]
    for i, noun in enumerate(("pier", "winch", "buoy", "boat")):
        sentence = f"The {noun} is checked each morning by the warden on duty number {i}."
        lines += [f"## {noun.title()}", "", sentence, ""]
        asked.append(
            {"id": noun, "question": f"Who checks the {noun}?", "document": "rules.md", "quote": sentence}
        )
    (folder / "rules.md").write_text("\n".join(lines))
    (folder / "golden.jsonl").write_text("\n".join(map(json.dumps, asked)))
    return folder


def test_the_command_tries_shows_and_writes(rubrica: CommandLine, norm: Path, tmp_path: Path) -> None:
    plot = tmp_path / "tuning.html"
    arguments = ["tune", "--golden", str(norm / "golden.jsonl"), "--documents", str(norm)]
    arguments += ["--strategies", "heading", "--json"]
    first = rubrica(*arguments, "--trials", "3", "--plot", str(plot))
    assert first.code == 0, first.err
    trials = [item for item in first.objects if item["type"] == "trial"]
    assert [item["in_force"] for item in trials].count(True) == 1
    assert trials[0]["in_force"]
    assert trials[0]["settings"]["strategy"] == "smart"
    assert any(item["front"] for item in trials)
    end = first.objects[-1]
    assert (end["type"], end["questions"]) == ("tuning", 4)
    assert "recall@5" in plot.read_text()
    again = rubrica(*arguments, "--trials", "3", "--write")
    assert again.objects[-1] | {"p": 0} == end | {"p": 0}
    written = tmp_path / "home" / "settings.env"
    best = next(item for item in trials if item["number"] == end["best"])
    assert written.exists() == end["improves"]
    if end["improves"]:
        assert f"RUBRICA_STRATEGY={best['settings']['strategy']}" in written.read_text()


def test_wrong_usage_is_said_before_the_work(rubrica: CommandLine, norm: Path, tmp_path: Path) -> None:
    golden = ("--golden", str(norm / "golden.jsonl"))
    wrong = rubrica("tune", *golden, "--documents", str(norm), "--plot", str(tmp_path / "a.pdf"))
    assert (wrong.code, ".pdf" in wrong.err) == (2, True)
    assert rubrica("tune", *golden, "--set", "norms").code == 2
    nothing = rubrica("tune", "--documents", str(norm))
    assert nothing.code == 2
    assert "golden" in nothing.err


def test_an_index_is_tuned_on_its_own_documents(services: Any, repository: Any, ingest: Any) -> None:
    from indexing.recall.model import GoldenQuestion, GoldenSet, GoldenSpan
    from pipeline.tuning.corpus import corpus_of_index

    sentence = "Причал осматривают каждое утро до начала выдачи лодок."
    repository.write("a.md", f"# Правила\n\n{sentence}\n")
    repository.write("b.md", "# Прочее\n\nДругой текст о другом.\n")
    repository.commit()
    ingest()
    asked = GoldenQuestion("q", "Когда осматривают причал?", "a.md", (GoldenSpan(quote=sentence),))
    found = corpus_of_index(services, GoldenSet("set", (asked,)))
    assert [document.path for document in found.documents] == ["a.md"]
    assert found.documents[0].elements
    start, end = found.questions[0].spans[0].start, found.questions[0].spans[0].end
    assert found.documents[0].text[start:end] == sentence.rstrip(".")
    assert len(corpus_of_index(services, GoldenSet("set", (asked,)), everything=True).documents) == 2
