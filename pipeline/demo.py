"""``make demo``: the whole job on the example repository.

Starts the local stack, ingests ``examples/norms`` through Airflow's scheduler, asks three questions,
then edits one file, renames one and removes one, ingests the commit and shows what that cost.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from rich.markup import escape
from rich.rule import Rule
from rich.table import Table

from pipeline.cli.output import progress_bar, show_error, show_failure, stdout
from pipeline.cli.search import show_hit
from pipeline.cli.stack import show_event, show_info
from pipeline.ingestion import SourceOptions, declare_source, follow, start
from pipeline.searching import find
from pipeline.services import Services
from pipeline.stack import LocalStack
from pipeline.steps import IngestRequest
from rubrica.errors import FatalError, RubricaError
from rubrica.log import configure_logging
from rubrica.model import Hit
from rubrica.settings import Settings

SOURCE = "demo-norms"
_EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
_AUTHOR = {
    "GIT_AUTHOR_NAME": "Rubrica demo",
    "GIT_AUTHOR_EMAIL": "demo@localhost",
    "GIT_COMMITTER_NAME": "Rubrica demo",
    "GIT_COMMITTER_EMAIL": "demo@localhost",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the demo, and the document that must answer it."""

    text: str
    path: str


class Repository:
    """The example documents as a git repository that the demo may change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def reset(self) -> None:
        """Bring the documents to their first state, in a new commit where there were others."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / ".git").exists():
            self._git("init", "--quiet", "--initial-branch=main")
        for path in self.folder.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(_EXAMPLES / "norms", self.folder, dirs_exist_ok=True)
        self.commit("The norms as they are")

    def change(self, changes: dict[str, Any]) -> None:
        """Edit one document, rename one and remove one."""
        edited = self.folder / changes["edit"]["path"]
        text = edited.read_text(encoding="utf-8")
        if changes["edit"]["find"] not in text:
            raise FatalError(f"The sentence to edit is not in {changes['edit']['path']!r}.")
        edited.write_text(text.replace(changes["edit"]["find"], changes["edit"]["replace"]), encoding="utf-8")
        target = self.folder / changes["rename"]["to"]
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.folder / changes["rename"]["from"]).rename(target)
        (self.folder / changes["remove"]["path"]).unlink()
        self.commit("One edit, one rename, one removal")

    def commit(self, message: str) -> None:
        """Commit everything."""
        self._git("add", "--all")
        self._git("commit", "--quiet", "--allow-empty", "--message", message)

    def _git(self, *arguments: str) -> None:
        try:
            subprocess.run(
                ["git", "-C", str(self.folder), *arguments],
                check=True,
                capture_output=True,
                text=True,
                env=os.environ | _AUTHOR,
            )
        except FileNotFoundError as error:
            raise FatalError(
                "git is not installed.", hint="Install git and run `make demo` again."
            ) from error
        except subprocess.CalledProcessError as error:
            raise FatalError(f"git {arguments[0]} failed: {error.stderr.strip()}") from error


