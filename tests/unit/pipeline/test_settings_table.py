from __future__ import annotations

from pathlib import Path

from pipeline.settings_table import settings_table

ROOT = Path(__file__).parents[3]


def test_the_page_is_up_to_date() -> None:
    assert (ROOT / "docs/settings.md").read_text() == settings_table(), "run `make docs`"
