from __future__ import annotations

import json
import os
import shutil
import socket
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubrica.errors import ConfigurationError, LimitExceededError, SourceError, SourceUnavailableError
from rubrica.model import Snapshot, SourceFile, Stage
from sources.delta import compare
from sources.git import GitSource
from sources.location import parse_remote
from sources.mirror import Mirror
from tests.support.git_repository import Repository, paths, reasons

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n"
ODD_NAMES = [
    "глава 1/пункт «5.2».md",
    'quote "a".md',
    "it's.md",
    "tab\there.md",
    "line\nbreak.md",
    "back\\slash.md",
    "-rf.md",
    "--help.md",
    " leading.md",
    "😀.md",
    "й.md",  # decomposed
    "%41.md",
    "a:b.md",
    "$(touch canary).md",
]


@pytest.fixture
def source(repository: Repository, mirrors: Path) -> GitSource:
    return GitSource(str(repository.path), cache_dir=mirrors)


def mirror_of(location: str, mirrors: Path) -> Path:
    return Mirror(parse_remote(location), mirrors, 60).path


def contents(source: GitSource, snapshot: Snapshot) -> dict[str, bytes]:
    return {file.path: source.read(file, snapshot.revision) for file in snapshot.files}


class TestListing:
    @pytest.mark.parametrize("form", ["path", "file URL"])
    def test_lists_and_reads(self, repository: Repository, mirrors: Path, form: str) -> None:
        tree = {name: name.encode() for name in ODD_NAMES} | {
            "empty.md": b"",
            "docs/bytes.bin": bytes(range(256)),
        }
        for name, content in tree.items():
            repository.write(name, content)
        commit = repository.commit()
        location = str(repository.path) if form == "path" else repository.url
        source = GitSource(location, cache_dir=mirrors)
        snapshot = source.snapshot()
        assert snapshot.revision == commit
        assert paths(snapshot) == sorted(tree)
        assert contents(source, snapshot) == tree
        assert {file.path: file.size for file in snapshot.files} == {
            name: len(data) for name, data in tree.items()
        }
        marks = {file.path: file.mark for file in snapshot.files}
        assert marks["empty.md"] == repository.git("rev-parse", "HEAD:empty.md")

    def test_only_what_is_committed_counts(self, repository: Repository, source: GitSource) -> None:
        repository.write("a.md", "committed")
        repository.commit()
        repository.write("a.md", "edited")
        repository.write("staged.md")
        repository.git("add", "staged.md")
        repository.write("untracked.md")
        assert contents(source, source.snapshot()) == {"a.md": b"committed"}

    def test_names_that_are_not_utf8_do_not_leave_the_source(
        self, repository: Repository, source: GitSource
    ) -> None:
        repository.write("имя".encode("koi8-r") + b".md")
        repository.write(b"\xff/a.md")
        repository.write("a.md")
        repository.commit()
        snapshot = source.snapshot()
        assert paths(snapshot) == ["a.md"]
        assert reasons(snapshot).keys() == {"\\xc9\\xcd\\xd1.md", "\\xff/a.md"}
        json.dumps([item.path for item in snapshot.skipped]).encode()

    def test_skips_with_a_reason(self, repository: Repository, source: GitSource, tmp_path: Path) -> None:
        part = Repository(tmp_path / "part")
        part.write("inner.md")
        part.commit()
        repository.git("submodule", "--quiet", "add", part.url, "vendor/part")
        repository.write("model.bin", POINTER)
        repository.write("copy.bin", POINTER)
        repository.write("about lfs.md", f"A pointer looks so:\n{POINTER}")
        (repository.path / "link.md").symlink_to("a.md")
        (repository.path / "out.md").symlink_to("/etc/passwd")
        repository.write(".gitignore")
        repository.write("docs/~$норма.docx")
        repository.write("a.md")
        repository.commit()
        snapshot = source.snapshot()
        assert paths(snapshot) == ["a.md", "about lfs.md"]
        found = reasons(snapshot)
        assert list(found) == sorted(found)
        assert found.keys() == {
            *("vendor/part", "model.bin", "copy.bin", "link.md", "out.md"),
            *(".gitignore", ".gitmodules", "docs/~$норма.docx"),
        }
        assert "submodule" in found["vendor/part"]
        assert "LFS" in found["model.bin"]
        assert "symbolic link" in found["out.md"]
        assert "hidden" in found[".gitignore"]

    def test_a_forged_tree_cannot_name_a_path_outside(self, repository: Repository, mirrors: Path) -> None:
        blob = repository.git("hash-object", "-w", "--stdin", stdin=b"evil")
        inner = repository.git("mktree", stdin=f"100644 blob {blob}\tevil.md\n".encode())
        tree = repository.git(
            "mktree",
            stdin=f"040000 tree {inner}\t..\n040000 tree {inner}\t.GIT\n100644 blob {blob}\tok.md\n".encode(),
        )
        repository.git("update-ref", "HEAD", repository.git("commit-tree", tree, "-m", "forged"))
        for include in ((), ("../**", ".GIT/**", "*.md")):
            snapshot = GitSource(str(repository.path), cache_dir=mirrors, include=include).snapshot()
            assert paths(snapshot) == ["ok.md"]
            assert reasons(snapshot) == dict.fromkeys(["../evil.md", ".GIT/evil.md"], "Its path is not safe.")

    def test_globs(self, repository: Repository, mirrors: Path) -> None:
        for name in ("docs/a.md", "docs/черновик/b.md", "docs/c.txt", "d.md", ".github/e.md"):
            repository.write(name)
        repository.commit()

        def listed(*include: str, exclude: tuple[str, ...] = ()) -> list[str]:
            source = GitSource(str(repository.path), cache_dir=mirrors, include=include, exclude=exclude)
            return paths(source.snapshot())

        assert listed() == ["d.md", "docs/a.md", "docs/c.txt", "docs/черновик/b.md"]
        assert listed("docs/**/*.md", exclude=("черновик/",)) == ["docs/a.md"]
        assert listed(".github/**") == [".github/e.md"]

    def test_a_file_over_the_limit_is_listed_and_refused(self, repository: Repository, mirrors: Path) -> None:
        repository.write("large.md", b"x" * (1 << 20) + b"x")
        repository.write("fits.md", b"x" * (1 << 20))
        repository.commit()
        source = GitSource(str(repository.path), cache_dir=mirrors, max_file_mb=1)
        snapshot = source.snapshot()
        fits, large = snapshot.files
        assert len(source.read(fits, snapshot.revision)) == 1 << 20
        # What a retry knows of the file may lack its size.
        for file in (large, SourceFile(large.path, large.mark, 0)):
            with pytest.raises(LimitExceededError, match="RUBRICA_MAX_FILE_MB") as caught:
                source.read(file, snapshot.revision)
            assert (caught.value.document, caught.value.stage) == ("large.md", Stage.EXTRACT)

    @settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        before=st.dictionaries(
            st.sampled_from(["a.md", "б в.md", "d/e.md", "d/f.md"]), st.sampled_from(["1", "2", ""])
        ),
        after=st.dictionaries(
            st.sampled_from(["a.md", "б в.md", "d/e.md", "g.md"]), st.sampled_from(["1", "2", ""])
        ),
    )
    def test_a_delta_leads_from_one_commit_to_the_next(
        self, tmp_path_factory: pytest.TempPathFactory, before: dict[str, str], after: dict[str, str]
    ) -> None:
        home = tmp_path_factory.mktemp("delta")
        repository = Repository(home / "repository")
        source = GitSource(str(repository.path), cache_dir=home / "mirrors")
        known: dict[str, str] = {}
        for tree in (before, after):
            repository.clear()
            for name, content in tree.items():
                repository.write(name, content)
            repository.commit()
            snapshot = source.snapshot()
            delta = compare("s", known, snapshot)
            for move in delta.moved:
                known[move.file.path] = known.pop(move.old_path)
            for removed in delta.removed:
                del known[removed]
            known |= {file.path: file.mark for file in (*delta.added, *delta.changed)}
            assert known == {file.path: file.mark for file in snapshot.files}
            assert contents(source, snapshot) == {name: content.encode() for name, content in tree.items()}


