from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubrica.errors import ConfigurationError
from rubrica.model import SourceSpec
from rubrica.settings import Settings
from sources.declared import DeclaredSource, declared_sources, load_declared

FULL = """
sources:
  norms:
    git: https://git.example.org/norms.git
    branch: main
    include: ["docs/**"]
    exclude: ["*.tmp"]
    poll: 5m
    auth_env: NORMS_TOKEN
    webhook_secret_env: NORMS_WEBHOOK_SECRET
  letters: {folder: letters, poll: never}
  site: {http: https://example.org/sitemap.xml, auth_env: SITE, options: {recheck_hours: 1}, poll: 1d}
  bucket: {storage: s3://bucket/norms, options: {anon: true, secret: env:S3_SECRET, more: {region: x}}}
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "sources.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def fault(folder: Path, text: str | bytes) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load_declared(write(folder, text))
    assert str(folder / "sources.yaml") in str(caught.value)
    return str(caught.value)


def test_a_full_file(tmp_path: Path) -> None:
    options = {"anon": True, "secret": "env:S3_SECRET", "more": {"region": "x"}}
    git = SourceSpec(
        "norms",
        "git",
        "https://git.example.org/norms.git",
        "main",
        ("docs/**",),
        ("*.tmp",),
        {"auth_env": "NORMS_TOKEN"},
    )
    site = {"recheck_hours": 1, "auth_env": "SITE"}
    assert load_declared(write(tmp_path, FULL), default_poll_s=60) == (
        DeclaredSource(git, 300, "NORMS_WEBHOOK_SECRET"),
        DeclaredSource(SourceSpec("letters", "folder", str(tmp_path / "letters")), None),
        DeclaredSource(SourceSpec("site", "http", "https://example.org/sitemap.xml", options=site), 86400),
        DeclaredSource(SourceSpec("bucket", "storage", "s3://bucket/norms", options=options), 60),
    )


@pytest.mark.parametrize(
    "text", ["", "# nothing yet\n", "sources:\n", "sources: {}\n", "\ufeffsources: {}\n"]
)
def test_no_source_yet(tmp_path: Path, text: str) -> None:
    assert load_declared(write(tmp_path, text)) == ()


def test_where_the_file_is(tmp_path: Path) -> None:
    assert declared_sources(Settings(home=tmp_path)) == ()
    write(tmp_path, "sources: {a: {folder: .}}")
    [source] = declared_sources(Settings(home=tmp_path, poll_s=7))
    assert (source.spec.location, source.poll_s) == (str(tmp_path), 7)
    with pytest.raises(ConfigurationError, match=r"other\.yaml cannot be read"):
        declared_sources(Settings(home=tmp_path, sources_file="other.yaml"))
    (tmp_path / "other.yaml").write_text("sources: {b: {folder: .}}")
    assert declared_sources(Settings(home=tmp_path, sources_file="other.yaml"))[0].spec.name == "b"
    absolute = Settings(home=tmp_path / "x", sources_file=str(tmp_path / "other.yaml"))
    assert declared_sources(absolute)[0].spec.location == str(tmp_path)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("source: {}", ["'source'", "Did you mean `sources`?"]),
        ("- a", ["not a mapping", "sources:"]),
        ("sources: [a]", ["`sources` is not a mapping"]),
        ("sources: {a: https://x}", ["source 'a'", "not a mapping"]),
        ("sources: {a: {git: https://h/x, brnach: main}}", ["source 'a'", "brnach", "`branch`"]),
        ("sources: {a: {git: https://h/x, folder: /y}}", ["'a'", "git and folder stand together"]),
        ("sources: {a: {branch: main}}", ["'a'", "names no place", "git, folder, http, storage"]),
        ("sources: {a: {git: ''}}", ["'a'", "empty"]),
        ("sources: {a: {git: https://h/x, branch: 1.0}}", ["'a'", "branch", "quotes"]),
        ("sources: {a: {git: https://h/x, branch: 'a..b'}}", ["'a'", "a..b"]),
        ("sources: {a: {folder: /y, branch: main}}", ["'a'", "no branch"]),
        ("sources: {a: {git: https://h/x, poll: 5}}", ["'a'", "poll", "30s, 5m, 1h"]),
        ("sources: {a: {git: https://h/x, poll: no}}", ["'a'", "poll", "never"]),
        ("sources: {a: {git: https://h/x, poll: 0s}}", ["'a'", "poll"]),
        ("sources: {a: {git: https://h/x, poll: 5 minutes}}", ["'a'", "poll"]),
        ("sources: {a: {git: https://h/x, include: docs}}", ["'a'", "include"]),
        ("sources: {a: {git: https://h/x, include: ['']}}", ["'a'", "matches nothing"]),
        ("sources: {A b: {git: https://h/x}}", ["'A b'", "valid name"]),
        ("sources: {1: {git: https://h/x}}", ["'1'", "quotes"]),
        ("sources: {a: {1: x}}", ["'a'", "quotes"]),
        ("sources:\n  a: {git: https://h/x}\n  a: {git: https://h/y}", ["line 3", "'a' stands twice"]),
        ("sources: {a: {git: https://h/x, git: https://h/y}}", ["'git' stands twice"]),
        ("sources: {a: {git: 'ext::sh -c x'}}", ["'a'", "neither a URL"]),
        ("sources: {a: {http: ftp://h/x}}", ["'a'", "http"]),
        ("sources: {a: {storage: nothing}}", ["'a'", "protocol://place"]),
        ("sources: {a: {storage: 'nope://x'}}", ["'a'", "'nope'"]),
        ("sources: {a: {storage: 'simplecache::s3://x'}}", ["'a'", "protocol://place"]),
        ("sources: {a: {http: https://h/, options: {deph: 3}}}", ["'a'", "options.deph", "`depth`"]),
        ("sources: {a: {folder: /y, options: {x: 1}}}", ["'a'", "options.x"]),
        ("sources: {a: {folder: /y, auth_env: TOKEN}}", ["'a'", "auth_env: only for git and http"]),
        ("sources: {a: {folder: /y, webhook_secret_env: HOOK}}", ["'a'", "webhook_secret_env: only git"]),
        ("sources: {a: {storage: 's3://b', auth_env: TOKEN}}", ["only for git and http", "env:NAME"]),
        ("sources: {a: {http: https://h/, options: {depth: 1000}}}", ["'a'", "options.depth"]),
        ("sources: {a: {storage: 's3://b', options: {when: 2026-01-01}}}", ["'a'", "options.when", "quotes"]),
        ("sources: {a: &x {git: https://h/x}, b: *x}", ["line 1", "references"]),
        ("sources: {? [a] : {git: https://h/x}}", ["not a plain word"]),
        ("sources: {a: !!python/object/apply:os.system ['touch canary']}", ["line 1"]),
        ("sources: {a: " + "[" * 5000, ["nested too deep"]),
        ("sources: {a: {git: ", ["line"]),
        (b"sources: {a: \xff}", ["UTF-8"]),
        ("#" * (1 << 20) + "##", ["larger than 1 MiB"]),
        ('sources: {a: {storage: "s3://b", options: {x: ["\\ud800"]}}}', ["'a'", "not valid character"]),
        ('sources: {a: {folder: "/srv/\\0"}}', ["'a'", "not valid"]),
        ("sources: {a: {folder: '~nobody-of-that-name/x'}}", ["'a'", "not valid"]),
    ],
)
def test_a_fault_names_file_source_and_key(tmp_path: Path, text: str | bytes, parts: list[str]) -> None:
    said = fault(tmp_path, text)
    assert all(part in said for part in parts), said


@pytest.mark.parametrize(
    "entry",
    [
        "{git: 'https://u:hunter2@h/x'}",
        "{http: 'https://u:hunter2@h/x'}",
        "{http: 'https://hunter2@h/x'}",
        "{storage: 'sftp://u:hunter2@h/x'}",
        "{git: https://h/x, auth_env: 'Bearer hunter2'}",
        "{git: https://h/x, webhook_secret_env: hunter2-x}",
        "{http: https://h/x, options: {auth_env: 'user:hunter2'}}",
        "{storage: 's3://b', options: {secret: hunter2}}",
        "{storage: 's3://b', options: {a: [{session_token: hunter2}]}}",
        "{storage: 's3://b', options: {connection_string: 'AccountKey=hunter2'}}",
        "{storage: 's3://b', options: {key: 'env:hunter2 x'}}",
    ],
)
def test_a_secret_is_refused_and_not_repeated(tmp_path: Path, entry: str) -> None:
    said = fault(tmp_path, f"sources: {{a: {entry}}}")
    assert "'a'" in said
    assert "hunter2" not in said


def test_a_growing_file_costs_nothing(tmp_path: Path) -> None:
    bomb = "a: &a [x,x]\n" + "".join(
        f"{y}: &{y} [*{x},*{x}]\n" for x, y in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "references" in fault(tmp_path, bomb)


def test_a_device_is_not_read_without_end(tmp_path: Path) -> None:
    (tmp_path / "sources.yaml").symlink_to(os.devnull)
    assert load_declared(tmp_path / "sources.yaml") == ()
    with pytest.raises(ConfigurationError, match="larger than 1 MiB"):
        load_declared(Path("/dev/zero"))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6) | st.integers(), inner, max_size=3)
    ),
)
KEYS = st.sampled_from(
    ["git", "folder", "http", "storage", "branch", "include", "poll", "auth_env", "options"]
)
ENTRIES = st.dictionaries(KEYS | st.text(max_size=6), VALUES, max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.sampled_from(["sources", "x"]), st.dictionaries(st.text(max_size=6), ENTRIES | VALUES))
    | VALUES
)
def test_any_file_is_read_or_refused(tmp_path: Path, content: Any) -> None:
    path = write(tmp_path, yaml.safe_dump(content, allow_unicode=True))
    try:
        said = repr([source.spec.name for source in load_declared(path)])
    except ConfigurationError as error:
        said = str(error)
    assert said.startswith("[") or str(path) in said


@given(st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    path, said = write(tmp_path, content), ""
    try:
        load_declared(path)
    except ConfigurationError as error:
        said = str(error)
    assert not said or str(path) in said


DURATIONS = st.tuples(st.integers(1, 999), st.sampled_from("smhd"))


@given(DURATIONS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_durations(tmp_path: Path, duration: tuple[int, str]) -> None:
    number, unit = duration
    [source] = load_declared(write(tmp_path, f"sources: {{a: {{folder: ., poll: {number}{unit}}}}}"))
    assert source.poll_s == number * {"s": 1, "m": 60, "h": 3600, "d": 86400}[unit]
