from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.stack.lock import exclusive
from rubrica.errors import FatalError

_HOLDER = """
import sys
from pathlib import Path
from pipeline.stack.lock import exclusive
with exclusive(Path(sys.argv[1]), timeout_s=5, on_wait=lambda: None):
    print("held", flush=True)
    sys.stdin.read()
"""


def _hold(path: Path) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_holder_is_told_to_wait_and_then_refused(tmp_path: Path) -> None:
    path = tmp_path / "stack.lock"
    waited: list[str] = []
    with _hold(path) as holder:
        with (
            pytest.raises(FatalError, match="Another command"),
            exclusive(path, timeout_s=0, on_wait=lambda: waited.append("once")),
        ):
            pytest.fail("two holders at once")
        holder.communicate("")
    assert waited == ["once"]


def test_the_lock_of_a_killed_holder_is_free(tmp_path: Path) -> None:
    path = tmp_path / "stack.lock"
    with _hold(path) as holder:
        holder.kill()
        holder.wait()
    entered = False
    with exclusive(path, timeout_s=5, on_wait=lambda: None):
        entered = True
    assert entered