class TestReferences:
    def test_the_default_is_what_head_points_to(self, repository: Repository, mirrors: Path) -> None:
        repository.write("a.md")
        repository.commit()
        repository.git("switch", "--quiet", "-c", "ветка/новая")
        repository.write("b.md")
        repository.commit()

        def listed(branch: str) -> list[str]:
            return paths(GitSource(str(repository.path), cache_dir=mirrors, branch=branch).snapshot())

        assert listed("") == listed("ветка/новая") == listed("refs/heads/ветка/новая") == ["a.md", "b.md"]
        assert listed("main") == ["a.md"]

    def test_a_detached_head(self, repository: Repository, source: GitSource) -> None:
        repository.write("a.md")
        first = repository.commit()
        repository.write("b.md")
        repository.commit()
        repository.git("switch", "--quiet", "--detach", first)
        assert paths(source.snapshot()) == ["a.md"]

    def test_an_unknown_branch(self, repository: Repository, mirrors: Path) -> None:
        repository.write("a.md")
        repository.commit()
        with pytest.raises(SourceError, match="has no branch нет") as caught:
            GitSource(str(repository.path), cache_dir=mirrors, branch="нет").snapshot()
        assert caught.value.stage == Stage.DETECT
        assert "Check the branch" in caught.value.hint

    def test_a_repository_without_commits_is_an_error_and_not_empty(self, source: GitSource) -> None:
        with pytest.raises(SourceError, match=r"no commit on its default branch.*needs a first commit"):
            source.snapshot()

    def test_a_commit_without_files_is_an_empty_snapshot(
        self, repository: Repository, source: GitSource
    ) -> None:
        commit = repository.commit()
        assert source.snapshot() == Snapshot(commit, ())

    @pytest.mark.parametrize("location", ["/no/such/repository", "file:///no/such/repository"])
    def test_a_repository_that_is_not_there(self, mirrors: Path, location: str) -> None:
        with pytest.raises(SourceError, match="There is no git repository at"):
            GitSource(location, cache_dir=mirrors).snapshot()

    def test_a_branch_that_makes_way_for_a_folder_of_branches(
        self, repository: Repository, mirrors: Path
    ) -> None:
        repository.write("a.md")
        commit = repository.commit()
        repository.git("branch", "old")
        assert GitSource(str(repository.path), cache_dir=mirrors, branch="old").snapshot().revision == commit
        trace = mirror_of(str(repository.path), mirrors) / "same mirror"
        trace.touch()
        repository.git("branch", "-D", "old")
        repository.git("branch", "old/new")
        assert (
            GitSource(str(repository.path), cache_dir=mirrors, branch="old/new").snapshot().revision == commit
        )
        assert trace.exists()

    @pytest.mark.parametrize("kind", ["bare", "linked work tree", "shallow", "sha256", "packed"])
    def test_kinds_of_repositories(self, tmp_path: Path, mirrors: Path, kind: str) -> None:
        options = ["--object-format=sha256"] if kind == "sha256" else []
        repository = Repository(tmp_path / "origin", *options)
        for name in ("a.md", "b.md"):
            repository.write(name)
            repository.commit()
        other = str(tmp_path / "other")
        if kind == "bare":
            repository.git("clone", "--quiet", "--bare", ".", other)
        elif kind == "shallow":
            repository.git("clone", "--quiet", "--depth=1", repository.url, other)
        elif kind == "linked work tree":
            repository.git("worktree", "add", "--quiet", "--detach", other)
        else:
            repository.git("gc", "--quiet")
            other = str(repository.path)
        source = GitSource(other, cache_dir=mirrors)
        assert contents(source, source.snapshot()) == {"a.md": b"text\n", "b.md": b"text\n"}
        assert contents(source, source.snapshot()) == {"a.md": b"text\n", "b.md": b"text\n"}