class Demo:
    """The demo, act by act; every act checks what it shows."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._repository = Repository(settings.home / "demo" / "norms")
        self._changes = yaml.safe_load((_EXAMPLES / "norms-changes.yaml").read_text(encoding="utf-8"))

    def run(self) -> None:
        """All acts."""
        _act("1", "The local stack: PostgreSQL, Redis, Milvus, Airflow")
        info = LocalStack(self._settings.home).up(show_event)
        self._settings = Settings()  # the stack has written its addresses
        with Services(self._settings) as services:
            first = self._ingest_first(services)
            self._ask(services)
            second = self._ingest_change(services)
            self._show_effects(services)
            _show_costs(first, second)
        show_info(info)

    def _ingest_first(self, services: Services) -> dict[str, Any]:
        _act("2", "A repository of norms becomes an index, through Airflow's scheduler")
        self._repository.reset()
        result = self._ingest(services)
        if not any(result[name] for name in ("added", "changed", "moved")):
            stdout.print("[dim]It was indexed before; `make clean` would start from nothing.[/]")
        return result

    def _ask(self, services: Services) -> None:
        _act("3", "Three questions, answered with document, page and clause")
        for question in _demo_questions():
            hits = self._search(services, question.text)
            stdout.print(f"[bold]? {escape(question.text)}[/]", highlight=False, soft_wrap=True)
            show_hit(hits[0])
            _check(question.path in [hit.path for hit in hits], f"answered by {question.path}")

    def _ingest_change(self, services: Services) -> dict[str, Any]:
        _act("4", "A commit: one sentence edited, one document renamed, one removed")
        self._repository.change(self._changes)
        for kind, change in self._changes.items():
            shown = f"{change['from']} → {change['to']}" if kind == "rename" else change["path"]
            stdout.print(f"  {kind:<7} {shown}", highlight=False)
        result = self._ingest(services)
        _check(result["changed"] == result["moved"] == result["removed"] == 1, "the delta is 1 + 1 + 1")
        _check(result["chunks_embedded"] < 10, "only changed chunks were embedded")
        return result

    def _show_effects(self, services: Services) -> None:
        _act("5", "What search says now")
        edit, rename, remove = (self._changes[kind] for kind in ("edit", "rename", "remove"))
        edited = self._search(services, edit["question"])
        stdout.print(f"[bold]? {escape(edit['question'])}[/]", highlight=False, soft_wrap=True)
        show_hit(next((hit for hit in edited if hit.path == edit["path"]), edited[0]))
        _check(
            any(edit["replace"] in _folded(hit) for hit in edited), f"the new text is found: {edit['path']}"
        )
        renamed = [hit.path for hit in self._search(services, rename["question"])]
        _check(rename["to"] in renamed and rename["from"] not in renamed, f"found as {rename['to']}")
        removed = [hit.path for hit in self._search(services, remove["question"])]
        _check(remove["path"] not in removed, f"no longer found: {remove['path']}")

    def _ingest(self, services: Services) -> dict[str, Any]:
        source = declare_source(services, str(self._repository.folder), SourceOptions(name=SOURCE))
        request = IngestRequest(source.name, trigger="demo")
        with services.airflow() as client, progress_bar("Ingesting") as bar:
            run_id = start(client, services, request)
            result = follow(
                client, services, run_id, lambda state, done, total: bar.update(done, total or None, state)
            )
        failures = services.catalog.failures.find(source.name, run_id=run_id)
        for record in failures:
            show_failure(record.failure, as_json=False)
        _check(not failures, f"run {run_id} ended: {result['state']} in {result['seconds']:.0f} s")
        return result

    def _search(self, services: Services, question: str) -> list[Hit]:
        hits = find(services, question, source=SOURCE)
        if not hits:
            raise FatalError(f"Nothing was found for {question!r}.")
        return hits


def _demo_questions() -> list[Question]:
    golden = yaml.safe_load((_EXAMPLES / "norms" / "golden.yaml").read_text(encoding="utf-8"))
    return [Question(item["question"], item["document"]) for item in golden if item.get("demo")]


def _folded(hit: Hit) -> str:
    return " ".join(hit.text.split())


def _act(number: str, title: str) -> None:
    stdout.print()
    stdout.print(Rule(f"[red bold]{number}[/] {title}", align="left", style="red"))


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise FatalError(f"The demo expected otherwise: {what}.")
    stdout.print(f"  [green]✓[/] {escape(what)}", highlight=False, soft_wrap=True)


def _show_costs(first: dict[str, Any], second: dict[str, Any]) -> None:
    stdout.print()
    table = Table("", title="What a commit costs", title_justify="left")
    table.add_column("first run", justify="right")
    table.add_column("the commit", justify="right")
    rows = {
        "documents read": ("added", "changed"),
        "documents renamed, removed": ("moved", "removed"),
        "pairs scored": ("pairs_scored",),
        "pairs from the cache": ("pair_cache_hits",),
        "chunks embedded": ("chunks_embedded",),
        "chunks kept": ("chunks_kept",),
        "chunks removed": ("chunks_removed",),
    }
    for title, names in rows.items():
        table.add_row(title, *(f"{sum(run[name] for name in names):,}" for run in (first, second)))
    table.add_row("seconds", *(f"{run['seconds']:.0f}" for run in (first, second)))
    stdout.print(table)


def main() -> None:
    """Run the demo; the process ends with an error's exit code where one act fails."""
    configure_logging(level="WARNING")
    try:
        Demo(Settings()).run()
    except RubricaError as error:
        show_error(error)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
