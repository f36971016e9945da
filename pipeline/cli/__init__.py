"""The command line: ``rubrica``, also ``python -m pipeline.cli``."""

from __future__ import annotations

from pipeline.cli.app import main

__all__ = ["main"]
