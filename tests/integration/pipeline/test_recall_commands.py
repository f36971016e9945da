"""``rubrica evaluate`` and ``rubrica golden`` on real services."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine
from tests.support.git_repository import Repository

pytestmark = pytest.mark.integration

_GOLDEN = """\
- id: oars
  question: Где хранят вёсла?
  document: правила.md
  quote: Вёсла хранят в сарае за причалом
- id: gone
  question: Кто красит лодки?
  document: правила.md
  quote: Лодки красит плотник по весне
"""


@pytest.fixture
def rubrica(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    database_url: str,
    redis_url: str,
    milvus_uri: str,
) -> CommandLine:
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", database_url)
    monkeypatch.setenv("RUBRICA_REDIS_URL", redis_url)
    monkeypatch.setenv("RUBRICA_MILVUS_URI", milvus_uri)
    monkeypatch.setenv("RUBRICA_ALIAS", f"r_{tmp_path.name.replace('-', '_')}")
    return CommandLine(monkeypatch, capsys)


def test_from_questions_to_a_comparison(rubrica: CommandLine, repository: Repository) -> None:
    repository.write("правила.md", "# Вёсла\n\nВёсла хранят в сарае за причалом, лопастями вверх.\n")
    repository.write("golden.yaml", _GOLDEN)
    repository.commit()
    file = str(repository.path / "golden.yaml")
    assert rubrica("evaluate", "--golden", file).code == 2  # the index is empty

    assert rubrica("ingest", str(repository.path), "--here", "--json", "--name", "norms").code == 0
    *missed, report = rubrica("evaluate", "--golden", file, "--json", "--missed", "5", "-k", "3").objects
    assert report["type"] == "recall"
    keys = "set questions recall@1 recall@5 recall@10 recall@3 mrr ndcg@10 precision@5 iou labels_resolved"
    assert set(keys.split()) <= set(report)
    assert (report["set"], report["questions"], report["evaluation"]) == ("golden", 2, None)
    assert (report["recall@5"], report["recall@3"], report["labels_resolved"]) == (1, 1, 0.5)
    assert [item["id"] for item in missed] == ["gone"]
    assert missed[0]["stale"]

    [synced] = rubrica("golden", "sync", "--json").objects
    assert (synced["name"], synced["questions"]) == ("norms", 2)
    check = rubrica("golden", "check", "norms", "--json")
    assert check.code == 1
    assert [bool(item["stale"]) for item in check.objects] == [False, True]
    [first] = rubrica("evaluate", "--set", "norms", "--json").objects
    second, *comparisons = rubrica(
        "evaluate", "--set", "norms", "--json", "--mode", "sparse", "--compare", str(first["evaluation"])
    ).objects
    assert second["evaluation"] == first["evaluation"] + 1
    assert second["mode"] == "sparse"
    at_five = next(item for item in comparisons if item["metric"] == "recall@5")
    assert (at_five["p"], at_five["questions"], at_five["worse"]) == (1, 1, [])
    shown = rubrica("evaluate", "--set", "norms", "--compare", str(first["evaluation"]))
    assert "recall@5" in shown.out
    assert "Кто красит лодки?" in shown.out
    listed = rubrica("golden", "list", "--json").objects
    assert [(item["name"], item["origin"], item["recall@5"]) for item in listed] == [
        ("norms", "repository", 1)
    ]


def test_questions_that_are_kept_here(rubrica: CommandLine, repository: Repository, tmp_path: Path) -> None:
    repository.write("правила.md", "# Вёсла\n\nВёсла хранят в сарае за причалом, лопастями вверх.\n")
    repository.commit()
    assert rubrica("ingest", str(repository.path), "--here", "--json", "--name", "norms").code == 0
    add = ("golden", "add", "mine", "-q", "Где вёсла?", "-d", "правила.md", "--id", "oars", "--json")
    bad = rubrica(*add, "--quote", "Вёсла хранят на чердаке конторы")
    assert bad.code == 2
    assert "any more" in bad.err
    [added] = rubrica(*add, "--quote", "Вёсла хранят в сарае").objects
    assert (added["set"], added["id"]) == ("mine", "oars")
    assert rubrica("golden", "check", "mine").code == 0
    [shown] = rubrica("golden", "show", "mine", "--json").objects
    assert shown["question"] == "Где вёсла?"
    assert "Где вёсла?" in rubrica("golden", "show", "mine").out

    table = tmp_path / "Asked Here.csv"
    table.write_text("question,document,quote\nКак кладут вёсла?,правила,лопастями вверх\n", encoding="utf-8")
    [stored] = rubrica("golden", "import", str(table), "--json", "--source", "norms").objects
    assert (stored["name"], stored["questions"], stored["origin"]) == ("asked-here", 1, "import")
    evaluated = rubrica("evaluate", "--json").objects
    assert [item["set"] for item in evaluated] == ["asked-here", "mine"]
    assert all(item["recall@5"] == 1 for item in evaluated)

    assert rubrica("golden", "remove", "mine", "nothing").code == 2
    assert rubrica("golden", "remove", "mine", "oars", "--json").objects[0]["questions"] == 1
    assert rubrica("golden", "remove", "asked-here").code == 0
    assert rubrica("golden", "show", "asked-here").code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate",), "no golden questions yet"),
        (("evaluate", "--set", "none"), "no golden set 'none'"),
        (("evaluate", "--set", "a", "--golden", "b.yaml"), "not both"),
        (("evaluate", "--golden", "none.yaml"), "cannot be read"),
        (("golden", "import", "none.csv"), "cannot be read"),
        (("golden", "sync", "none"), "no source named 'none'"),
    ],
)
def test_bad_input_gets_a_clear_error(rubrica: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    done = rubrica(*arguments)
    assert done.code == 2
    assert message in " ".join(done.err.split())
