"""``python -m pipeline.cli``."""

from __future__ import annotations

from pipeline.cli.app import main

main()
