"""Git over HTTP: a server of the test's own, with passwords and bad days."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from rubrica.errors import ConfigurationError, RubricaError, SourceError, SourceUnavailableError
from rubrica.settings import Settings
from sources.factory import open_source
from sources.git import GitSource
from sources.heads import newest_revision
from sources.location import shown_location
from sources.spec import checked_spec
from tests.support.git_repository import Repository, paths

USER, PASSWORD = "анна@host", "s3cr:t/ö"
QUOTED = "%D0%B0%D0%BD%D0%BD%D0%B0%40host:s3cr%3At%2F%C3%B6"
WRONG = "anna:wr0ng-s3cret"


class Handler(SimpleHTTPRequestHandler):
    """Hands out a repository's files, to who knows the password."""

    status = 0
    realm = False

    def do_GET(self) -> None:
        expected = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if self.status:
            self.send_error(self.status)
        elif self.realm and self.headers.get("Authorization") != expected:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="norms"')
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base names it
        """Stay silent."""


class Server:
    """A running server and the switches of its handler."""

    def __init__(self, root: Path) -> None:
        self.handler: type[Handler] = type("Switched", (Handler,), {})
        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(self.handler, directory=str(root)))
        self.httpd.daemon_threads = True

    def url(self, login: str = "") -> str:
        return f"http://{login}{'@' if login else ''}127.0.0.1:{self.httpd.server_port}/norms.git"


@pytest.fixture
def server(repository: Repository, tmp_path: Path) -> Iterator[Server]:
    repository.write("глава 1.md", "text")
    repository.commit()
    root = tmp_path / "served"
    repository.git("clone", "--quiet", "--bare", ".", str(root / "norms.git"))
    repository.git(f"--git-dir={root / 'norms.git'}", "update-server-info")
    server = Server(root)
    thread = Thread(target=server.httpd.serve_forever, args=(0.05,))
    thread.start()
    yield server
    server.httpd.shutdown()
    server.httpd.server_close()
    thread.join()


def failure(source: GitSource) -> RubricaError:
    with pytest.raises(RubricaError) as caught:
        source.snapshot()
    return caught.value


def test_a_server_without_the_smart_protocol(server: Server, mirrors: Path) -> None:
    source = GitSource(server.url(), cache_dir=mirrors)
    snapshot = source.snapshot()
    assert paths(snapshot) == ["глава 1.md"]
    assert source.read(snapshot.files[0], snapshot.revision) == b"text"
    assert source.snapshot() == snapshot


def test_a_login_in_the_address_is_used_and_kept_secret(
    server: Server,
    mirrors: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Neither the command line, nor the mirror, nor a log ever holds the password."""
    real = shutil.which("git")
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/commands"\nexec "{real}" "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", str(wrapper.parent), prepend=os.pathsep)
    monkeypatch.setenv("GIT_CURL_VERBOSE", "1")
    server.handler.realm = True
    snapshot = GitSource(server.url(QUOTED), cache_dir=mirrors).snapshot()
    assert paths(snapshot) == ["глава 1.md"]
    written = b"".join(path.read_bytes() for path in mirrors.rglob("*") if path.is_file())
    commands = (tmp_path / "commands").read_text()
    captured = capfd.readouterr()
    assert "fetch" in commands
    for text in (commands, captured.out, captured.err, written.decode("utf-8", "replace")):
        assert "s3cr" not in text
        assert base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode() not in text


@pytest.mark.parametrize("login", ["", WRONG, "only-a-name"])
def test_a_refused_login_is_fatal_and_not_repeated_in_the_error(
    server: Server, mirrors: Path, login: str
) -> None:
    server.handler.realm = True
    error = failure(GitSource(server.url(login), cache_dir=mirrors))
    assert isinstance(error, SourceError)
    assert "refuses access" in str(error)
    assert "credential helper" in error.hint
    assert server.url() in str(error)
    assert "s3cret" not in str(error)
    assert "only-a-name" not in str(error)


@pytest.mark.parametrize(("status", "kind"), [(403, SourceError), (404, SourceError), (410, SourceError)])
def test_what_the_server_denies_for_good(
    server: Server, mirrors: Path, status: int, kind: type[RubricaError]
) -> None:
    server.handler.status = status
    error = failure(GitSource(server.url(WRONG), cache_dir=mirrors))
    assert type(error) is kind
    assert "s3cret" not in str(error)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_bad_day_is_worth_another_try_and_leaves_the_mirror_alone(
    server: Server, mirrors: Path, status: int
) -> None:
    source = GitSource(server.url(WRONG), cache_dir=mirrors)
    snapshot = source.snapshot()
    server.handler.status = status
    error = failure(source)
    assert type(error) is SourceUnavailableError
    assert "s3cret" not in str(error)
    assert source.read(snapshot.files[0], snapshot.revision) == b"text"


@pytest.mark.parametrize("scheme", ["http", "https", "git", "ssh"])
def test_nobody_listens(mirrors: Path, scheme: str) -> None:
    if scheme == "ssh" and shutil.which("ssh") is None:
        pytest.skip("no ssh here")
    error = failure(GitSource(f"{scheme}://127.0.0.1:1/x", cache_dir=mirrors))
    assert type(error) is SourceUnavailableError
    assert "does not answer" in error.reason


def test_a_server_that_does_not_speak_tls(server: Server, mirrors: Path) -> None:
    address = server.url().replace("http:", "https:")
    assert type(failure(GitSource(address, cache_dir=mirrors))) is SourceUnavailableError


def test_a_login_from_the_environment(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.handler.realm = True
    settings = Settings(home=tmp_path / "home")
    spec = checked_spec("git", server.url(), name="norms", options={"auth_env": "NORMS_LOGIN"})
    with pytest.raises(ConfigurationError, match="NORMS_LOGIN is not set"):
        open_source(spec, settings)
    monkeypatch.setenv("NORMS_LOGIN", f"{USER}:{PASSWORD}\n")
    found = open_source(spec, settings).snapshot()
    assert paths(found) == ["глава 1.md"]
    assert newest_revision(spec, settings) == found.revision
    assert PASSWORD not in repr(spec) + shown_location(spec)