class TestRewrittenHistory:
    @pytest.mark.parametrize("how", ["amend", "unrelated", "reset"])
    def test_the_new_tree_is_listed_and_the_old_one_still_read(
        self, repository: Repository, source: GitSource, how: str
    ) -> None:
        repository.write("base.md", "base")
        repository.commit()
        repository.write("a.md", "first")
        repository.commit()
        old = source.snapshot()
        if how == "amend":
            repository.write("a.md", "second")
            repository.commit("change", "--amend")
            expected = {"a.md": b"second", "base.md": b"base"}
        elif how == "reset":
            repository.git("reset", "--quiet", "--hard", "HEAD~1")
            expected = {"base.md": b"base"}
        else:
            repository.git("switch", "--quiet", "--orphan", "fresh")
            repository.write("new.md", "new")
            repository.commit()
            repository.git("branch", "-M", "fresh", "main")
            expected = {"new.md": b"new"}
        new = source.snapshot()
        assert contents(source, new) == expected
        assert contents(source, old) == {"a.md": b"first", "base.md": b"base"}

    def test_an_old_revision_is_fetched_again_where_the_mirror_is_another(
        self, repository: Repository, source: GitSource, tmp_path: Path
    ) -> None:
        repository.write("a.md", "first")
        repository.commit()
        old = source.snapshot()
        repository.write("a.md", "second")
        repository.commit()
        elsewhere = GitSource(str(repository.path), cache_dir=tmp_path / "elsewhere")
        assert contents(elsewhere, old) == {"a.md": b"first"}
        assert contents(elsewhere, elsewhere.snapshot()) == {"a.md": b"second"}

    def test_a_commit_that_is_gone_everywhere(
        self, repository: Repository, source: GitSource, tmp_path: Path
    ) -> None:
        repository.write("kept.md", "kept")
        repository.write("a.md", "first")
        repository.commit()
        old = source.snapshot()
        repository.write("a.md", "second")
        repository.commit("change", "--amend")
        repository.git("reflog", "expire", "--expire=now", "--all")
        repository.git("gc", "--quiet", "--prune=now")
        elsewhere = GitSource(str(repository.path), cache_dir=tmp_path / "elsewhere")
        gone, kept = old.files
        with pytest.raises(SourceError, match=r"history was rewritten.*Start a new run") as caught:
            elsewhere.read(gone, old.revision)
        assert (caught.value.document, caught.value.stage) == ("a.md", Stage.EXTRACT)
        assert elsewhere.read(kept, old.revision) == b"kept"


