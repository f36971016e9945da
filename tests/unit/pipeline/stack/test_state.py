from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.stack.ports import LOOPBACK
from pipeline.stack.processes import ProcessId
from pipeline.stack.state import State


def test_what_was_learnt_is_there_after_loading(tmp_path: Path) -> None:
    path = tmp_path / "stack.json"
    state = State.load(path)
    state.started("redis", ProcessId(4242, 1234.5), "abc")
    state.learn(**{"postgres.data": "/дом/с пробелом"})

    again = State.load(path)

    assert again.services["redis"].process == ProcessId(4242, 1234.5)
    assert again.services["redis"].signature == "abc"
    assert not again.services["redis"].ready
    assert again.facts == {"postgres.data": "/дом/с пробелом"}
    again.ready("redis")
    assert State.load(path).services["redis"].ready
    again.stopped("redis")
    assert not State.load(path).services


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(st.binary(max_size=60), st.sampled_from([b"[]", b"{}", b'{"ports": 3}', b"null", b""]))
)
def test_a_damaged_file_counts_as_empty(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "stack.json"
    path.write_bytes(content)
    assert State.load(path).services == {}


def test_a_port_is_remembered_and_given_up_only_when_busy(tmp_path: Path) -> None:
    state = State.load(tmp_path / "stack.json")
    with socket.socket() as server:
        server.bind((LOOPBACK, 0))
        busy = int(server.getsockname()[1])
        server.listen()
        first = state.assign_port("redis", busy)
        assert first != busy
        second = state.assign_port("milvus", busy)
        assert second not in (busy, first)
    assert state.assign_port("redis", busy) == first
    assert json.loads((tmp_path / "stack.json").read_text(encoding="utf-8"))["ports"]["redis"] == first
    with socket.socket() as server:
        server.bind((LOOPBACK, first))
        server.listen()
        assert state.assign_port("redis", busy) not in (first, second)


def test_a_state_that_cannot_be_written_raises(tmp_path: Path) -> None:
    state = State.load(tmp_path / "missing" / "stack.json")
    with pytest.raises(FileNotFoundError):
        state.learn(a="b")