class TestMirror:
    def damage(self, mirror: Path, how: str) -> None:
        packs = [path for path in mirror.rglob("*") if path.is_file() and "objects" in path.parts]
        if how == "half made":
            shutil.rmtree(mirror / "objects")
        elif how == "no HEAD":
            (mirror / "HEAD").unlink()
        elif how == "broken configuration":
            (mirror / "config").write_text("[core\nbroken")
        elif how == "left lock":
            (mirror / "shallow.lock").touch()
        elif how == "a file in its place":
            shutil.rmtree(mirror)
            mirror.write_text("not a folder")
        elif how == "objects truncated":
            for path in packs:
                path.chmod(0o600)
                path.write_bytes(path.read_bytes()[:10])
        elif how == "objects emptied":
            for path in packs:
                path.chmod(0o600)
                path.write_bytes(b"")

    @pytest.mark.parametrize("packed", [False, True])
    @pytest.mark.parametrize(
        "how",
        [
            *("half made", "no HEAD", "broken configuration", "left lock"),
            *("a file in its place", "objects truncated", "objects emptied"),
        ],
    )
    def test_a_broken_mirror_is_made_anew(
        self, repository: Repository, source: GitSource, mirrors: Path, how: str, packed: bool
    ) -> None:
        for number in range(150 if packed else 3):  # from 100 objects on, a fetch keeps the pack
            repository.write(f"{number}.md", str(number))
        repository.commit()
        old = source.snapshot()
        mirror = mirror_of(str(repository.path), mirrors)
        assert bool(list(mirror.rglob("*.pack"))) is packed
        self.damage(mirror, how)
        assert source.read(old.files[1], old.revision) == old.files[1].path.removesuffix(".md").encode()
        self.damage(mirror, how)
        assert source.snapshot() == old
        repository.write("new.md")
        repository.commit()
        self.damage(mirror, how)
        assert "new.md" in paths(source.snapshot())

    def test_reading_heals_too(self, repository: Repository, source: GitSource, mirrors: Path) -> None:
        repository.write("a.md", "text")
        repository.commit()
        snapshot = source.snapshot()
        mark = snapshot.files[0].mark
        blob = mirror_of(str(repository.path), mirrors) / "objects" / mark[:2] / mark[2:]
        blob.chmod(0o600)
        blob.write_bytes(blob.read_bytes()[:-3])
        assert source.read(snapshot.files[0], snapshot.revision) == b"text"

    def test_many_at_once(self, repository: Repository, mirrors: Path) -> None:
        for number in range(20):
            repository.write(f"{number}.md", str(number))
        repository.commit()

        def work(_: int) -> dict[str, bytes]:
            source = GitSource(str(repository.path), cache_dir=mirrors)
            return contents(source, source.snapshot())

        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(work, range(8)))
        assert results == [{f"{number}.md": str(number).encode() for number in range(20)}] * 8

    def test_a_fetch_waits_for_another_only_so_long(self, repository: Repository, mirrors: Path) -> None:
        repository.write("a.md")
        repository.commit()
        mirrors.mkdir(parents=True)
        lock = mirror_of(str(repository.path), mirrors).with_suffix(".lock")
        with FileLock(lock), pytest.raises(SourceUnavailableError, match="Another process"):
            GitSource(str(repository.path), cache_dir=mirrors, timeout_s=0.2).snapshot()

    def test_a_cache_folder_that_cannot_be_made(self, repository: Repository, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(SourceError, match=r"folder of mirrors.*RUBRICA_HOME"):
            GitSource(str(repository.path), cache_dir=tmp_path / "file" / "mirrors").snapshot()

    def test_no_history_is_copied(self, repository: Repository, source: GitSource, mirrors: Path) -> None:
        for number in range(3):
            repository.write("a.md", str(number))
            repository.commit()
            source.snapshot()
        mirror = mirror_of(str(repository.path), mirrors)
        assert repository.git(f"--git-dir={mirror}", "rev-list", "--all", "--count") == "1"


class TestHostile:
    @pytest.mark.parametrize(
        "branch",
        [
            *(
                "--upload-pack=touch canary",
                "-x",
                "a..b",
                "a b",
                "a:b",
                "+a",
                "a*",
                "a~1",
                "a^",
                "a.lock",
                "a/",
                "/a",
            ),
            *("a//b", "a\nb", "@{-1}", ".a", "a.", "refs/heads/", "a\\b", "a[b"),
        ],
    )
    def test_bad_branches(self, repository: Repository, mirrors: Path, branch: str) -> None:
        repository.write("a.md")
        repository.commit()
        with pytest.raises((ConfigurationError, SourceError)) as caught:
            GitSource(str(repository.path), cache_dir=mirrors, branch=branch).snapshot()
        assert not isinstance(caught.value, SourceUnavailableError)

    @pytest.mark.parametrize("location", ["ext::sh -c 'touch canary'", "--upload-pack=touch canary", "-x:y"])
    def test_an_address_runs_nothing(
        self, mirrors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext:file")
        with pytest.raises(ConfigurationError):
            GitSource(location, cache_dir=mirrors).snapshot()
        assert not list(tmp_path.rglob("canary"))

    def test_configuration_cannot_open_another_transport(
        self, mirrors: Path, tmp_path: Path, git_identity: Path
    ) -> None:
        canary = tmp_path / "canary"
        with git_identity.open("a") as config:
            config.write(
                f'[protocol "ext"]\nallow = always\n[url "ext::touch {canary} "]\ninsteadOf = https://h/\n'
            )
        with pytest.raises(SourceError, match="refuses the address"):
            GitSource("https://h/x", cache_dir=mirrors).snapshot()
        assert not canary.exists()

    @pytest.mark.parametrize(
        ("mark", "revision"), [("--help", "a" * 40), ("a" * 40, "--upload-pack=x"), ("", "")]
    )
    def test_ids_that_are_none(self, source: GitSource, mark: str, revision: str) -> None:
        with pytest.raises(SourceError, match="not an object id"):
            source.read(SourceFile("a.md", mark, 1), revision)

    def test_hooks_do_not_run(
        self, repository: Repository, source: GitSource, tmp_path: Path, git_identity: Path
    ) -> None:
        hooks = tmp_path / "hooks"
        hooks.mkdir()
        for name in ("reference-transaction", "post-checkout", "pre-auto-gc", "fsmonitor"):
            hook = hooks / name
            hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/canary'\n")
            hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
        repository.write("a.md")
        repository.commit()
        with git_identity.open("a") as config:
            config.write(f"[core]\nhooksPath = {hooks}\nfsmonitor = {hooks / 'fsmonitor'}\n")
        repository.git("config", "uploadpack.packObjectsHook", str(hooks / "fsmonitor"))
        source.snapshot()
        assert not (tmp_path / "canary").exists()

    def test_variables_of_a_hook_lead_nowhere_else(
        self, repository: Repository, source: GitSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = Repository(tmp_path / "other")
        other.write("other.md")
        other.commit()
        repository.write("a.md")
        repository.commit()
        for name, value in {"GIT_DIR": ".git", "GIT_WORK_TREE": ".", "GIT_INDEX_FILE": ".git/index"}.items():
            monkeypatch.setenv(name, str(other.path / value))
        monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / ".git" / "objects"))
        monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
        assert paths(source.snapshot()) == ["a.md"]
        assert not (tmp_path / "trace").exists()

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
    def test_a_local_repository_of_another_owner(self, repository: Repository, source: GitSource) -> None:
        repository.write("a.md")
        repository.commit()
        for path in (repository.path, *repository.path.rglob("*")):
            os.chown(path, 65534, 65534)
        assert contents(source, source.snapshot()) == {"a.md": b"text\n"}

    def test_no_git(self, source: GitSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(SourceError, match="Install git"):
            source.snapshot()


class TestSilence:
    @pytest.fixture
    def silent_port(self) -> Iterator[int]:
        """A server that takes connections and never says a word."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            yield server.getsockname()[1]

    @pytest.mark.parametrize("scheme", ["git", "http"])
    def test_a_server_that_says_nothing(self, mirrors: Path, silent_port: int, scheme: str) -> None:
        source = GitSource(f"{scheme}://127.0.0.1:{silent_port}/x", cache_dir=mirrors, timeout_s=1)
        with pytest.raises(SourceUnavailableError, match=r"did not finish with .*within 1 seconds"):
            source.snapshot()

    def test_what_git_started_is_ended_too(self, mirrors: Path, silent_port: int) -> None:
        address = f"http://127.0.0.1:{silent_port}/x"
        with pytest.raises(SourceUnavailableError):
            GitSource(address, cache_dir=mirrors, timeout_s=1).snapshot()
        _, alive = psutil.wait_procs(running(address), timeout=10)
        assert alive == []


def running(address: str) -> list[psutil.Process]:
    """Processes with an address on their command line; one that was killed may take a moment to go."""
    found = psutil.process_iter(["cmdline"])
    return [process for process in found if address in " ".join(process.info["cmdline"] or ())]
